/*
 * net_export.h - what is left of a net as a problem, for a solver to finish.
 *
 * Costs are in the net's unit, without its constant; rows become rows with
 * limits of their own. The net's vectors are borrowed.
 */
#ifndef MW_SEARCH_NET_EXPORT_H
#define MW_SEARCH_NET_EXPORT_H

#include "search/net.h"

/* Fills a problem that mw_problem_init() has set up; node_of, with room for
 * n_nodes_left, gets the net's number of each node. The net must be reduced:
 * no finite cost may have grown beyond MW_NET_FINITE. */
mw_status mw_net_export(const mw_net *net, mw_problem *problem,
                        int32_t *node_of) MW_MUST_CHECK;

#endif
