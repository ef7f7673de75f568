/*
 * grad.c - the walk backwards: each op's rule in turn, from the last to the
 * first, adding up what flows into a tensor. Linear in ops.
 */
#include "ir/grad.h"

#include "ir/grad_shift.h"

typedef struct walk {
    mw_grad *g;
    const mw_grad_want *want;
    int n_tensors; /* when it began: what may have a gradient */
    bool *reaches; /* of each tensor: a wanted one flows into it */
    mw_id *d;      /* gradient so far of each tensor, or MW_NONE */
    int *first;    /* of each tensor: the earliest op that takes it */
    int *last;     /* the latest one, or MW_NONE */
    mw_shift_class *shift;
    int *index; /* of each tensor: its place in wanted, or MW_NONE */
    int cap;    /* of what follows: operands of an op */
    mw_id *dout, *din;
    bool *wants;
} walk;

static bool may_flow(const mw_graph *graph, mw_id t)
{
    return mw_dtype_is_float(graph->tensor[t].dtype);
}

// Forward: what depends on a wanted tensor, and where each is first taken.
static void mark(walk *w)
{
    const mw_graph *graph = w->g->graph;
    for (int t = 0; t < w->n_tensors; t++) {
        w->d[t] = w->index[t] = MW_NONE;
        w->first[t] = w->want->last_op;
        w->last[t] = MW_NONE;
    }
    for (int i = 0; i < w->want->n; i++) {
        w->reaches[w->want->wanted[i]] = true;
        w->index[w->want->wanted[i]] = i;
    }
    for (int k = w->want->first_op; k < w->want->last_op; k++)
        for (int i = 0; i < graph->op[k].n_in; i++) {
            mw_id in = graph->op[k].in[i].tensor;
            w->first[in] = k < w->first[in] ? k : w->first[in];
            w->last[in] = k;
        }
    for (int k = w->want->first_op; k < w->want->last_op; k++) {
        const mw_op *op = &graph->op[k];
        bool any = false;
        for (int i = 0; i < op->n_in; i++)
            any = any || w->reaches[op->in[i].tensor];
        if (any && op->def->shift == MW_SHIFT_TOP)
            any = !mw_grad_is_shift(graph, k, w->want->of, w->last, w->shift);
        for (int i = 0; any && i < op->n_out; i++)
            if (may_flow(graph, op->out[i].tensor))
                w->reaches[op->out[i].tensor] = true;
    }
}

static mw_status add_to(walk *w, mw_id t, mw_id more)
{
    mw_grad *g = w->g;
    MW_TRY(mw_grad_cast(g, more, g->graph->tensor[t].dtype, &more));
    if (w->d[t] == MW_NONE) {
        w->d[t] = more;
        return MW_OK;
    }
    return mw_grad_map2(g, "add", w->d[t], more, &w->d[t]);
}

static mw_status refuse(walk *w, const mw_op *op)
{
    const char *why = op->def->no_grad;
    return mw_fail(w->g->ctx, MW_EINPUT,
                   "op '%s': %s has no gradient%s%s, and the loss depends on "
                   "'%s' through it",
                   op->name, op->def->name, why ? ": " : "", why ? why : "",
                   w->g->graph->tensor[op->in[0].tensor].name);
}

// The gradients of an op's outputs as its rule takes them; false when nothing
// flows.
static mw_status take_dout(walk *w, const mw_op *op, bool *any)
{
    *any = false;
    for (int i = 0; i < op->n_out; i++) {
        mw_id out = op->out[i].tensor;
        w->dout[i] = w->d[out];
        if (w->dout[i] == MW_NONE)
            continue;
        *any = true;
        if (!op->def->grad_thin)
            MW_TRY(mw_grad_full(w->g, w->dout[i], out, &w->dout[i]));
    }
    return MW_OK;
}

static mw_status reserve(walk *w, const mw_op *op)
{
    int n = op->n_in > op->n_out ? op->n_in : op->n_out;
    mw_arena *arena = w->g->graph->arena;
    if (n <= w->cap)
        return MW_OK;
    w->dout = MW_NEW_ARRAY(arena, n, mw_id);
    w->din = MW_NEW_ARRAY(arena, n, mw_id);
    w->wants = MW_NEW_ARRAY(arena, n, bool);
    w->cap = n;
    return w->dout && w->din && w->wants ? MW_OK : MW_ENOMEM;
}

