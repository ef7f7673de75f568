/*
 * graph_copy.h - a named graph made anew from another: all of it, to go on
 * building, or what its outputs and updates need.
 */
#ifndef MW_IR_GRAPH_COPY_H
#define MW_IR_GRAPH_COPY_H

#include "ir/graph.h"

/* Copies a named graph into `to`, an initialised empty one. Dimensions keep
 * their ids. live: only ops that an output or an update depends on, with their
 * tensors in the order they come up; else everything as it stands. tensor[]:
 * of each tensor of `from`, its id in `to` or MW_NONE; or NULL. Values are
 * borrowed. `interferes` is left to the caller. */
mw_status mw_graph_copy(const mw_graph *from, bool live, mw_graph *to,
                        mw_id tensor[]) MW_MUST_CHECK;

/* Its dimensions, which keep their ids, and its conditions. */
mw_status mw_graph_copy_frame(const mw_graph *from, mw_graph *to) MW_MUST_CHECK;

#endif
