/*
 * grad_shift.h - reductions to an extreme that only keep numbers small: the
 * largest is taken off before exp, and nothing that comes of it depends on
 * what was taken off (softmax, log-sum-exp). No gradient flows through those.
 */
#ifndef MW_IR_GRAD_SHIFT_H
#define MW_IR_GRAD_SHIFT_H

#include "ir/op.h"

/* Whether results do not change when every element of op k's output is changed
 * by an amount of its own. last[t]: the last of ops [0, last_op) that reads
 * tensor t, or MW_NONE; class: scratch, zeroed, one a tensor, left zeroed.
 * Outputs of the graph count as results, and so does `of`. */
typedef struct mw_shift_class {
    int8_t kind; /* 0: unchanged; 1: x + c; 2: x exp(c) */
    int8_t c;    /* multiple of the change */
} mw_shift_class;
bool mw_grad_is_shift(const mw_graph *graph, int k, mw_id of, const int *last,
                      mw_shift_class *class);

#endif
