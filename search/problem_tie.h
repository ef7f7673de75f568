/*
 * problem_tie.h - a problem in which some nodes must choose alike: one node for
 * each set of them, with the sums of their costs, edges and memory.
 */
#ifndef MW_SEARCH_PROBLEM_TIE_H
#define MW_SEARCH_PROBLEM_TIE_H

#include "search/problem.h"

/* tie[node]: the first node of its set. Fills an empty problem, and for every
 * node which of the new ones stands for it. Nodes of a set have equally many
 * strategies; two of them that share an edge must be of different sets. */
mw_status mw_problem_tie(const mw_problem *whole, const int32_t *tie,
                         mw_problem *tied, int32_t *node) MW_MUST_CHECK;

#endif
