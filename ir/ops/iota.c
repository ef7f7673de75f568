/* iota.c - 0, 1, 2, … along a dim, the same along the others. */
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

static mw_status check_dtype(const mw_graph *graph, const mw_op *op,
                             mw_dtype dtype)
{
    if (dtype == MW_BOOL)
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_attr *shape = mw_op_attr(op, "shape");
    int axis;
    out->dtype = mw_op_attr(op, "to")->dtype;
    MW_TRY(check_dtype(graph, op, out->dtype));
    MW_TRY(mw_rule_axis(graph, op, shape->n, &axis));
    MW_TRY(mw_place_shape(graph, op, shape, out));
    int8_t letter = op->out[0].letter[axis];
    if (letter != MW_NONE)
        op->letter[letter].whole = true;
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *out = mw_op_out(graph, op);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    MW_TRY(check_dtype(graph, op, out->dtype));
    if (dim != MW_NONE && mw_tensor_axis(out, dim) == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", out->name,
                          graph->dim[dim].name);
    return mw_bind_letters(graph, op);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    mw_id made = op->out[0].tensor;
    int axis;
    MW_TRY(mw_rule_axis(placed, op, placed->tensor[made].rank, &axis));
    mw_lowered_axis flat =
        mw_lower_axis(named, lowering, made, spec->out[0], axis);
    if (flat.count > 1)
        return mw_op_fail(placed, op, "axis %d is several dims", axis);
    int64_t dim = flat.dim;
    const mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    return mw_lower_attrs(lowering, spec, &attr, flat.count);
}

// The axis along which it counts, by place or by dim; MW_NONE where that has
// one element.
static int counted_axis(const mw_op *op)
{
    const mw_attr *axis = mw_op_attr(op, "axis"), *dim = mw_op_attr(op, "dim");
    if (axis) {
        int rank = mw_op_attr(op, "shape")->n;
        return (int)(axis->i[0] < 0 ? axis->i[0] + rank : axis->i[0]);
    }
    for (int a = 0; dim && a < MW_MAX_RANK; a++) {
        int letter = op->out[0].letter[a];
        if (letter != MW_NONE && op->letter[letter].dim == dim->i[0])
            return a;
    }
    return MW_NONE;
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    (void)in;
    int axis = counted_axis(op);
    int64_t n = mw_view_elements(out);
    int64_t step = axis == MW_NONE ? 1 : mw_view_stride(out, axis);
    for (int64_t k = 0; k < n; k++) {
        int64_t i =
            axis == MW_NONE ? 0 : k / step % out->size[axis] + out->start[axis];
        mw_number x = mw_number_cast((mw_number){.i = i}, MW_I64, out->dtype);
        mw_numbers_store(out->dtype, out->data, k, 1, 1, &x);
    }
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"shape", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {"to", MW_ATTR_DTYPE, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
    {0},
};

const mw_op_def mw_op_iota = {
    .name = "iota",
    .brief = "0, 1, 2, … along a dim, the same along the others",
    .family = "index",
    .min_in = 0,
    .max_in = 0,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .flops = 1,
    .ref = ref,
    .samples =
        (const char *const[]){
            "model m\ndim a = 3\ndim b = 11\n"
            "y = iota(dim=b) : i64[a, b]\noutput y\n",
            "model m\ndim a = 3\ndim b = 11\n"
            "y = iota(dim=b) : f32[b, a]\noutput y\n",
            "model m\ndim a = 3\ny = iota() : i32[a]\noutput y\n",
            NULL,
        },
};
