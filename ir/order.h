/*
 * order.h - the order of values that sort and top_k share: NaN lies above all
 * numbers, equal values keep the order of their indices.
 */
#ifndef MW_IR_ORDER_H
#define MW_IR_ORDER_H

#include "ir/lane.h"

/* -1, 0 or 1. */
int mw_order_compare(mw_class class, mw_number a, mw_number b);

/* MW_EINPUT unless the second result, indices, is i64. */
mw_status mw_order_bind_indices(const mw_graph *graph,
                                const mw_op *op) MW_MUST_CHECK;

/* The results' lanes get the elements that come at their places in the order
 * of the input's lane: values, and indices into the whole lane. */
void mw_order_lane(const mw_lane *in, const mw_lane out[], bool descending);

/* The greatest comes first: of a sort `descending`, of a top_k `largest`. */
bool mw_order_descends(const mw_op *op);

/* Room in which a kernel sorts a lane: a number and two indices an element. */
int64_t mw_order_workspace(const mw_graph *graph, const mw_op *op,
                           const int64_t extent[MW_MAX_LETTERS]);

/* Comparisons of sorting the input's lanes. */
double mw_order_flops(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[MW_MAX_LETTERS]);

#endif
