/*
 * scan_grad.c - the way back through a scan.
 *
 * A first scan runs forward again and keeps what every carry was before each
 * step. A second runs the other way round: its body is the step's forward part
 * and its gradient, its carries the gradients of the carries. What an operand
 * that every step reads gets is a sum over steps. Where a step's share is a
 * contraction, or a sum, its operands are stacked and one contraction outside
 * takes the steps' place: a large product instead of many small ones, and the
 * dimensions that it sums over (the batch) may still be split.
 */
#include <string.h>

#include "ir/body.h"
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/scan.h"

enum { MAX_STACKED = 64, MAX_SIDES = 3 * MAX_STACKED };

/* Something of the body of the way back, and its stack outside. */
typedef struct stacked {
    mw_id inner, outer;
} stacked;

typedef struct back {
    mw_grad *g;
    const mw_op *op;
    const mw_graph *body;
    const mw_id *dout;
    mw_id *din;
    int carries;
    int64_t dim; /* that is scanned */
    mw_id input[MAX_STACKED];
    mw_graph *made;            /* the body of the way back */
    mw_id *copy;               /* in it, of each of the body's tensors */
    mw_id *grad;               /* in it, of each operand, or MW_NONE */
    mw_id dcarry[MAX_STACKED]; /* in it, or MW_NONE for integers */
    mw_id dstep[MAX_STACKED];  /* in it, of each result that is stacked */
    int n_stacked;
    stacked stacked[MAX_STACKED];
    /* outer operands, results outside and in the body, of the second scan */
    int n_in, n_out, n_carries;
    mw_id in[MAX_SIDES], out[MAX_SIDES], result[MAX_SIDES];
    mw_id history[MAX_STACKED]; /* outside, of each carry */
} back;

static bool is_float(const mw_graph *graph, mw_id t)
{
    return mw_dtype_is_float(graph->tensor[t].dtype);
}

static bool is_invariant(const back *b, int i)
{
    return i >= b->carries && !mw_scan_is_scanned(b->op, i);
}

/* ---- outside ---- */

static mw_status new_tensor(back *b, const char *what, const mw_tensor *like,
                            mw_id *id)
{
    mw_tensor tensor = {
        .dtype = like->dtype, .role = MW_ROLE_VALUE, .rank = like->rank};
    const char *name = mw_arena_format(b->g->graph->arena, "%s/%s.%s",
                                       b->g->prefix, b->op->name, what);
    if (!name)
        return MW_ENOMEM;
    memcpy(tensor.axis, like->axis, sizeof tensor.axis);
    MW_TRY(mw_grad_name(b->g, name, &tensor.name));
    return mw_graph_tensor(b->g->graph, &tensor, id);
}

// The graph's dimension of that name; the body's own become the graph's too.
static mw_status outer_dim(back *b, const mw_graph *body, mw_id inner,
                           mw_id *outer)
{
    mw_graph *graph = b->g->graph;
    const mw_dim *dim = &body->dim[inner];
    *outer = mw_graph_find_dim(graph, dim->name);
    if (*outer == MW_NONE)
        return mw_graph_dim(
            graph,
            &(mw_dim){.name = dim->name, .size = dim->size, .of = MW_NONE},
            outer);
    if (graph->dim[*outer].size != dim->size)
        return mw_fail(b->g->ctx, MW_EINPUT,
                       "dim '%s' is %lld in body '%s' and %lld outside, and "
                       "the gradient of '%s' needs both",
                       dim->name, (long long)dim->size, body->name,
                       (long long)graph->dim[*outer].size, b->op->name);
    return MW_OK;
}

// A tensor outside for all steps of one of a body's.
static mw_status new_stack(back *b, const mw_graph *body, mw_id inner,
                           const char *what, mw_id *id)
{
    const mw_tensor *from = &body->tensor[inner];
    mw_tensor like = {.dtype = from->dtype, .rank = from->rank + 1};
    if (like.rank > MW_MAX_RANK)
        return mw_fail(b->g->ctx, MW_EINPUT,
                       "'%s' of body '%s' has too many dims to be stacked",
                       from->name, body->name);
    like.axis[0] =
        (mw_axis){.dim = (mw_id)b->dim, .size = b->g->graph->dim[b->dim].size};
    for (int a = 0; a < from->rank; a++) {
        like.axis[a + 1].size = from->axis[a].size;
        MW_TRY(outer_dim(b, body, from->axis[a].dim, &like.axis[a + 1].dim));
    }
    return new_tensor(b, what, &like, id);
}

