/*
 * scan.c - Scan: the nodes of its graph become the body of a `scan`, so that a
 * step is read once, however many there are. Tensors of outer graphs that the
 * nodes use are operands of the scan; small known ones are copied, since shapes
 * within may depend on them.
 */
#include <string.h>

#include "ir/fold.h"
#include "ir/import/emit.h"
#include "ir/import/inner.h"

enum { MAX_SIDES = 64 };

typedef struct scanned {
    mw_onnx_call *call;
    const mw_onnx_graph *graph;
    int n_carries, n_scans, n_stacked, n_operands;
    bool batched;                /* before opset 9 */
    mw_id operand[MAX_SIDES];    /* in the outer graph */
    const char *name[MAX_SIDES]; /* of what is captured, beyond the inputs */
    mw_id body_in[MAX_SIDES];
    int n_copies;
    mw_id copied[MAX_SIDES]; /* constants of the outer graph */
    const char *copy_name[MAX_SIDES];
    mw_id result[MAX_SIDES]; /* in the body */
} scanned;

/* ---- operands ---- */

static mw_id flipped(mw_onnx_call *call, mw_id x, int axis)
{
    const int64_t place = axis;
    const mw_attr attr = {
        .name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &place};
    return mw_emit(call, "flip", &x, 1, &attr, 1);
}

/* Axis `from` becomes axis `to`, the others keep their order. */
static mw_id moved(mw_onnx_call *call, mw_id x, int from, int to)
{
    int64_t perm[MW_MAX_RANK];
    int rank = mw_emit_rank(call, x), at = 0;
    for (int i = 0; i < rank; i++) {
        if (at == from)
            at++;
        perm[i] = i == to ? from : at++;
    }
    return from == to ? x : mw_emit_transpose(call, x, perm);
}

static int64_t listed(mw_onnx_call *call, const char *name, int i)
{
    mw_onnx_list list = mw_onnx_ints(call, name);
    return list.given && i < list.n ? list.v[i] : 0;
}

static mw_id without_batch(scanned *s, mw_id x)
{
    mw_onnx_call *call = s->call;
    if (!s->batched || call->status != MW_OK)
        return x;
    if (mw_emit_rank(call, x) < 1 || mw_emit_size(call, x, 0) != 1) {
        (void)mw_onnx_refuse(call, "before opset 9 more than one example is "
                                   "not supported");
        return MW_NONE;
    }
    return mw_emit_squeeze(call, x, 0);
}

/* Scan input i with the axis that is gone through first, forwards. */
static mw_id scan_input(scanned *s, mw_id x, int i)
{
    mw_onnx_call *call = s->call;
    x = without_batch(s, x);
    if (!s->batched) {
        int axis = mw_emit_axis(call, listed(call, "scan_input_axes", i),
                                mw_emit_rank(call, x));
        x = moved(call, x, axis, 0);
    }
    const char *ways = s->batched ? "directions" : "scan_input_directions";
    return listed(call, ways, i) ? flipped(call, x, 0) : x;
}

static mw_status take_inputs(scanned *s)
{
    mw_onnx_call *call = s->call;
    int first = s->batched ? 1 : 0;
    if (s->batched && mw_onnx_has(call, 0))
        return mw_onnx_refuse(call, "sequence_lens is not supported");
    for (int i = first; i < call->n_in; i++) {
        int k = i - first;
        if (call->in[i] == MW_NONE)
            return mw_onnx_refuse(call, "input %d is left out", i);
        s->operand[k] = k < s->n_carries
                            ? without_batch(s, call->in[i])
                            : scan_input(s, call->in[i], k - s->n_carries);
        MW_TRY(call->status);
    }
    s->n_operands = call->n_in - first;
    return MW_OK;
}

/* ---- what the nodes use of outer graphs ---- */

static bool in_outer_scope(const mw_onnx_build *build, const char *name)
{
    for (const mw_onnx_scope *o = build->scope; o; o = o->outer)
        if (mw_map_find_text(&o->value, name) ||
            mw_map_find_text(&o->weight, name))
            return true;
    return false;
}

static bool taken(const scanned *s, const char *name)
{
    for (int i = s->n_carries + s->n_scans; i < s->n_operands; i++)
        if (strcmp(s->name[i], name) == 0)
            return true;
    for (int i = 0; i < s->n_copies; i++)
        if (strcmp(s->copy_name[i], name) == 0)
            return true;
    return false;
}

