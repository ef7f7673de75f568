/*
 * reshard.h - moving a tensor from one layout to another: steps, the cheapest
 * path of them, and the exact bytes each rank sends.
 *
 * A step is a collective over the groups along a set of mesh axes, run by our
 * own schedule (runtime/mpi): ring for all_gather, reduce_scatter and
 * all_reduce (reduce-scatter then all-gather over ceil blocks of the flat
 * buffer), pairwise for all_to_all and exchange. The bytes below are those of
 * that schedule over the true blocks.
 */
#ifndef MW_IR_RESHARD_H
#define MW_IR_RESHARD_H

#include "ir/cost.h"
#include "ir/layout.h"

typedef struct mw_step {
    mw_collective kind;
    const char *algorithm; /* "ring", "pairwise", "local" */
    uint32_t axes;         /* bit a: mesh axis a */
    mw_layout from, to;
    int64_t bytes_sent; /* of the rank that sends most */
    int64_t time_ps;
} mw_step;

enum { MW_MAX_STEPS = 8 };

typedef struct mw_path {
    int n_steps;
    mw_step step[MW_MAX_STEPS];
    int64_t time_ps;
    int64_t bytes_sent; /* sum over steps of the largest rank's */
    /* Arena bytes the largest rank needs besides source and destination, while
     * the path runs: intermediates and staging. */
    int64_t scratch_bytes;
} mw_path;

/* Remembers paths by (shape, dtype, from, to); one mesh, one cost model. */
typedef struct mw_resharder mw_resharder;

mw_status mw_resharder_open(mw_ctx *ctx, mw_arena *arena, const mw_mesh *mesh,
                            const mw_costs *costs,
                            mw_resharder **resharder) MW_MUST_CHECK;

/* The cheapest path (time, then bytes, then fewest steps). Empty when the
 * layouts are equal. NULL in *path when none exists: to partial from something
 * not partial with another kind. The result lives as long as the arena. */
mw_status mw_reshard(mw_resharder *resharder, const mw_tensor *tensor,
                     const mw_layout *from, const mw_layout *to,
                     const mw_path **path) MW_MUST_CHECK;

/* What `rank` sends in a step, by our schedule. */
int64_t mw_step_bytes_of(const mw_mesh *mesh, const mw_tensor *tensor,
                         const mw_step *step, int64_t rank);

#endif
