/*
 * reduction.h - the reductions: what they start from and how two values become
 * one, and the rules and kernel that the reduce_* rows share.
 */
#ifndef MW_IR_REDUCTION_H
#define MW_IR_REDUCTION_H

#include "ir/grad.h"
#include "ir/number.h"
#include "ir/op.h"

/* What an empty reduction gives. */
mw_number mw_reduce_start(mw_reduce reduce, mw_dtype dtype);
mw_number mw_reduce_pair(mw_reduce reduce, mw_dtype dtype, mw_number a,
                         mw_number b);

/* into[k] = into[k] reduced with from[k]: how partial tensors are combined. */
void mw_reduce_into(mw_reduce reduce, mw_dtype dtype, void *into,
                    const void *from, int64_t n);

mw_status mw_reduce_place(mw_graph *graph, mw_op *op,
                          mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_reduce_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
void mw_reduce_ref(const mw_op *op, const mw_view in[], mw_view out[]);

/* Of the greatest and the least: equal ones share in equal parts. */
mw_status mw_reduce_extreme_grad(mw_grad *g, const mw_op *op, mw_id dout,
                                 mw_id *din) MW_MUST_CHECK;

extern const mw_attr_rule mw_reduce_attrs[];

#define MW_REDUCE_ROW                                                          \
    .family = "reduce", .min_in = 1, .max_in = 1, .attrs = mw_reduce_attrs,    \
    .place = mw_reduce_place, .bind = mw_reduce_bind, .ref = mw_reduce_ref,    \
    .flops = 1, .fuses = true

#define MW_REDUCE_SAMPLES(op, type)                                            \
    "model m\ndim a = 5\ndim b = 6\ndim c = 3\n"                               \
    "input x : " type "[a, b, c]\n"                                            \
    "y = " op "(x) : " type "[a, c]\n"                                         \
    "z = " op "(y) : " type "[]\noutput z\n"

#endif
