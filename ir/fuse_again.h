/*
 * fuse_again.h - what a group leaves for others, and they had better compute
 * again from what is there: it is neither written nor kept. Used by ir/fuse.c
 * only.
 */
#ifndef MW_IR_FUSE_AGAIN_H
#define MW_IR_FUSE_AGAIN_H

#include "ir/fuse_groups.h"

/* Sets, of tensors of groups->graph, gone[t]: such a one; leaves[t]: a group
 * leaves it for others. *any: there are some. Clear at first. */
mw_status mw_fuse_find_again(mw_fuse_groups *groups, mw_arena *arena,
                             bool gone[], bool leaves[],
                             bool *any) MW_MUST_CHECK;

/* The graph in which every group that reads one has its own ops for it, its
 * twins. to: an empty initialised one. */
mw_status mw_fuse_write_again(const mw_fuse_groups *groups, const bool gone[],
                              const bool leaves[], mw_graph *to,
                              const bool **twins) MW_MUST_CHECK;

#endif