static mw_status add_scan(back *b, const mw_graph *body, int64_t carries,
                          bool reverse)
{
    const int64_t flag = reverse;
    const mw_attr attr[] = {
        {.name = "body", .kind = MW_ATTR_BODY, .body = body},
        mw_attr_of_int("carries", MW_ATTR_INT, &carries),
        mw_attr_of_int("dim", MW_ATTR_DIM, &b->dim),
        mw_attr_of_int("reverse", MW_ATTR_INT, &flag)};
    mw_id added;
    return mw_graph_bind(b->g->graph,
                         &(mw_op_spec){.def = b->op->def->name,
                                       .n_in = b->n_in,
                                       .n_out = b->n_out,
                                       .in = b->in,
                                       .out = b->out,
                                       .n_attr = reverse ? 4 : 3,
                                       .attr = attr},
                         &added);
}

// Loops without a dim to scan get one.
static mw_status find_dim(back *b)
{
    const mw_attr *dim = mw_op_attr(b->op, "dim");
    mw_graph *graph = b->g->graph;
    mw_id made;
    if (dim) {
        b->dim = dim->i[0];
        return MW_OK;
    }
    const char *name = "step";
    for (int i = 1; name && mw_graph_find_dim(graph, name) != MW_NONE; i++)
        name = mw_arena_format(graph->arena, "step%d", i);
    if (!name)
        return MW_ENOMEM;
    MW_TRY(mw_graph_dim(graph,
                        &(mw_dim){.name = name,
                                  .size = mw_op_attr_int(b->op, "count", 1),
                                  .of = MW_NONE},
                        &made));
    b->dim = made;
    return MW_OK;
}

static mw_status new_body(back *b, const char *what, mw_graph **made)
{
    mw_arena *arena = b->g->graph->arena;
    const char *within = b->g->body ? b->g->body : "";
    const char *name =
        mw_arena_format(arena, "%s%s%s.%s.%s", within, within[0] ? "/" : "",
                        b->body->name, b->op->name, what);
    *made = MW_NEW(arena, mw_graph);
    if (!name || !*made)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(*made, arena, name));
    (*made)->named = true;
    return MW_OK;
}

/* ---- forward again ---- */

static mw_status copy_dims(const mw_graph *from, mw_graph *to)
{
    mw_id id;
    for (mw_id d = 0; d < from->n_dims; d++)
        MW_TRY(mw_graph_dim(to, &from->dim[d], &id));
    return MW_OK;
}

static mw_status keep_history(back *b)
{
    mw_graph *body;
    mw_id result[2 * MAX_STACKED];
    int n = b->carries;
    for (int i = 0; i < n; i++) {
        result[i] = b->body->result[i];
        result[n + i] = b->input[i];
    }
    MW_TRY(new_body(b, "steps", &body));
    MW_TRY(mw_body_part(b->body, result, 2 * n, body));
    b->n_in = b->op->n_in;
    b->n_out = 2 * n;
    for (int i = 0; i < b->op->n_in; i++)
        b->in[i] = b->op->in[i].tensor;
    for (int i = 0; i < n; i++) {
        const mw_tensor like = b->g->graph->tensor[b->op->in[i].tensor];
        MW_TRY(new_tensor(b, "last", &like, &b->out[i]));
        MW_TRY(
            new_stack(b, body, body->result[n + i], "before", &b->history[i]));
        b->out[n + i] = b->history[i];
    }
    if (n == 0)
        return MW_OK;
    return add_scan(b, body, n, mw_op_attr_int(b->op, "reverse", 0) != 0);
}

/* ---- the body of the way back ---- */

