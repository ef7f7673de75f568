/*
 * eval.h - ops and graphs computed on one rank by the reference kernels: for
 * constant folding, and as what every faster or split execution is compared
 * with.
 */
#ifndef MW_IR_EVAL_H
#define MW_IR_EVAL_H

#include "ir/op.h"

/* The whole tensor, at data. */
mw_view mw_view_whole(const mw_tensor *tensor, void *data);

/* Computes out[0..n_out) from in[0..n_in): dense arrays of the op's tensors.
 * Of a placed op or a named one. Only memory can fail. */
mw_status mw_eval_op(const mw_graph *graph, const mw_op *op,
                     const void *const in[], void *const out[]) MW_MUST_CHECK;

/* The values of a parameter or constant, dense and aligned, in the arena or
 * where they are; *bytes NULL when they are not stored.
 * MW_EINPUT: the file is missing or too short. */
mw_status mw_data_bytes(mw_arena *arena, const mw_tensor *tensor,
                        const void **bytes) MW_MUST_CHECK;

/* Sets the values of tensors that no op makes, those that are NULL yet.
 * MW_EINPUT: there are none. */
mw_status mw_eval_stored(mw_arena *arena, const mw_graph *graph,
                         const void *value[]) MW_MUST_CHECK;

/* Computes an op of the graph from value[]; its results are new arrays in the
 * arena. Only memory can fail. */
mw_status mw_eval_step(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                       const void *value[]) MW_MUST_CHECK;

/* Computes every tensor of the graph. value[]: of each tensor; the caller sets
 * those of inputs (and of parameters that are not stored), the rest is NULL and
 * is set, in the arena. MW_EINPUT: a value that is needed is NULL. */
mw_status mw_eval_graph(mw_arena *arena, const mw_graph *graph,
                        const void *value[]) MW_MUST_CHECK;

#endif
