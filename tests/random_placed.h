/*
 * random_placed.h - random positional graphs over small integers, and the same
 * graph with its ops in another order.
 */
#ifndef MW_TESTS_RANDOM_PLACED_H
#define MW_TESTS_RANDOM_PLACED_H

#include "ir/graph.h"

/* n_ops ops of every kind but maps of floats; sizes have common factors, so
 * that reshapes fit, and fail to fit. Values are i64: sums are exact. */
mw_status mw_random_placed(mw_graph *graph, int n_ops, uint64_t *state);

/* Ops of `graph` in a random topological order; initialised by the caller. */
mw_status mw_placed_reorder(const mw_graph *graph, mw_graph *other,
                            uint64_t *state);

#endif
