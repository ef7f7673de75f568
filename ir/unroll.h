/*
 * unroll.h - the steps of scans one by one, as ops of the graph.
 *
 * A scan has one layout for all its steps, and may be split only along
 * dimensions that its step does not mix. Its steps as ops of their own are
 * split like any others, each with what it has to exchange: the hidden
 * dimension of a recurrent cell too. The price is a graph as many times as
 * large as there are steps.
 */
#ifndef MW_IR_UNROLL_H
#define MW_IR_UNROLL_H

#include "ir/graph.h"

/* to: an empty initialised graph; from: a named one. */
mw_status mw_unroll(const mw_graph *from, mw_graph *to) MW_MUST_CHECK;

#endif
