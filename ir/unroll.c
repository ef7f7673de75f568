/* unroll.c - the graph again, and in the place of each scan its body, step
 * after step: slices of what is scanned before, what is stacked joined behind.
 */
#include "ir/unroll.h"

#include <string.h>

#include "ir/body.h"
#include "ir/graph_copy.h"
#include "ir/op.h"
#include "ir/rebuild.h"
#include "ir/rule.h"
#include "ir/scan.h"

/* A scan that is written out. */
typedef struct walk {
    mw_rebuild *r;
    const mw_op *op;
    const mw_graph *body;
    int carries;
    mw_id dim; /* that is scanned, or MW_NONE */
    int64_t steps;
    mw_id *input;  /* of the body */
    mw_id *of_dim; /* the graph's, of each of the body's */
    mw_id *map;    /* of each of the body's tensors, at the step at hand */
    mw_id *carry;  /* each carry now */
    mw_id **given; /* by result and step */
} walk;

// The graph's dimension of that name and size, or a new one.
static mw_status take_dims(walk *w)
{
    mw_graph *to = w->r->to;
    for (mw_id d = 0; d < w->body->n_dims; d++) {
        mw_dim dim = w->body->dim[d];
        mw_id found = mw_graph_find_dim(to, dim.name);
        for (int i = 2; found != MW_NONE && to->dim[found].size != dim.size;
             i++) {
            dim.name =
                mw_arena_format(to->arena, "%s.%d", w->body->dim[d].name, i);
            if (!dim.name)
                return MW_ENOMEM;
            found = mw_graph_find_dim(to, dim.name);
        }
        w->of_dim[d] = found;
        dim.of = MW_NONE;
        if (found == MW_NONE)
            MW_TRY(mw_graph_dim(to, &dim, &w->of_dim[d]));
    }
    return MW_OK;
}

static mw_status take_tensor(walk *w, mw_id inner, int64_t step, mw_id *id)
{
    mw_tensor made = w->body->tensor[inner];
    made.name = mw_arena_format(w->r->to->arena, "%s.%lld/%s", w->op->name,
                                (long long)step, made.name);
    if (!made.name)
        return MW_ENOMEM;
    for (int a = 0; a < made.rank; a++)
        if (made.axis[a].dim != MW_NONE)
            made.axis[a].dim = w->of_dim[made.axis[a].dim];
    made.output = false;
    MW_TRY(
        mw_graph_new_name(w->r->from, w->r->to, made.name, ".", 2, &made.name));
    return mw_graph_tensor(w->r->to, &made, id);
}

static mw_status take_consts(walk *w)
{
    for (mw_id t = 0; t < w->body->n_tensors; t++)
        if (w->body->tensor[t].role == MW_ROLE_CONST)
            MW_TRY(take_tensor(w, t, 0, &w->map[t]));
    return MW_OK;
}

static mw_status rebuild_steps(mw_rebuild *r);

// A body without loops within: itself, or its ops with their steps in them.
static mw_status flat_body(walk *w)
{
    mw_arena *arena = w->r->to->arena;
    const mw_graph *body = mw_op_body(w->op);
    mw_rebuild r;
    int loops = 0;
    for (int k = 0; k < body->n_ops; k++)
        loops += mw_op_body(&body->op[k]) != NULL;
    w->body = body;
    if (loops == 0)
        return MW_OK;
    mw_graph *made = MW_NEW(arena, mw_graph);
    mw_id *result = MW_NEW_ARRAY(arena, body->n_results, mw_id);
    if (!made || !result)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(made, arena, body->name));
    MW_TRY(mw_rebuild_open(&r, body, made));
    MW_TRY(rebuild_steps(&r));
    for (int i = 0; i < body->n_results; i++)
        MW_TRY(mw_rebuild_tensor(&r, body->result[i], &result[i]));
    made->result = result;
    made->n_results = body->n_results;
    w->body = made;
    return MW_OK;
}

static mw_status open_walk(walk *w)
{
    mw_arena *arena = w->r->to->arena;
    const mw_attr *dim = mw_op_attr(w->op, "dim");
    int n_in = w->op->n_in, n_out = w->op->n_out;
    MW_TRY(flat_body(w));
    w->carries = mw_scan_carries(w->op);
    w->dim = dim ? (mw_id)dim->i[0] : MW_NONE;
    w->steps =
        dim ? w->r->from->dim[w->dim].size : mw_op_attr_int(w->op, "count", 1);
    w->input = MW_NEW_ARRAY(arena, n_in, mw_id);
    w->of_dim = MW_NEW_ARRAY(arena, w->body->n_dims + 1, mw_id);
    w->map = MW_NEW_ARRAY(arena, w->body->n_tensors + 1, mw_id);
    w->carry = MW_NEW_ARRAY(arena, n_in, mw_id);
    w->given = MW_NEW_ARRAY(arena, n_out, mw_id *);
    if (!w->input || !w->of_dim || !w->map || !w->carry || !w->given)
        return MW_ENOMEM;
    for (int o = 0; o < n_out; o++) {
        w->given[o] = MW_NEW_ARRAY(arena, w->steps + 1, mw_id);
        if (!w->given[o])
            return MW_ENOMEM;
    }
    (void)mw_body_inputs(w->body, w->input, n_in);
    MW_TRY(take_dims(w));
    MW_TRY(take_consts(w));
    for (int i = 0; i < w->carries; i++)
        MW_TRY(mw_rebuild_tensor(w->r, w->op->in[i].tensor, &w->carry[i]));
    return MW_OK;
}

static mw_status add(walk *w, const char *def, const mw_id in[], int n_in,
                     mw_id out, const mw_attr attr[], int n_attr)
{
    mw_id made;
    return mw_graph_bind(w->r->to,
                         &(mw_op_spec){.def = def,
                                       .n_in = n_in,
                                       .in = in,
                                       .n_out = 1,
                                       .out = &out,
                                       .n_attr = n_attr,
                                       .attr = attr},
                         &made);
}

