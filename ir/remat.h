/*
 * remat.h - activations that are computed again in the backward pass instead of
 * being kept: blocks of ops that repeat, and what of each is kept.
 *
 * A block keeps what later ops of the forward pass read; the rest is made again
 * from that just before its own backward part. `cheap` blocks keep the results
 * of contractions and windows too.
 */
#ifndef MW_IR_REMAT_H
#define MW_IR_REMAT_H

#include "ir/grad.h"

typedef enum mw_remat_mode {
    MW_REMAT_KEEP,
    MW_REMAT_CHEAP,
    MW_REMAT_FULL
} mw_remat_mode;

typedef struct mw_remat {
    mw_grad *g;
    int first, period, n_blocks; /* ops [first + b period, … + period) */
    int last_op;                 /* of the forward part */
    mw_remat_mode *mode;         /* of each block */
    mw_id *stand_in;             /* of each forward tensor */
    bool *kept;                  /* of each: read behind its block */
} mw_remat;

/* Finds the ops [0, last_op) that repeat: the longest stretch in which each op
 * looks like the one a period behind, cut where least is alive. All blocks are
 * kept at first. Without any, n_blocks is 0. */
mw_status mw_remat_find(mw_grad *g, int last_op, mw_remat *remat) MW_MUST_CHECK;

/* Levels of recomputation from 0 (nothing) on, each needing less memory and
 * more time: cheap blocks one by one, then full ones. */
int mw_remat_levels(const mw_remat *remat);
void mw_remat_set(mw_remat *remat, int level);

/* mw_grad_want.before: when the backward part of a block begins, appends its
 * forward part again and sets stand_in. */
mw_status mw_remat_before(mw_remat *remat, int op) MW_MUST_CHECK;

#endif
