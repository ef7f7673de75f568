/*
 * pool.h - pooling: one value of each window of the input, and what flows back
 * from it. A spatial dim of the result is split by windows on the operands'.
 *
 * Output o and tap t along an axis are at input o * stride + t * dilation -
 * pad_begin. With `ceil` a last window may pass the padding's end, if it begins
 * before it. Taps outside the input are no part of a window; an average also
 * counts those in the padding with `count_pads`.
 */
#ifndef MW_IR_POOL_H
#define MW_IR_POOL_H

#include "ir/op.h"
#include "ir/reduction.h"

enum { MW_POOL_SPATIAL = 3 };

typedef struct mw_pool_axis {
    int in_axis, out_axis; /* of the pooled tensor, of the values; MW_NONE */
    int64_t taps, stride, dilation, pad_begin, pad_end;
} mw_pool_axis;

/* How many there are. */
int mw_pool_axes(const mw_op *op, mw_pool_axis axis[MW_POOL_SPATIAL]);

/* pool_max, pool_sum, pool_average: from the input to the values. */
mw_status mw_pool_place(mw_graph *graph, mw_op *op,
                        mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_pool_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
mw_span mw_pool_window(const mw_graph *graph, const mw_op *op, int operand,
                       int axis, mw_span block);
/* The row's `reduce` over each window. */
void mw_pool_ref(const mw_op *op, const mw_view in[], mw_view out[]);

/* Their gradients: the last operand is what flows back to the values, the
 * result is of the pooled tensor's shape, before it stands that tensor if there
 * are two. A placed op of one operand takes the sizes as `sizes`. */
mw_status mw_unpool_place(mw_graph *graph, mw_op *op,
                          mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_unpool_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
mw_span mw_unpool_window(const mw_graph *graph, const mw_op *op, int operand,
                         int axis, mw_span block);
void mw_unpool_ref(const mw_op *op, const mw_view in[], mw_view out[]);

mw_status mw_pool_lower(mw_graph *named, const mw_graph *placed,
                        const mw_op *op, const mw_lowering *lowering,
                        mw_op_spec *spec) MW_MUST_CHECK;

/* A row's grad: appends `def`, with the same windows. */
mw_status mw_pool_grad(struct mw_grad *g, const mw_op *op, const char *def,
                       const mw_id in[], int n_in, mw_id *y) MW_MUST_CHECK;

/* A window's taps, one operation each. */
double mw_pool_flops(const mw_graph *graph, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS]);

#define MW_POOL_ATTRS                                                          \
    {"kernel", MW_ATTR_INTS, MW_ATTR_BOTH, false},                             \
        {"strides", MW_ATTR_INTS, MW_ATTR_BOTH, false},                        \
        {"dilations", MW_ATTR_INTS, MW_ATTR_BOTH, false},                      \
        {"pads_begin", MW_ATTR_INTS, MW_ATTR_BOTH, false},                     \
        {"pads_end", MW_ATTR_INTS, MW_ATTR_BOTH, false},                       \
        {"ceil", MW_ATTR_INT, MW_ATTR_BOTH, true},                             \
        {"in_axes", MW_ATTR_INTS, MW_ATTR_BOTH, false},                        \
    {                                                                          \
        "out_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false                         \
    }
#define MW_POOL_AVERAGE_ATTRS                                                  \
    MW_POOL_ATTRS,                                                             \
    {                                                                          \
        "count_pads", MW_ATTR_INT, MW_ATTR_BOTH, true                          \
    }
#define MW_UNPOOL_SIZES                                                        \
    {                                                                          \
        "sizes", MW_ATTR_INTS, MW_ATTR_PLACED, false                           \
    }

#define MW_POOL_ROW                                                            \
    .family = "window", .min_in = 1, .max_in = 1, .place = mw_pool_place,      \
    .keeps_axes = true, .bind = mw_pool_bind, .lower = mw_pool_lower,          \
    .same_dim = true, .flops_of = mw_pool_flops, .window = mw_pool_window,     \
    .ref = mw_pool_ref
#define MW_UNPOOL_ROW                                                          \
    .family = "window", .place = mw_unpool_place, .bind = mw_unpool_bind,      \
    .lower = mw_pool_lower, .same_dim = true, .flops_of = mw_pool_flops,       \
    .window = mw_unpool_window, .ref = mw_unpool_ref

#endif