static mw_status capture(scanned *s, const mw_map *own, const char *name)
{
    mw_onnx_build *build = s->call->build;
    mw_id id;
    if (name[0] == '\0' || mw_map_find_text(own, name) || taken(s, name) ||
        !in_outer_scope(build, name))
        return MW_OK;
    if (s->n_operands == MAX_SIDES || s->n_copies == MAX_SIDES)
        return mw_onnx_refuse(s->call, "its graph uses more than %d tensors",
                              MAX_SIDES);
    MW_TRY(mw_build_value(build, name, &id));
    const mw_tensor *tensor = &build->graph.tensor[id];
    if (tensor->role == MW_ROLE_CONST && mw_fold_known(&build->graph, id)) {
        s->copied[s->n_copies] = id;
        s->copy_name[s->n_copies++] = name;
        return MW_OK;
    }
    s->operand[s->n_operands] = id;
    s->name[s->n_operands++] = name;
    return MW_OK;
}

static mw_status own_names(const mw_onnx_graph *graph, mw_map *own)
{
    for (int64_t i = 0; i < graph->n_in; i++)
        MW_TRY(mw_map_put_text(own, graph->in[i].name, 0));
    for (int64_t i = 0; i < graph->n_weights; i++)
        MW_TRY(mw_map_put_text(own, graph->weight[i].name, 0));
    for (int64_t i = 0; i < graph->n_nodes; i++)
        for (int64_t k = 0; k < graph->node[i].n_out; k++)
            MW_TRY(mw_map_put_text(own, graph->node[i].out[k], 0));
    return MW_OK;
}

/* Graphs within see the names of those around them. */
static mw_status capture_all(scanned *s, const mw_onnx_graph *graph,
                             mw_map *own)
{
    MW_TRY(own_names(graph, own));
    for (int64_t i = 0; i < graph->n_nodes; i++) {
        const mw_onnx_node *node = &graph->node[i];
        for (int64_t k = 0; k < node->n_in; k++)
            MW_TRY(capture(s, own, node->in[k]));
        for (int64_t k = 0; k < node->n_attr; k++)
            if (node->attr[k].graph)
                MW_TRY(capture_all(s, node->attr[k].graph, own));
    }
    for (int64_t i = 0; i < graph->n_out; i++)
        MW_TRY(capture(s, own, graph->out[i].name));
    return MW_OK;
}

/* ---- the body ---- */

static mw_status fill_body(scanned *s, const mw_inner *outer)
{
    mw_onnx_build *build = s->call->build;
    mw_onnx_scope around = {.graph = s->graph};
    mw_map_init(&around.value, build->arena);
    mw_map_init(&around.weight, build->arena);
    mw_map_init(&around.input, build->arena);
    build->scope = &around;
    for (int i = 0; i < s->n_operands; i++) {
        bool scans = i >= s->n_carries && i < s->n_carries + s->n_scans;
        MW_TRY(
            mw_inner_input(build, outer, s->operand[i], scans, &s->body_in[i]));
        if (i >= s->n_carries + s->n_scans)
            MW_TRY(mw_build_bind(build, s->name[i], s->body_in[i]));
    }
    for (int i = 0; i < s->n_copies; i++) {
        mw_tensor copy = outer->graph.tensor[s->copied[i]];
        mw_id id;
        copy.name = mw_build_name(build, copy.name);
        if (!copy.name)
            return MW_ENOMEM;
        MW_TRY(mw_graph_tensor(&build->graph, &copy, &id));
        MW_TRY(mw_build_bind(build, s->copy_name[i], id));
    }
    MW_TRY(mw_build_body(build, s->graph, s->body_in, s->result));
    for (int i = 0; i < s->n_carries + s->n_stacked; i++)
        if (build->graph.tensor[s->result[i]].producer == MW_NONE)
            s->result[i] = mw_emit1(s->call, "rename", s->result[i]);
    MW_TRY(s->call->status);
    return mw_inner_results(build, s->result, s->n_carries + s->n_stacked);
}

