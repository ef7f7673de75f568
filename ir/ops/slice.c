/*
 * slice.c - count elements of a dim from start, step apart. Where the dim is
 * dropped (count 1) it is contracted: the rank that holds the element gives it,
 * the others 0.
 */
#include "base/checked.h"
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/slab.h"

typedef struct bounds {
    int64_t start, step, count;
} bounds;

static bounds bounds_of(const mw_op *op)
{
    return (bounds){
        .start = mw_op_attr_int(op, "start", 0),
        .step = mw_op_attr_int(op, "step", 1),
        .count = mw_op_attr_int(op, "count", 0),
    };
}

static bool is_all(bounds b, int64_t size)
{
    return b.start == 0 && b.step == 1 && b.count == size;
}

static mw_status check_bounds(const mw_graph *graph, const mw_op *op,
                              int64_t size)
{
    bounds b = bounds_of(op);
    int64_t last = b.start;
    if (b.step == 0)
        return mw_op_fail(graph, op, "step is 0");
    if (b.count < 0)
        return mw_op_fail(graph, op, "count is %lld, wanted at least 0",
                          (long long)b.count);
    if (b.count == 0)
        return MW_OK;
    bool fits = mw_mul_fits(b.count - 1, b.step, &last) &&
                mw_add_fits(last, b.start, &last);
    if (!fits || b.start < 0 || b.start >= size || last < 0 || last >= size)
        return mw_op_fail(graph, op,
                          "%lld elements from %lld by %lld do not lie within "
                          "%lld",
                          (long long)b.count, (long long)b.start,
                          (long long)b.step, (long long)size);
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    bounds b = bounds_of(op);
    int axis;
    MW_TRY(mw_rule_axis(graph, op, in->rank, &axis));
    MW_TRY(check_bounds(graph, op, in->axis[axis].size));
    MW_TRY(mw_letters_of_input(graph, op, 0));
    out->dtype = in->dtype;
    for (int a = 0; a < in->rank; a++) {
        int8_t letter = op->in[0].letter[a];
        bool cut = a == axis && !is_all(b, in->axis[a].size);
        if (cut && b.count == 1)
            letter = MW_NONE;
        else if (cut && letter == MW_NONE)
            MW_TRY(mw_letter_add(graph, op,
                                 (mw_letter){.dim = MW_NONE, .size = b.count},
                                 &letter));
        else if (cut) {
            op->letter[letter].size = b.count;
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
    bounds b = bounds_of(op);
    int axis = mw_tensor_axis(in, dim), out_axis;
    if (axis == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", in->name,
                          graph->dim[dim].name);
    MW_TRY(check_bounds(graph, op, in->axis[axis].size));
    MW_TRY(mw_rule_out_dtype(graph, op, in->dtype));
    MW_TRY(mw_bind_odd_axis(graph, op, to, in, axis, &out_axis));
    int64_t count = out_axis == MW_NONE ? 1 : to->axis[out_axis].size;
    if (count != b.count)
        return mw_op_fail(graph, op, "count is %lld where '%s' has %lld",
                          (long long)b.count, to->name, (long long)count);
    MW_TRY(mw_bind_axes(graph, op, &op->in[0], 1u << axis));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    MW_TRY(mw_bind_no_reduced(graph, op));
    if (out_axis != MW_NONE)
        return mw_bind_window(graph, op, 0, axis, op->out[0].letter[out_axis]);
    return mw_letter_add(graph, op,
                         (mw_letter){.dim = dim,
                                     .size = in->axis[axis].size,
                                     .pinned = !mw_rule_has_sum(in->dtype)},
                         &op->in[0].letter[axis]);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    const mw_tensor *in = mw_op_in(placed, op, 0);
    bounds b = bounds_of(op);
    int axis;
    MW_TRY(mw_rule_axis(placed, op, in->rank, &axis));
    mw_lowered_axis flat =
        mw_lower_axis(named, lowering, op->in[0].tensor, spec->in[0], axis);
    if (is_all(b, in->axis[axis].size))
        return mw_lower_to(lowering, spec, "rename");
    if (flat.count == 0)
        return mw_lower_to(lowering, spec, "broadcast");
    if (flat.count > 1) {
        if (b.step != 1 || b.start % flat.unit || b.count % flat.unit)
            return mw_op_fail(placed, op,
                              "axis %d is several dims, and its "
                              "bounds do not fall between them",
                              axis);
        b.start /= flat.unit;
        b.count /= flat.unit;
    }
    int64_t dim = flat.dim;
    const mw_attr attr[] = {
        mw_attr_of_int("dim", MW_ATTR_DIM, &dim),
        mw_attr_of_int("start", MW_ATTR_INT, &b.start),
        mw_attr_of_int("step", MW_ATTR_INT, &b.step),
        mw_attr_of_int("count", MW_ATTR_INT, &b.count),
    };
    return mw_lower_attrs(lowering, spec, attr, 4);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    (void)graph;
    (void)operand;
    (void)axis;
    bounds b = bounds_of(op);
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    int64_t first = b.start + block.lo * b.step;
    int64_t last = b.start + (block.hi - 1) * b.step;
    return first < last ? (mw_span){first, last + 1}
                        : (mw_span){last, first + 1};
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    bounds b = bounds_of(op);
    mw_slab slab;
    mw_slab_init(&slab, op, in, out);
    for (int64_t k = 0; k < mw_slab_count(&slab); k++) {
        int64_t from = b.start + (mw_slab_first(&slab) + k) * b.step;
        if (!mw_slab_copy(&slab, 0, in, from, k))
            mw_slab_fill(&slab, k, (mw_number){.u = 0});
    }
}

// Every element at its place: a pad, or where elements were left out a product
// with the table of places.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor, places;
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    bounds b = bounds_of(op);
    if (b.step == 1 || b.count <= 1)
        return mw_grad_pad(g, dout[0], in,
                           &(mw_grad_cut){dim, b.start, b.count}, &din[0]);
    const mw_tensor *from = &g->graph->tensor[in];
    int axis;
    MW_TRY(mw_bind_odd_axis(g->graph, op, mw_op_out(g->graph, op), from,
                            mw_tensor_axis(from, dim), &axis));
    const mw_grad_places where = {.dtype = from->dtype,
                                  .dim = dim,
                                  .of = mw_op_out(g->graph, op)->axis[axis].dim,
                                  .start = b.start,
                                  .step = b.step};
    MW_TRY(mw_grad_place_table(g, &where, &places));
    return mw_grad_einsum(g, dout[0], places, in, &din[0]);
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, false},
    {"start", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {"step", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {"count", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {0},
};

const mw_op_def mw_op_slice = {
    .name = "slice",
    .brief = "count elements of a dim from start, step apart",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .keeps_axes = true,
    .place = place,
    .bind = bind,
    .lower = lower,
    .reduce = MW_REDUCE_SUM,
    .linear = {1},
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 11\ndim c = 4 of b by slice\n"
            "input x : f32[a, b]\n"
            "y = slice(x, dim=b, start=1, step=3, count=4) : f32[a, c]\n"
            "output y\n",
            "model m\ndim a = 5\ndim b = 7\ndim c = 7 of b by slice\n"
            "input x : i64[b, a]\n"
            "y = slice(x, dim=b, start=6, step=-1, count=7) : i64[c, a]\n"
            "output y\n",
            "model m\ndim a = 5\ndim b = 7\ndim c = 3\n"
            "input x : f32[a, b, c]\n"
            "y = slice(x, dim=b, start=2, step=1, count=1) : f32[a, c]\n"
            "output y\n",
            NULL,
        },
};