static bool find_wants(walk *w, const mw_op *op)
{
    bool any = false;
    for (int i = 0; i < op->n_in; i++) {
        mw_id in = op->in[i].tensor;
        w->din[i] = MW_NONE;
        w->wants[i] = w->reaches[in] && may_flow(w->g->graph, in);
        any = any || w->wants[i];
    }
    return any;
}

static mw_status walk_op(walk *w, int k)
{
    mw_grad *g = w->g;
    const mw_op op = g->graph->op[k]; /* its operands stay where they are */
    bool any;
    MW_TRY(reserve(w, &op));
    if (!find_wants(w, &op))
        return MW_OK;
    mw_grad_label(g, op.name);
    MW_TRY(take_dout(w, &op, &any));
    if (!any || (!op.def->grad && !op.def->no_grad && !op.def->opaque))
        return MW_OK;
    if (!op.def->grad)
        return refuse(w, &op);
    g->wants = w->wants;
    MW_TRY(op.def->grad(g, &op, w->dout, w->din));
    for (int i = 0; i < op.n_in; i++)
        if (w->din[i] != MW_NONE && w->wants[i])
            MW_TRY(add_to(w, op.in[i].tensor, w->din[i]));
    return MW_OK;
}

// The gradient of a wanted tensor is complete: whole, and told.
static mw_status finish(walk *w, int i, mw_id grad[])
{
    const mw_grad_want *want = w->want;
    mw_id t = want->wanted[i];
    grad[i] = w->d[t];
    if (grad[i] == MW_NONE)
        return MW_OK;
    mw_grad_label(w->g, w->g->graph->tensor[t].name);
    MW_TRY(mw_grad_full(w->g, grad[i], t, &grad[i]));
    return want->done ? want->done(want->arg, i, grad[i]) : MW_OK;
}

static mw_status start(walk *w)
{
    const mw_tensor *of = &w->g->graph->tensor[w->want->of];
    if (of->rank != 0 || !mw_dtype_is_float(of->dtype))
        return mw_fail(w->g->ctx, MW_EINPUT,
                       "'%s' is %s with %d dims, wanted a float without dims "
                       "to take gradients of",
                       of->name, mw_dtype_name(of->dtype), of->rank);
    mw_id seed = w->want->seed;
    if (seed == MW_NONE) {
        mw_grad_label(w->g, of->name);
        MW_TRY(mw_grad_const(w->g, of->dtype, 1, &seed));
    }
    w->d[w->want->of] = seed;
    return MW_OK;
}

// Tensors whose earliest use was op k, as all others are behind.
static mw_status finish_at(walk *w, int k, mw_id grad[])
{
    const mw_op op = w->g->graph->op[k];
    for (int i = 0; i < op.n_in; i++) {
        mw_id in = op.in[i].tensor;
        bool twice = false;
        for (int j = 0; j < i; j++)
            twice = twice || op.in[j].tensor == in;
        if (w->first[in] == k && w->index[in] != MW_NONE && !twice)
            MW_TRY(finish(w, w->index[in], grad));
    }
    return MW_OK;
}

mw_status mw_grad_back(mw_grad *g, const mw_grad_want *want, mw_id grad[])
{
    mw_arena *arena = g->graph->arena;
    int n = g->graph->n_tensors;
    walk w = {.g = g,
              .want = want,
              .n_tensors = n,
              .reaches = MW_NEW_ARRAY(arena, n + 1, bool),
              .d = MW_NEW_ARRAY(arena, n + 1, mw_id),
              .first = MW_NEW_ARRAY(arena, n + 1, int),
              .index = MW_NEW_ARRAY(arena, n + 1, int),
              .last = MW_NEW_ARRAY(arena, n + 1, int),
              .shift = MW_NEW_ARRAY(arena, n + 1, mw_shift_class)};
    if (!w.reaches || !w.d || !w.first || !w.index || !w.last || !w.shift)
        return MW_ENOMEM;
    mark(&w);
    for (int i = 0; i < want->n; i++)
        grad[i] = MW_NONE;
    MW_TRY(start(&w));
    for (int k = want->last_op - 1; k >= want->first_op; k--) {
        MW_TRY(walk_op(&w, k));
        MW_TRY(finish_at(&w, k, grad));
    }
    return MW_OK;
}
