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

/* Adds what an op of another graph does, with its attributes, to operands and
 * results of `to`, as mw_graph_bind() does. name NULL: the op's own. */
mw_status mw_graph_bind_as(mw_graph *to, const mw_op *op, const char *name,
                           const mw_id in[], const mw_id out[],
                           mw_id *made) MW_MUST_CHECK;

/* The first of name, name + joint + next, name + joint + (next + 1), … that no
 * tensor of either graph has; in the arena of `to`. */
mw_status mw_graph_new_name(const mw_graph *from, const mw_graph *to,
                            const char *name, const char *joint, int next,
                            const char **made) MW_MUST_CHECK;

#endif
