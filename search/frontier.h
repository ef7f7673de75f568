/*
 * frontier.h - an exact search of a small net, breadth first with bounds.
 *
 * Nodes are decided in order. A label is a way to decide the first ones: what
 * it costs, what it takes on each row, and its strategies of the nodes that
 * have undecided neighbours (the frontier). Of two labels with the same
 * frontier the one that costs and takes no less goes; a label whose bound is
 * not below the incumbent goes. After a sweep back of the dual, the bound is
 * the label's own cost at the dual's prices plus the least rests of what is
 * undecided: the edges ahead spare nothing. All in integers.
 */
#ifndef MW_SEARCH_FRONTIER_H
#define MW_SEARCH_FRONTIER_H

#include "search/dual.h"

typedef enum mw_frontier_end {
    MW_FRONTIER_GAVE_UP, /* too many labels, or late */
    MW_FRONTIER_BETTER,  /* an optimum that is better than the incumbent */
    MW_FRONTIER_NONE,    /* nothing is better */
} mw_frontier_end;

/* Seeks the cheapest choice that costs less than the incumbent by at least one
 * of the problem's units; current, by node of the net, is filled when there is
 * one. The net stays as it is. */
mw_status mw_frontier_search(mw_net *net, mw_incumbent *incumbent,
                             const mw_deadline *deadline, int64_t max_labels,
                             int32_t *current,
                             mw_frontier_end *end) MW_MUST_CHECK;

#endif
