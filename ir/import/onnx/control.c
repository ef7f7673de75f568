/* control.c - branches and loops whose course is known: the branch that is
 * taken, the loop's body as often as it runs. */
#include "ir/import/build.h"
#include "ir/import/emit.h"

static const mw_onnx_graph *body_of(mw_onnx_call *call, const char *name,
                                    int64_t n_in, int64_t n_out)
{
    const mw_onnx_attr *attr = mw_onnx_attr_find(call, name);
    if (!attr || !attr->graph)
        (void)mw_onnx_refuse(call, "it has no graph '%s'", name);
    else if (attr->graph->n_in != n_in || attr->graph->n_out != n_out)
        (void)mw_onnx_refuse(call,
                             "graph '%s' has %lld inputs and %lld "
                             "outputs, wanted %lld and %lld",
                             name, (long long)attr->graph->n_in,
                             (long long)attr->graph->n_out, (long long)n_in,
                             (long long)n_out);
    return call->status == MW_OK ? attr->graph : NULL;
}

static mw_status branch(mw_onnx_call *call)
{
    bool yes = mw_onnx_in_number(call, 0, 0.0) != 0.0;
    MW_TRY(call->status);
    const mw_onnx_graph *body =
        body_of(call, yes ? "then_branch" : "else_branch", 0, call->n_out);
    if (!body)
        return call->status;
    return mw_build_body(call->build, body, NULL, call->out);
}

/* The state of an unrolled loop. */
typedef struct unrolled {
    const mw_onnx_graph *body;
    int n_carried, n_scans;
    mw_id *in;   /* iteration, condition, carried values */
    mw_id *out;  /* condition, carried values, what is scanned */
    mw_id *scan; /* of each iteration, by scan output */
    int64_t n_done, cap_done;
} unrolled;

static mw_status known_bool(mw_onnx_call *call, mw_id id, bool *value)
{
    const void *bytes = NULL;
    if (!mw_fold_known(call->graph, id) ||
        mw_tensor_elements(mw_emit_tensor(call, id)) != 1)
        return mw_onnx_refuse(call, "how often the loop runs depends on an "
                                    "input's values");
    MW_TRY(mw_fold_read(call->graph, id, call->arena, &bytes));
    *value = mw_fold_number(mw_emit_dtype(call, id), bytes) != 0.0;
    return MW_OK;
}

static mw_status keep_scans(mw_onnx_call *call, unrolled *u)
{
    for (int i = 0; i < u->n_scans; i++) {
        mw_id *grown = mw_arena_reserve(call->arena, u->scan, u->n_done,
                                        &u->cap_done, sizeof *u->scan);
        if (!grown)
            return MW_ENOMEM;
        u->scan = grown;
        grown[u->n_done++] =
            mw_emit_unsqueeze(call, u->out[1 + u->n_carried + i], 0);
    }
    return call->status;
}

static mw_status iterate(mw_onnx_call *call, unrolled *u, int64_t trips)
{
    bool go_on = true;
    if (u->in[1] == MW_NONE)
        u->in[1] = mw_emit_number(call, MW_BOOL, 1.0);
    MW_TRY(call->status);
    for (int64_t i = 0; i < trips; i++) {
        MW_TRY(known_bool(call, u->in[1], &go_on));
        if (!go_on)
            return MW_OK;
        u->in[0] = mw_emit_number(call, MW_I64, (double)i);
        MW_TRY(call->status);
        call->build->nodes_left--;
        if (call->build->nodes_left <= 0)
            return mw_onnx_refuse(call, "the loop is too long to be unrolled");
        MW_TRY(mw_build_body(call->build, u->body, u->in, u->out));
        for (int k = 0; k <= u->n_carried; k++)
            u->in[k + 1] = u->out[k];
        MW_TRY(keep_scans(call, u));
    }
    return MW_OK;
}