// What a step reads of an operand that is scanned.
static mw_status slice(walk *w, int i, int64_t t)
{
    const int64_t dim = w->dim, one = 1;
    const mw_attr attr[] = {mw_attr_of_int("dim", MW_ATTR_DIM, &dim),
                            mw_attr_of_int("start", MW_ATTR_INT, &t),
                            mw_attr_of_int("step", MW_ATTR_INT, &one),
                            mw_attr_of_int("count", MW_ATTR_INT, &one)};
    mw_id whole, *part = &w->map[w->input[i]];
    MW_TRY(mw_rebuild_tensor(w->r, w->op->in[i].tensor, &whole));
    MW_TRY(take_tensor(w, w->input[i], t, part));
    w->r->to->tensor[*part].role = MW_ROLE_VALUE;
    return add(w, "slice", &whole, 1, *part, attr, 4);
}

static mw_status take_inputs(walk *w, int64_t t)
{
    for (int i = 0; i < w->op->n_in; i++) {
        mw_id *now = &w->map[w->input[i]];
        if (i < w->carries)
            *now = w->carry[i];
        else if (mw_scan_is_scanned(w->op, i))
            MW_TRY(slice(w, i, t));
        else
            MW_TRY(mw_rebuild_tensor(w->r, w->op->in[i].tensor, now));
    }
    return MW_OK;
}

static mw_status take_op(walk *w, const mw_op *op, int64_t t)
{
    mw_arena *arena = w->r->to->arena;
    mw_id *in = MW_NEW_ARRAY(arena, op->n_in, mw_id), made;
    mw_id *out = MW_NEW_ARRAY(arena, op->n_out, mw_id);
    mw_attr *attr = MW_NEW_ARRAY(arena, op->n_attr, mw_attr);
    int64_t *dim = MW_NEW_ARRAY(arena, op->n_attr, int64_t);
    if (!in || !out || !attr || !dim)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        in[i] = w->map[op->in[i].tensor];
    for (int o = 0; o < op->n_out; o++) {
        MW_TRY(take_tensor(w, op->out[o].tensor, t, &out[o]));
        w->map[op->out[o].tensor] = out[o];
    }
    for (int k = 0; k < op->n_attr; k++) {
        attr[k] = op->attr[k];
        if (attr[k].kind != MW_ATTR_DIM)
            continue;
        dim[k] = w->of_dim[attr[k].i[0]];
        attr[k] = mw_attr_of_int(op->attr[k].name, MW_ATTR_DIM, &dim[k]);
    }
    return mw_graph_bind(w->r->to,
                         &(mw_op_spec){.def = op->def->name,
                                       .n_in = op->n_in,
                                       .in = in,
                                       .n_out = op->n_out,
                                       .out = out,
                                       .n_attr = op->n_attr,
                                       .attr = attr},
                         &made);
}

static mw_status take_step(walk *w, int64_t t)
{
    MW_TRY(take_inputs(w, t));
    for (int k = 0; k < w->body->n_ops; k++)
        MW_TRY(take_op(w, &w->body->op[k], t));
    for (int o = 0; o < w->op->n_out; o++)
        w->given[o][t] = w->map[w->body->result[o]];
    for (int i = 0; i < w->carries; i++)
        w->carry[i] = w->given[i][t];
    return MW_OK;
}

// The last carry, or what the steps gave, under the name of the scan's result.
static mw_status join(walk *w, int o, int64_t last)
{
    const int64_t dim = w->dim;
    const mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    mw_id out;
    MW_TRY(mw_rebuild_tensor(w->r, w->op->out[o].tensor, &out));
    if (o < w->carries)
        return add(w, "transpose", &w->carry[o], 1, out, NULL, 0);
    if (w->dim == MW_NONE)
        return add(w, "transpose", &w->given[o][last], 1, out, NULL, 0);
    return add(w, "concat", w->given[o], (int)w->steps, out, &attr, 1);
}

static mw_status write_out(mw_rebuild *r, const mw_op *op)
{
    walk w = {.r = r, .op = op};
    bool reverse = mw_op_attr_int(op, "reverse", 0) != 0;
    MW_TRY(open_walk(&w));
    for (int64_t s = 0; s < w.steps; s++)
        MW_TRY(take_step(&w, reverse ? w.steps - 1 - s : s));
    for (int o = 0; o < op->n_out; o++)
        MW_TRY(join(&w, o, reverse ? 0 : w.steps - 1));
    return MW_OK;
}

// A scan of no step stays: it has nothing to join.
static bool has_steps(const mw_graph *graph, const mw_op *op)
{
    const mw_attr *dim = mw_op_attr(op, "dim");
    return dim ? graph->dim[dim->i[0]].size > 0
               : mw_op_attr_int(op, "count", 1) > 0;
}

static mw_status rebuild_steps(mw_rebuild *r)
{
    for (int k = 0; k < r->from->n_ops; k++) {
        const mw_op *op = &r->from->op[k];
        bool loop = mw_op_attr(op, "carries") && mw_op_attr(op, "body");
        if (loop && has_steps(r->from, op))
            MW_TRY(write_out(r, op));
        else
            MW_TRY(mw_rebuild_op(r, op));
    }
    return MW_OK;
}

mw_status mw_unroll(const mw_graph *from, mw_graph *to)
{
    mw_rebuild r;
    MW_TRY(mw_rebuild_open(&r, from, to));
    to->name = from->name;
    MW_TRY(rebuild_steps(&r));
    MW_TRY(mw_rebuild_outputs(&r));
    return mw_graph_interference(to);
}
