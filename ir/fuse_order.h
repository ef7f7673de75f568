/*
 * fuse_order.h - small updates (of a bias, a norm's scale) step back behind
 * the maps and reductions that follow them, so that these meet in groups. Used
 * by ir/fuse.c only.
 */
#ifndef MW_IR_FUSE_ORDER_H
#define MW_IR_FUSE_ORDER_H

#include "ir/graph.h"

/* The graph in that order; itself where nothing moves. */
mw_status mw_fuse_order(const mw_graph *from, mw_arena *arena,
                        const mw_graph **made) MW_MUST_CHECK;

#endif