/* Of a loop that never runs, by the shapes that the body declares. */
static mw_status nothing_scanned(mw_onnx_call *call, const unrolled *u)
{
    for (int s = 0; s < u->n_scans; s++) {
        const mw_onnx_value *value = &u->body->out[1 + u->n_carried + s];
        mw_tensor empty = {.name = value->name,
                           .role = MW_ROLE_CONST,
                           .rank = 1,
                           .data = {.kind = MW_DATA_MEMORY, .bytes = ""}};
        if (!mw_emit_wanted(call, u->n_carried + s))
            continue;
        bool known = value->has_shape && value->rank < MW_MAX_RANK &&
                     mw_dtype_by_onnx(value->elem_type, &empty.dtype);
        for (int64_t a = 0; known && a < value->rank; a++) {
            known = value->dim[a].value >= 0;
            empty.axis[empty.rank++] =
                (mw_axis){.dim = MW_NONE, .size = value->dim[a].value};
        }
        if (!known)
            return mw_onnx_refuse(call, "a loop that never runs has no shape "
                                        "for what it scans");
        empty.axis[0] = (mw_axis){.dim = MW_NONE, .size = 0};
        (void)mw_emit_set(call, u->n_carried + s, mw_emit_const(call, &empty));
    }
    return call->status;
}

static mw_status join_scans(mw_onnx_call *call, const unrolled *u)
{
    int64_t n = u->n_scans ? u->n_done / u->n_scans : 0;
    if (n == 0)
        return nothing_scanned(call, u);
    mw_id *part = MW_NEW_ARRAY(call->arena, n, mw_id);
    if (!part)
        return MW_ENOMEM;
    for (int s = 0; s < u->n_scans; s++) {
        for (int64_t i = 0; i < n; i++)
            part[i] = u->scan[i * u->n_scans + s];
        MW_TRY(mw_emit_set(call, u->n_carried + s,
                           mw_emit_concat(call, part, (int)n, 0)));
    }
    return MW_OK;
}

static mw_status loop(mw_onnx_call *call)
{
    unrolled u = {.n_carried = call->n_in - 2};
    if (u.n_carried < 0)
        return mw_onnx_refuse(call, "it has %d inputs, wanted at least 2",
                              call->n_in);
    u.n_scans = call->n_out - u.n_carried;
    if (u.n_scans < 0)
        return mw_onnx_refuse(call, "it has %d outputs for %d carried values",
                              call->n_out, u.n_carried);
    u.body = body_of(call, "body", call->n_in, 1 + call->n_out);
    u.in = MW_NEW_ARRAY(call->arena, call->n_in, mw_id);
    u.out = MW_NEW_ARRAY(call->arena, call->n_out + 1, mw_id);
    if (!u.body || !u.in || !u.out)
        return call->status != MW_OK ? call->status : MW_ENOMEM;
    double trips = mw_onnx_in_number(call, 0, (double)MW_BUILD_UNROLLED_MAX);
    MW_TRY(call->status);
    if (trips > (double)MW_BUILD_UNROLLED_MAX)
        trips = (double)MW_BUILD_UNROLLED_MAX;
    for (int i = 1; i < call->n_in; i++) {
        u.in[i] = call->in[i];
        if (i > 1 && call->in[i] == MW_NONE)
            return mw_onnx_refuse(call, "input %d is left out", i);
    }
    MW_TRY(iterate(call, &u, (int64_t)trips));
    for (int i = 0; i < u.n_carried; i++)
        (void)mw_emit_set(call, i, u.in[i + 2]);
    return join_scans(call, &u);
}

static const mw_onnx_rule rules[] = {
    {.op = "If",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "then_branch else_branch",
     .build = branch},
    {.op = "Loop",
     .since = 1,
     .min_in = 0,
     .max_in = -1,
     .attrs = "body",
     .build = loop},
    {0},
};

const mw_onnx_def mw_onnx_control = {
    .brief = "branches and loops that are known", .rules = rules};