static mw_status make_body(scanned *s, const char *name, mw_graph **body)
{
    mw_onnx_build *build = s->call->build;
    mw_inner outer;
    *body = MW_NEW(build->arena, mw_graph);
    if (!*body)
        return MW_ENOMEM;
    mw_status status = mw_inner_open(build, name, &outer);
    if (status == MW_OK)
        status = fill_body(s, &outer);
    **body = mw_inner_close(build, &outer);
    return status;
}

/* ---- the node ---- */

static mw_status read_counts(scanned *s)
{
    mw_onnx_call *call = s->call;
    s->batched = call->opset < 9;
    const mw_onnx_attr *body = mw_onnx_attr_find(call, "body");
    int64_t scans = mw_onnx_int(call, "num_scan_inputs", 0);
    int n_in = call->n_in - (s->batched ? 1 : 0);
    MW_TRY(call->status);
    if (!body || !body->graph)
        return mw_onnx_refuse(call, "it has no graph 'body'");
    s->graph = body->graph;
    if (scans < 1 || scans > n_in || n_in > MAX_SIDES ||
        call->n_out > MAX_SIDES || call->n_out < n_in - (int)scans ||
        s->graph->n_in != n_in || s->graph->n_out != call->n_out)
        return mw_onnx_refuse(call,
                              "%d inputs, %lld of them to scan, and %d outputs "
                              "where its graph has %lld and %lld",
                              n_in, (long long)scans, call->n_out,
                              (long long)s->graph->n_in,
                              (long long)s->graph->n_out);
    s->n_scans = (int)scans;
    s->n_carries = n_in - s->n_scans;
    s->n_stacked = call->n_out - s->n_carries;
    return MW_OK;
}

static mw_status place_scan(scanned *s, mw_id out[])
{
    mw_onnx_call *call = s->call;
    const char *names[MAX_SIDES];
    mw_graph *body;
    for (int i = 0; i < call->n_out; i++) {
        const char *base =
            mw_arena_format(call->arena, "%s.%d", call->label, i);
        names[i] = base ? mw_build_name(call->build, base) : NULL;
        if (!names[i])
            return MW_ENOMEM;
    }
    const char *base = mw_arena_format(call->arena, "%s.body", names[0]);
    const char *name = base ? mw_inner_name(call->build, base) : NULL;
    if (!name)
        return MW_ENOMEM;
    MW_TRY(make_body(s, name, &body));
    const int64_t carries = s->n_carries, scans = s->n_scans;
    const mw_attr attr[] = {
        {.name = "body", .kind = MW_ATTR_BODY, .body = body},
        {.name = "carries", .kind = MW_ATTR_INT, .n = 1, .i = &carries},
        {.name = "scans", .kind = MW_ATTR_INT, .n = 1, .i = &scans}};
    return mw_graph_place(call->graph,
                          &(mw_op_spec){.def = "scan",
                                        .name = call->label,
                                        .n_in = s->n_operands,
                                        .n_out = call->n_out,
                                        .in = s->operand,
                                        .out_names = names,
                                        .n_attr = 3,
                                        .attr = attr},
                          out);
}

static mw_status scan(mw_onnx_call *call)
{
    scanned s = {.call = call};
    mw_id out[MAX_SIDES];
    mw_map own;
    mw_map_init(&own, call->arena);
    MW_TRY(read_counts(&s));
    MW_TRY(take_inputs(&s));
    MW_TRY(capture_all(&s, s.graph, &own));
    MW_TRY(place_scan(&s, out));
    for (int i = 0; i < call->n_out; i++) {
        mw_id y = out[i];
        int k = i - s.n_carries;
        if (k >= 0 && !s.batched) {
            int axis = mw_emit_axis(call, listed(call, "scan_output_axes", k),
                                    mw_emit_rank(call, y));
            if (listed(call, "scan_output_directions", k))
                y = flipped(call, y, 0);
            y = moved(call, y, 0, axis);
        }
        if (s.batched)
            y = mw_emit_unsqueeze(call, y, 0);
        MW_TRY(mw_emit_set(call, i, y));
    }
    return call->status;
}

static const mw_onnx_rule rules[] = {
    {.op = "Scan",
     .since = 8,
     .min_in = 0,
     .max_in = -1,
     .attrs = "body directions num_scan_inputs scan_input_axes "
              "scan_input_directions scan_output_axes scan_output_directions",
     .build = scan},
    {0},
};

const mw_onnx_def mw_onnx_scan = {.brief = "scans over an axis",
                                  .rules = rules};
