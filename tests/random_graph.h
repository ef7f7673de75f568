/*
 * random_graph.h - small random graphs and a cost model of their own, for the
 * suites of the layout search.
 *
 * Every graph has a contraction, a value with two uses, a reduction, and sizes
 * that meshes of 2, 3 and 4 do not divide.
 */
#ifndef MW_TESTS_RANDOM_GRAPH_H
#define MW_TESTS_RANDOM_GRAPH_H

#include "ir/cost.h"

/* Fills an empty graph with n_ops ops, 4 at least. */
mw_status mw_random_graph(mw_graph *graph, int n_ops, uint64_t *state);

/* Latencies and rates that differ between mesh axes. */
mw_costs mw_random_costs(void);

#endif