static mw_status add_input(back *b, const char *name, const char *suffix,
                           const mw_tensor *like, mw_id *id)
{
    mw_tensor tensor = {
        .dtype = like->dtype, .role = MW_ROLE_INPUT, .rank = like->rank};
    tensor.name =
        mw_arena_format(b->made->arena, "%s/%s%s", b->g->prefix, name, suffix);
    if (!tensor.name)
        return MW_ENOMEM;
    memcpy(tensor.axis, like->axis, sizeof tensor.axis);
    return mw_graph_tensor(b->made, &tensor, id);
}

// Inputs: gradients of the carries, the step's operands, gradients of what it
// gave.
static mw_status add_inputs(back *b)
{
    MW_TRY(copy_dims(b->body, b->made));
    for (int i = 0; i < b->carries; i++) {
        const mw_tensor *like = &b->body->tensor[b->input[i]];
        b->dcarry[i] = MW_NONE;
        if (is_float(b->body, b->input[i]))
            MW_TRY(add_input(b, like->name, ".next", like, &b->dcarry[i]));
    }
    for (mw_id t = 0; t < b->body->n_tensors; t++)
        if (b->body->tensor[t].producer == MW_NONE)
            MW_TRY(mw_graph_tensor(b->made, &b->body->tensor[t], &b->copy[t]));
    for (int o = b->carries; o < b->op->n_out; o++) {
        const mw_tensor *like = &b->body->tensor[b->body->result[o]];
        const char *suffix =
            mw_arena_format(b->made->arena, ".result%d", o - b->carries);
        b->dstep[o] = MW_NONE;
        if (!suffix)
            return MW_ENOMEM;
        if (b->dout[o] != MW_NONE)
            MW_TRY(add_input(b, like->name, suffix, like, &b->dstep[o]));
    }
    return MW_OK;
}

static mw_status copy_ops(back *b)
{
    for (int k = 0; k < b->body->n_ops; k++)
        MW_TRY(mw_body_op(b->body, &b->body->op[k], b->made, b->copy));
    return MW_OK;
}

// What flows back is the gradient of the sum of results times theirs.
static mw_status weigh(mw_grad *g, mw_id result, mw_id gradient, mw_id *sum)
{
    mw_id product, one, share;
    mw_dtype dtype = *sum == MW_NONE ? g->graph->tensor[result].dtype
                                     : g->graph->tensor[*sum].dtype;
    MW_TRY(mw_grad_map2(g, "mul", result, gradient, &product));
    MW_TRY(mw_grad_const(g, g->graph->tensor[result].dtype, 0, &one));
    MW_TRY(mw_grad_reduce(g, "reduce_sum", product, one, &share));
    MW_TRY(mw_grad_cast(g, share, dtype, &share));
    if (*sum != MW_NONE)
        return mw_grad_map2(g, "add", *sum, share, sum);
    *sum = share;
    return MW_OK;
}

static mw_status weigh_results(back *b, mw_grad *g, mw_id *sum)
{
    *sum = MW_NONE;
    for (int o = 0; o < b->op->n_out; o++) {
        mw_id gradient = o < b->carries ? b->dcarry[o] : b->dstep[o];
        if (gradient != MW_NONE)
            MW_TRY(weigh(g, b->copy[b->body->result[o]], gradient, sum));
    }
    return MW_OK;
}

static mw_status step_back(back *b)
{
    mw_grad g = mw_grad_on(b->made, b->g->prefix);
    g.body = b->made->name;
    mw_id wanted[MAX_STACKED], found[MAX_STACKED], sum;
    int index[MAX_STACKED], n = 0;
    MW_TRY(weigh_results(b, &g, &sum));
    for (int i = 0; i < b->op->n_in; i++) {
        b->grad[i] = MW_NONE;
        if (!is_float(b->body, b->input[i]) ||
            (i >= b->carries && !mw_grad_wants(b->g, i)))
            continue;
        index[n] = i;
        wanted[n++] = b->copy[b->input[i]];
    }
    if (sum == MW_NONE)
        return MW_OK;
    MW_TRY(mw_grad_back(&g,
                        &(mw_grad_want){.of = sum,
                                        .seed = MW_NONE,
                                        .last_op = b->made->n_ops,
                                        .n = n,
                                        .wanted = wanted},
                        found));
    for (int k = 0; k < n; k++)
        b->grad[index[k]] = found[k];
    for (int i = 0; i < b->carries; i++)
        if (b->dcarry[i] != MW_NONE && b->grad[i] == MW_NONE)
            MW_TRY(mw_grad_scalar(&g, "mul", b->dcarry[i], 0, &b->grad[i]));
    return MW_OK;
}

