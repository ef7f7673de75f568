/* pad.c - a value before and after the elements of a dim. */
#include "base/checked.h"
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/slab.h"

static mw_status check_bounds(const mw_graph *graph, const mw_op *op,
                              int64_t size, int64_t *padded)
{
    int64_t before = mw_op_attr_int(op, "before", 0);
    int64_t after = mw_op_attr_int(op, "after", 0), total = 0;
    if (before < 0 || after < 0 || !mw_add_fits(size, before, &total) ||
        !mw_add_fits(total, after, &total))
        return mw_op_fail(graph, op,
                          "%lld before and %lld after, wanted at least 0",
                          (long long)before, (long long)after);
    *padded = total;
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    int64_t size = 0;
    int axis;
    MW_TRY(mw_rule_axis(graph, op, in->rank, &axis));
    MW_TRY(check_bounds(graph, op, in->axis[axis].size, &size));
    MW_TRY(mw_letters_of_input(graph, op, 0));
    out->dtype = in->dtype;
    for (int a = 0; a < in->rank; a++) {
        int8_t letter = op->in[0].letter[a];
        bool grows = a == axis && size != in->axis[a].size;
        if (grows && size == 1)
            letter = MW_NONE;
        else if (grows && letter == MW_NONE)
            MW_TRY(mw_letter_add(
                graph, op, (mw_letter){.dim = MW_NONE, .size = size}, &letter));
        else if (grows) {
            op->letter[letter].size = size;
            op->in[0].window |= 1u << a;
        }
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *in = mw_op_in(graph, op, 0), *to = mw_op_out(graph, op);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int out_axis = mw_tensor_axis(to, dim), axis;
    int64_t size = 0;
    if (out_axis == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", to->name,
                          graph->dim[dim].name);
    MW_TRY(mw_rule_out_dtype(graph, op, in->dtype));
    MW_TRY(mw_bind_odd_axis(graph, op, in, to, out_axis, &axis));
    MW_TRY(check_bounds(graph, op, axis == MW_NONE ? 1 : in->axis[axis].size,
                        &size));
    if (size != to->axis[out_axis].size)
        return mw_op_fail(graph, op, "'%s' becomes %lld, wanted %lld",
                          graph->dim[dim].name, (long long)size,
                          (long long)to->axis[out_axis].size);
    uint32_t skip = axis == MW_NONE ? 0 : 1u << axis;
    MW_TRY(mw_bind_axes(graph, op, &op->in[0], skip));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    MW_TRY(mw_bind_no_reduced(graph, op));
    if (axis == MW_NONE)
        return MW_OK;
    return mw_bind_window(graph, op, 0, axis, op->out[0].letter[out_axis]);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    int64_t before = mw_op_attr_int(op, "before", 0);
    int64_t after = mw_op_attr_int(op, "after", 0);
    int axis;
    MW_TRY(mw_rule_axis(placed, op, mw_op_in(placed, op, 0)->rank, &axis));
    if (before == 0 && after == 0)
        return mw_lower_to(lowering, spec, "rename");
    mw_lowered_axis flat =
        mw_lower_axis(named, lowering, op->out[0].tensor,
                      lowering->named[op->out[0].tensor], axis);
    if (flat.count == 0)
        return mw_op_fail(placed, op, "an empty axis becomes 1: not supported");
    if (before % flat.unit || after % flat.unit)
        return mw_op_fail(placed, op,
                          "axis %d is several dims, and its bounds "
                          "do not fall between them",
                          axis);
    before /= flat.unit;
    after /= flat.unit;
    int64_t dim = flat.dim;
    const mw_attr attr[] = {
        mw_attr_of_int("dim", MW_ATTR_DIM, &dim),
        mw_attr_of_int("before", MW_ATTR_INT, &before),
        mw_attr_of_int("after", MW_ATTR_INT, &after),
        {.name = "value",
         .kind = MW_ATTR_FLOAT,
         .f = mw_op_attr_float(op, "value", 0)},
    };
    return mw_lower_attrs(lowering, spec, attr, 4);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    int64_t before = mw_op_attr_int(op, "before", 0);
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    return mw_span_clip((mw_span){block.lo - before, block.hi - before}, size);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    int64_t before = mw_op_attr_int(op, "before", 0);
    mw_number value = {.f = mw_op_attr_float(op, "value", 0)};
    mw_slab slab;
    mw_slab_init(&slab, op, in, out);
    int axis = mw_slab_axis(op, 0);
    int64_t size = axis == MW_NONE ? 1 : in->whole[axis];
    value = mw_number_cast(value, MW_F64, out->dtype);
    for (int64_t k = 0; k < mw_slab_count(&slab); k++) {
        int64_t from = mw_slab_first(&slab) + k - before;
        if (slab.letter == MW_NONE)
            from = 0;
        if (from < 0 || from >= size || !mw_slab_copy(&slab, 0, in, from, k))
            mw_slab_fill(&slab, k, value);
    }
}

static bool is_linear(const mw_graph *graph, const mw_op *op)
{
    (void)graph;
    double value = mw_op_attr_float(op, "value", 0);
    return !(value < 0 || value > 0 || value != value);
}

// The slice that it was.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor;
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int axis = mw_slab_axis(op, 0);
    int64_t count = axis == MW_NONE ? 1 : g->graph->tensor[in].axis[axis].size;
    const mw_grad_cut cut = {
        .dim = dim, .start = mw_op_attr_int(op, "before", 0), .count = count};
    return mw_grad_slice(g, dout[0], in, &cut, &din[0]);
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, false},
    {"before", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {"after", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {"value", MW_ATTR_FLOAT, MW_ATTR_BOTH, true},
    {0},
};

const mw_op_def mw_op_pad = {
    .name = "pad",
    .brief = "a value before and after the elements of a dim",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .keeps_axes = true,
    .place = place,
    .bind = bind,
    .lower = lower,
    .linear = {1},
    .is_linear = is_linear,
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ndim c = 11 of b by pad\n"
            "input x : f32[a, b]\n"
            "y = pad(x, dim=c, before=2, after=3, value=0) : f32[a, c]\n"
            "output y\n",
            "model m\ndim a = 5\ndim c = 7\ninput x : f32[a]\n"
            "y = pad(x, dim=c, before=4, after=2, value=1.5) : f32[c, a]\n"
            "output y\n",
            NULL,
        },
};
