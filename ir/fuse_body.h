/*
 * fuse_body.h - the body of a group: its members over what they read and leave.
 * Used by ir/fuse*.c and ir/attend.c only.
 */
#ifndef MW_IR_FUSE_BODY_H
#define MW_IR_FUSE_BODY_H

#include "ir/fuse_groups.h"

/* A tensor of the graph, and of the body. */
typedef struct mw_fuse_known {
    mw_id outer, inner;
} mw_fuse_known;

typedef struct mw_fuse_body {
    mw_fuse_groups *groups;
    const mw_fuse_group *group;
    mw_graph *body; /* its name is left to the caller */
    int n_in, n_out, n_inner;
    mw_id in[MW_FUSED_IN], out[MW_FUSED_OUT]; /* tensors of the graph */
    int n_known;
    mw_fuse_known known[MW_FUSED_TENSORS];
} mw_fuse_body;

mw_status mw_fuse_body_make(mw_fuse_groups *groups, const mw_fuse_group *group,
                            mw_arena *arena, mw_fuse_body *b) MW_MUST_CHECK;

#endif
