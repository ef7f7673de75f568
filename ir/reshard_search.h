/*
 * reshard_search.h - the cheapest paths from one layout to all others. Used by
 * ir/reshard.c only.
 */
#ifndef MW_IR_RESHARD_SEARCH_H
#define MW_IR_RESHARD_SEARCH_H

#include "ir/reshard_space.h"

/* A node's best path so far, ordered by time, bytes, steps. */
typedef struct mw_label {
    int64_t time_ps, bytes;
    int32_t steps;
    int32_t from;    /* node before it */
    int64_t between; /* the largest block on the way, both ends left out */
    mw_way way;
    uint8_t kind, axes;
} mw_label;

/* The paths from one source within one bound. */
typedef struct mw_path_tree {
    struct mw_path_tree *next;
    int64_t cap_bytes;
    int32_t source;
    mw_label *label; /* of each node; steps < 0: not reached */
} mw_path_tree;

/* Fills the labels of a tree of which source, cap_bytes and room for n_nodes
 * labels are set. */
mw_status mw_path_tree_grow(mw_ctx *ctx, mw_space *space,
                            mw_path_tree *tree) MW_MUST_CHECK;

#endif
