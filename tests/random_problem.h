/*
 * random_problem.h - small random layout problems for the suites of the search.
 *
 * Every kind of structure that a reduction looks for turns up: forbidden costs,
 * bijections, functions, parallel edges, separable matrices, several terms a
 * node, common intervals, single strategies, rows with limits of their own.
 */
#ifndef MW_TESTS_RANDOM_PROBLEM_H
#define MW_TESTS_RANDOM_PROBLEM_H

#include "search/problem.h"

typedef struct mw_random_shape {
    int max_nodes, max_strategies, max_edges;
    bool memory, forbidden;
    int64_t unit; /* costs are multiples of it, 0 to 9 of them */
} mw_random_shape;

/* Fills a problem that mw_problem_init() has set up. */
mw_status mw_random_problem(mw_problem *problem, const mw_random_shape *shape,
                            uint64_t *state);

#endif
