/*
 * reduce.h - exact reductions of a net: what is left has an optimum of the same
 * cost, and every optimum of it expands to one of the problem.
 *
 * Each reduction can be asked for alone, which is how they are tested. None
 * guesses: a reduction by an incumbent is a matter of fix.h.
 */
#ifndef MW_SEARCH_REDUCE_H
#define MW_SEARCH_REDUCE_H

#include "search/net.h"

typedef enum mw_reduction {
    MW_REDUCE_SINGLE = 1,    /* nodes with one strategy */
    MW_REDUCE_SETTLE = 2,    /* line minima move to nodes, forbidden strategies
                                go, edges that say nothing go */
    MW_REDUCE_ELIMINATE = 4, /* nodes of degree 0 to 2 that take no memory */
    MW_REDUCE_FOLLOW = 8,    /* nodes that a neighbour determines */
    MW_REDUCE_LEAF = 16,     /* nodes of degree 0 or 1 with one best strategy,
                                in cost and memory, for each neighbour's */
    MW_REDUCE_DOMINATE = 32, /* strategies that another beats everywhere */
    MW_REDUCE_ROWS = 64,     /* rows that never bind or follow from another,
                                strategies that do not fit */
    MW_REDUCE_ALL = 127,
} mw_reduction;

/* Reduces to a fixed point. net->infeasible tells that nothing is left. */
mw_status mw_reduce(mw_net *net, unsigned which) MW_MUST_CHECK;

/* The parts, each on one node; `changed` is set when the node is to be looked
 * at again or is gone. */
mw_status mw_reduce_settle(mw_net *net, int32_t node,
                           bool *changed) MW_MUST_CHECK;
mw_status mw_reduce_single(mw_net *net, int32_t node,
                           bool *changed) MW_MUST_CHECK;
mw_status mw_reduce_eliminate(mw_net *net, int32_t node,
                              bool *changed) MW_MUST_CHECK;
mw_status mw_reduce_follow(mw_net *net, int32_t node,
                           bool *changed) MW_MUST_CHECK;
mw_status mw_reduce_leaf(mw_net *net, int32_t node,
                         bool *changed) MW_MUST_CHECK;
mw_status mw_reduce_dominate(mw_net *net, int32_t node,
                             bool *changed) MW_MUST_CHECK;

/* And on all rows; misfits are strategies that alone overrun a row. */
mw_status mw_reduce_misfits(mw_net *net, bool *changed) MW_MUST_CHECK;
mw_status mw_reduce_rows(mw_net *net, bool *changed) MW_MUST_CHECK;

#endif
