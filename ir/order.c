/* order.c - the place of each element is counted: n * n comparisons. */
#include "ir/order.h"

#include <math.h>

#include "ir/rule.h"

static int compare_floats(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

int mw_order_compare(mw_class class, mw_number a, mw_number b)
{
    if (class == MW_CLASS_FLOAT)
        return compare_floats(a.f, b.f);
    if (class == MW_CLASS_SIGNED)
        return (a.i > b.i) - (a.i < b.i);
    return (a.u > b.u) - (a.u < b.u);
}

mw_status mw_order_bind_indices(const mw_graph *graph, const mw_op *op)
{
    const mw_tensor *indices = &graph->tensor[op->out[1].tensor];
    if (indices->dtype != MW_I64)
        return mw_op_fail(graph, op, "'%s' is %s, wanted i64", indices->name,
                          mw_dtype_name(indices->dtype));
    return MW_OK;
}

// How many elements come before element i.
static int64_t place_of(const mw_lane *in, int64_t i, bool descending)
{
    mw_class class = mw_dtype_class(in->dtype);
    mw_number x = mw_lane_load(in, i);
    int64_t place = 0;
    for (int64_t k = 0; k < in->whole; k++) {
        int order = mw_order_compare(class, mw_lane_load(in, k), x);
        if (descending)
            order = -order;
        place += order < 0 || (order == 0 && k < i);
    }
    return place;
}

void mw_order_lane(const mw_lane *in, const mw_lane out[], bool descending)
{
    int64_t start = out[0].start, end = start + out[0].size;
    for (int64_t i = 0; start < end && i < in->whole; i++) {
        int64_t place = place_of(in, i, descending);
        if (place < start || place >= end)
            continue;
        mw_lane_store(&out[0], place, mw_lane_load(in, i));
        mw_lane_store(&out[1], place, (mw_number){.i = i});
    }
}

bool mw_order_descends(const mw_op *op)
{
    bool sorts = mw_op_attr_rule(op->def, "descending", MW_ATTR_BOTH) != NULL;
    return sorts ? mw_op_attr_int(op, "descending", 0) != 0
                 : mw_op_attr_int(op, "largest", 1) != 0;
}

// The axis of the input's lanes; MW_NONE where they have one element.
static int lane_axis(const mw_graph *graph, const mw_op *op)
{
    for (int a = 0; a < mw_op_in(graph, op, 0)->rank; a++) {
        int letter = op->in[0].letter[a];
        if (op->in[0].window & 1u << a ||
            (letter != MW_NONE && !mw_op_letter_in_output(op, letter)))
            return a;
    }
    return MW_NONE;
}

int64_t mw_order_workspace(const mw_graph *graph, const mw_op *op,
                           const int64_t extent[MW_MAX_LETTERS])
{
    const int64_t item = 3 * (int64_t)sizeof(int64_t);
    (void)extent;
    int axis = lane_axis(graph, op);
    int64_t n = axis == MW_NONE ? 1 : mw_op_in(graph, op, 0)->axis[axis].size;
    return n < INT64_MAX / item ? n * item : 0;
}

double mw_order_flops(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[MW_MAX_LETTERS])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    int axis = lane_axis(graph, op);
    double size = axis == MW_NONE ? 1 : (double)in->axis[axis].size;
    double lanes = 1;
    for (int a = 0; a < in->rank; a++) {
        if (a != axis && op->in[0].letter[a] != MW_NONE)
            lanes *= (double)extent[op->in[0].letter[a]];
    }
    return lanes * size * log2(size + 1);
}
