/* concat.c - operands one after another along a dim. */
#include "base/checked.h"
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/slab.h"

static mw_status join_sizes(const mw_graph *graph, const mw_op *op, int axis,
                            int64_t *total)
{
    const mw_tensor *first = mw_op_in(graph, op, 0);
    int64_t sum = 0;
    for (int i = 0; i < op->n_in; i++) {
        const mw_tensor *in = mw_op_in(graph, op, i);
        if (in->rank != first->rank)
            return mw_op_fail(graph, op, "operand %d has %d axes, wanted %d", i,
                              in->rank, first->rank);
        for (int a = 0; a < in->rank; a++) {
            if (a != axis && in->axis[a].size != first->axis[a].size)
                return mw_op_fail(graph, op,
                                  "operand %d axis %d is %lld, wanted %lld", i,
                                  a, (long long)in->axis[a].size,
                                  (long long)first->axis[a].size);
        }
        if (!mw_add_fits(sum, in->axis[axis].size, &sum))
            return mw_op_fail(graph, op, "axis %d overflows 63 bits", axis);
    }
    *total = sum;
    return MW_OK;
}

// The operand's axis is a window of the joined letter. An empty operand of a
// result of size 1, which has no letter, gets one of its own.
static mw_status place_joined(const mw_graph *graph, mw_op *op, int i, int axis,
                              int8_t joined)
{
    int64_t size = mw_op_in(graph, op, i)->axis[axis].size;
    if (size == 1)
        return MW_OK;
    if (joined == MW_NONE)
        return mw_letter_add(graph, op,
                             (mw_letter){.dim = MW_NONE, .size = size},
                             &op->in[i].letter[axis]);
    op->in[i].letter[axis] = joined;
    op->in[i].window |= 1u << axis;
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *first = mw_op_in(graph, op, 0);
    int64_t total = 0;
    int axis;
    MW_TRY(mw_rule_same_dtype(graph, op, 0, &out->dtype));
    MW_TRY(mw_rule_axis(graph, op, first->rank, &axis));
    MW_TRY(join_sizes(graph, op, axis, &total));
    for (int a = 0; a < first->rank; a++) {
        int64_t size = a == axis ? total : first->axis[a].size;
        int8_t letter = MW_NONE;
        if (size != 1)
            MW_TRY(mw_letter_add(
                graph, op, (mw_letter){.dim = MW_NONE, .size = size}, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
        for (int i = 0; i < op->n_in; i++) {
            if (a == axis)
                MW_TRY(place_joined(graph, op, i, axis, letter));
            else
                op->in[i].letter[a] = letter;
        }
    }
    return MW_OK;
}

static int64_t joined_size(const mw_graph *graph, const mw_op *op, int i)
{
    int axis = mw_slab_axis(op, i);
    return axis == MW_NONE ? 1 : mw_op_in(graph, op, i)->axis[axis].size;
}

static mw_status bind_input(const mw_graph *graph, mw_op *op, int i,
                            int out_axis)
{
    const mw_tensor *in = mw_op_in(graph, op, i), *to = mw_op_out(graph, op);
    int axis;
    MW_TRY(mw_bind_odd_axis(graph, op, in, to, out_axis, &axis));
    uint32_t skip = axis == MW_NONE ? 0 : 1u << axis;
    MW_TRY(mw_bind_axes(graph, op, &op->in[i], skip));
    int n_other = in->rank - (axis != MW_NONE);
    if (n_other != to->rank - 1)
        return mw_op_fail(graph, op, "'%s' has %d dims besides, wanted %d",
                          in->name, n_other, to->rank - 1);
    if (axis == MW_NONE)
        return MW_OK;
    return mw_bind_window(graph, op, i, axis, op->out[0].letter[out_axis]);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *to = mw_op_out(graph, op);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int out_axis = mw_tensor_axis(to, dim);
    mw_dtype dtype = MW_BOOL;
    if (out_axis == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", to->name,
                          graph->dim[dim].name);
    MW_TRY(mw_rule_same_dtype(graph, op, 0, &dtype));
    MW_TRY(mw_rule_out_dtype(graph, op, dtype));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    int64_t total = 0;
    for (int i = 0; i < op->n_in; i++) {
        MW_TRY(bind_input(graph, op, i, out_axis));
        if (!mw_add_fits(total, joined_size(graph, op, i), &total))
            return mw_op_fail(graph, op, "'%s' overflows 63 bits",
                              graph->dim[dim].name);
    }
    MW_TRY(mw_bind_no_reduced(graph, op));
    if (total != to->axis[out_axis].size)
        return mw_op_fail(graph, op, "'%s' is %lld, wanted %lld",
                          graph->dim[dim].name,
                          (long long)to->axis[out_axis].size, (long long)total);
    return MW_OK;
}

// Empty operands are dropped.
static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    int axis;
    MW_TRY(mw_rule_axis(placed, op, mw_op_in(placed, op, 0)->rank, &axis));
    mw_id *in = MW_NEW_ARRAY(lowering->arena, op->n_in, mw_id);
    if (!in)
        return MW_ENOMEM;
    int n = 0;
    for (int i = 0; i < op->n_in; i++) {
        if (mw_op_in(placed, op, i)->axis[axis].size > 0)
            in[n++] = spec->in[i];
    }
    if (n == 0)
        in[n++] = spec->in[0];
    spec->in = in;
    spec->n_in = n;
    mw_lowered_axis flat =
        mw_lower_axis(named, lowering, op->out[0].tensor,
                      lowering->named[op->out[0].tensor], axis);
    if (n == 1)
        return mw_lower_to(lowering, spec, "rename");
    int64_t dim = flat.dim;
    const mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    return mw_lower_attrs(lowering, spec, &attr, 1);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    int64_t before = 0;
    for (int i = 0; i < operand; i++)
        before += joined_size(graph, op, i);
    return mw_span_clip((mw_span){block.lo - before, block.hi - before},
                        mw_op_in(graph, op, operand)->axis[axis].size);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_slab slab;
    mw_slab_init(&slab, op, in, out);
    int64_t before = 0;
    for (int i = 0; i < op->n_in; i++) {
        int axis = mw_slab_axis(op, i);
        int64_t size = axis == MW_NONE ? 1 : in[i].whole[axis];
        for (int64_t k = 0; k < mw_slab_count(&slab); k++) {
            int64_t from = mw_slab_first(&slab) + k - before;
            if (from >= 0 && from < size)
                (void)mw_slab_copy(&slab, i, &in[i], from, k);
        }
        before += size;
    }
}

// To each operand its slice.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int64_t before = 0;
    for (int i = 0; i < op->n_in; i++) {
        int64_t count = joined_size(g->graph, op, i);
        if (mw_grad_wants(g, i))
            MW_TRY(mw_grad_slice(g, dout[0], op->in[i].tensor,
                                 &(mw_grad_cut){dim, before, count}, &din[i]));
        before += count;
    }
    return MW_OK;
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, false},
    {0},
};

const mw_op_def mw_op_concat = {
    .name = "concat",
    .brief = "operands one after another along a dim",
    .family = "move",
    .min_in = 1,
    .max_in = -1,
    .attrs = attrs,
    .keeps_axes = true,
    .place = place,
    .bind = bind,
    .lower = lower,
    .linear = {MW_LINEAR_ALL},
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 3\ndim c = 7\n"
            "dim d = 11 of c by concat\n"
            "input x : f32[a, b]\ninput z : f32[a, c]\ninput u : f32[a]\n"
            "y = concat(x, u, z, dim=d) : f32[a, d]\noutput y\n",
            "model m\ndim a = 5\ndim p = 3\n"
            "input x : i32[a]\ninput z : i32[a]\ninput u : i32[a]\n"
            "y = concat(x, z, u, dim=p) : i32[p, a]\noutput y\n",
            NULL,
        },
};