/* ---- what is summed over the steps ---- */

static mw_status stack(back *b, mw_id inner)
{
    for (int k = 0; k < b->n_stacked; k++)
        if (b->stacked[k].inner == inner)
            return MW_OK;
    if (b->n_stacked == MAX_STACKED)
        return mw_fail(b->g->ctx, MW_EINPUT,
                       "the gradient of '%s' stacks more than %d tensors",
                       b->op->name, MAX_STACKED);
    b->stacked[b->n_stacked++].inner = inner;
    return MW_OK;
}

static mw_id stack_of(const back *b, mw_id inner)
{
    for (int k = 0; k < b->n_stacked; k++)
        if (b->stacked[k].inner == inner)
            return b->stacked[k].outer;
    return MW_NONE;
}

// What stands outside for all steps of a tensor already, or MW_NONE: operands,
// and gradients of what the steps gave.
static mw_id outside(const back *b, mw_id inner)
{
    for (int i = 0; i < b->op->n_in; i++)
        if (b->copy[b->input[i]] == inner)
            return i < b->carries ? b->history[i] : b->op->in[i].tensor;
    for (int o = b->carries; o < b->op->n_out; o++)
        if (b->dstep[o] == inner)
            return b->dout[o];
    return MW_NONE;
}

// The op whose operands are stacked in place of a step's share; NULL: the share
// itself is.
static const mw_op *summing(const back *b, mw_id share)
{
    mw_id producer = b->made->tensor[share].producer;
    const mw_op *op = producer == MW_NONE ? NULL : &b->made->op[producer];
    if (!op || op->n_in > 2 || op->def->reduce != MW_REDUCE_SUM ||
        op->def->index_in)
        return NULL;
    bool steps = false;
    for (int i = 0; i < op->n_in; i++) {
        mw_id outer = outside(b, op->in[i].tensor);
        const mw_tensor *tensor = &b->g->graph->tensor[outer < 0 ? 0 : outer];
        if (op->in[i].window)
            return NULL;
        steps = steps || outer == MW_NONE ||
                mw_tensor_axis(tensor, (mw_id)b->dim) != MW_NONE;
    }
    return steps ? op : NULL;
}

static mw_status collect(back *b)
{
    for (int i = b->carries; i < b->op->n_in; i++) {
        mw_id share = b->grad[i];
        if (share == MW_NONE || !is_invariant(b, i))
            continue;
        const mw_op *op = summing(b, share);
        if (!op && outside(b, share) == MW_NONE)
            MW_TRY(stack(b, share));
        for (int k = 0; op && k < op->n_in; k++)
            if (outside(b, op->in[k].tensor) == MW_NONE)
                MW_TRY(stack(b, op->in[k].tensor));
    }
    return MW_OK;
}

static mw_id all_steps(const back *b, mw_id inner)
{
    mw_id outer = outside(b, inner);
    return outer == MW_NONE ? stack_of(b, inner) : outer;
}

static mw_status sum_steps(back *b, int i)
{
    mw_id share = b->grad[i], like = b->op->in[i].tensor;
    const mw_op *op = summing(b, share);
    if (op && op->n_in == 2)
        return mw_grad_einsum(b->g, all_steps(b, op->in[0].tensor),
                              all_steps(b, op->in[1].tensor), like, &b->din[i]);
    mw_id all = all_steps(b, op ? op->in[0].tensor : share);
    return mw_grad_reduce(b->g, "reduce_sum", all, like, &b->din[i]);
}

/* ---- the second scan ---- */

