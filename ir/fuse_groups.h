/*
 * fuse_groups.h - which ops of a graph become one. Used by ir/fuse*.c only.
 */
#ifndef MW_IR_FUSE_GROUPS_H
#define MW_IR_FUSE_GROUPS_H

#include "ir/fused.h"

typedef struct mw_fuse_group {
    int n;                    /* members; 0: it went into another */
    int member[MW_FUSED_OPS]; /* ops in order; the group stands at the last */
    mw_reduce reduce;
    const mw_op_def *def; /* the op that it becomes; NULL: by `reduce` */
} mw_fuse_group;

typedef struct mw_fuse_groups {
    const mw_graph *graph;
    const bool *twin;     /* of each op: it is there for its readers alone; or
                             NULL */
    mw_fuse_group *group; /* one an op that may be fused, at its index */
    int *of;              /* of each op: its group, or MW_NONE */
    bool *kept;           /* of each tensor: it must exist */
    int *first_user;  /* of each tensor: users[first_user[t]], … of t + 1 */
    int *user;        /* ops in order */
    int *last_use;    /* of each root; n_ops: it stays */
    int *updated_by;  /* of each root: the op that overwrites it, or none */
    bool *partial;    /* of each tensor: it may come as a partial sum */
    int *reader;      /* of each tensor: the last group that reads it */
    int *mark, stamp; /* of each op */
} mw_fuse_groups;

/* groups->graph and twin are set. */
mw_status mw_fuse_find(mw_fuse_groups *groups, mw_arena *arena,
                       const char *const keep[], int n_keep) MW_MUST_CHECK;

/* Users, lives and what is kept; no groups. */
mw_status mw_fuse_uses(mw_fuse_groups *groups, mw_arena *arena,
                       const char *const keep[], int n_keep) MW_MUST_CHECK;

/* The tensor is read outside of its group, or stays for another reason. */
bool mw_fuse_leaves(const mw_fuse_groups *groups, mw_id tensor);

/* A single value that goes into the body. */
bool mw_fuse_is_inner(const mw_fuse_groups *groups, mw_id tensor);

/* May the members of both stand as one group at the later's place? */
bool mw_fuse_fits(mw_fuse_groups *groups, const mw_fuse_group *earlier,
                  const mw_fuse_group *later);

/* Fusing takes no pending sum away: where partial sums of several operands
 * meet, what follows in the group is linear in them, in all results alike. */
bool mw_fuse_keeps_sums(const mw_fuse_groups *groups, const int member[],
                        int n);

/* Fills `partial`. */
void mw_fuse_find_partial(mw_fuse_groups *groups);

#endif