static void add_result(back *b, mw_id inner, mw_id outer)
{
    b->result[b->n_out] = inner;
    b->out[b->n_out++] = outer;
}

static mw_status first_gradient(back *b, int i, mw_id *first)
{
    *first = b->dout[i];
    if (*first != MW_NONE)
        return MW_OK;
    mw_id like = b->op->in[i].tensor;
    MW_TRY(mw_grad_const(b->g, b->g->graph->tensor[like].dtype, 0, first));
    return mw_grad_full(b->g, *first, like, first);
}

static mw_status list_sides(back *b)
{
    b->n_in = b->n_out = 0;
    for (int i = 0; i < b->carries; i++) {
        if (b->dcarry[i] == MW_NONE)
            continue;
        const mw_tensor like = b->g->graph->tensor[b->op->in[i].tensor];
        mw_id out;
        MW_TRY(first_gradient(b, i, &b->in[b->n_in++]));
        MW_TRY(new_tensor(b, "carry", &like, &out));
        add_result(b, b->grad[i], out);
    }
    b->n_carries = b->n_out;
    for (int i = 0; i < b->op->n_in; i++)
        b->in[b->n_in++] = i < b->carries ? b->history[i] : b->op->in[i].tensor;
    for (int o = b->carries; o < b->op->n_out; o++)
        if (b->dstep[o] != MW_NONE)
            b->in[b->n_in++] = b->dout[o];
    for (int i = b->carries; i < b->op->n_in; i++) {
        if (b->grad[i] == MW_NONE || is_invariant(b, i))
            continue;
        const mw_tensor like = b->g->graph->tensor[b->op->in[i].tensor];
        MW_TRY(new_tensor(b, "step", &like, &b->din[i]));
        add_result(b, b->grad[i], b->din[i]);
    }
    for (int k = 0; k < b->n_stacked; k++) {
        stacked *s = &b->stacked[k];
        MW_TRY(new_stack(b, b->made, s->inner, "part", &s->outer));
        add_result(b, s->inner, s->outer);
    }
    return MW_OK;
}

static mw_status go_back(back *b)
{
    bool reverse = mw_op_attr_int(b->op, "reverse", 0) != 0;
    mw_graph *body;
    MW_TRY(collect(b));
    MW_TRY(list_sides(b));
    if (b->n_out > 0) {
        MW_TRY(new_body(b, "back", &body));
        MW_TRY(mw_body_part(b->made, b->result, b->n_out, body));
        MW_TRY(add_scan(b, body, b->n_carries, !reverse));
    }
    for (int i = 0, k = 0; i < b->carries; i++)
        if (b->dcarry[i] != MW_NONE)
            b->din[i] = b->out[k++];
    for (int i = b->carries; i < b->op->n_in; i++)
        if (b->grad[i] != MW_NONE && is_invariant(b, i))
            MW_TRY(sum_steps(b, i));
    return MW_OK;
}

mw_status mw_scan_grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                       mw_id din[])
{
    back *b = MW_NEW(g->graph->arena, back);
    if (!b)
        return MW_ENOMEM;
    *b = (back){.g = g,
                .op = op,
                .body = mw_scan_body(op),
                .dout = dout,
                .din = din,
                .carries = mw_scan_carries(op)};
    if (op->n_in > MAX_STACKED || op->n_out > MAX_STACKED)
        return mw_fail(g->ctx, MW_EINPUT,
                       "'%s' has more than %d operands or results, which is "
                       "too many for a gradient",
                       op->name, MAX_STACKED);
    (void)mw_body_inputs(b->body, b->input, MAX_STACKED);
    b->copy = MW_NEW_ARRAY(g->graph->arena, b->body->n_tensors, mw_id);
    b->grad = MW_NEW_ARRAY(g->graph->arena, op->n_in, mw_id);
    if (!b->copy || !b->grad)
        return MW_ENOMEM;
    MW_TRY(find_dim(b));
    MW_TRY(keep_history(b));
    MW_TRY(new_body(b, "draft", &b->made));
    MW_TRY(add_inputs(b));
    MW_TRY(copy_ops(b));
    MW_TRY(step_back(b));
    return go_back(b);
}
