/*
 * reshard.h - moving a tensor from one layout to another: steps, the cheapest
 * path of them, and the exact bytes each rank sends.
 *
 * A step is a collective over the groups along a set of mesh axes, run by our
 * own schedule: as a rule ring for all_gather, reduce_scatter and all_reduce,
 * pairwise for all_to_all and exchange; its way (ir/cost.h) names others.
 * docs/design/plan.md says which rank sends which box to whom in which round;
 * the bytes below are those of that schedule over the true blocks, computed
 * without running it.
 */
#ifndef MW_IR_RESHARD_H
#define MW_IR_RESHARD_H

#include "ir/cost.h"
#include "ir/layout.h"

/* Every buffer of the arena starts at a multiple of this, and counts so. */
enum { MW_ALIGN = 64 };

/* bytes rounded up to MW_ALIGN. */
int64_t mw_aligned(int64_t bytes);

/* In place of an offset into a path's scratch. */
enum { MW_AT_END = -1 };

typedef struct mw_step {
    mw_collective kind;
    mw_way way;
    uint32_t axes; /* bit a: mesh axis a */
    mw_layout from, to;
    int64_t bytes_sent; /* of the rank that sends most */
    int64_t time_ps;
    /* Where it reads, writes and stages, in the path's scratch. MW_AT_END: the
     * path's source (first step), its destination (last step). */
    int64_t from_at, to_at, stage_at;
    int64_t stage_bytes;
} mw_step;

typedef struct mw_path {
    int64_t id; /* number in its resharder */
    int n_steps;
    const mw_step *step;
    int64_t time_ps;
    int64_t bytes_sent; /* sum over steps of the largest rank's */
    /* Arena bytes the largest rank needs besides source and destination, while
     * the path runs: the intermediates of one step and its staging. */
    int64_t scratch_bytes;
} mw_path;

/* Why `step` (kind, axes, from, to) is no right step of a tensor, however
 * uneven its blocks: NULL when it is one. */
const char *mw_step_refusal(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_step *step);

/* The mesh axes over which a general exchange moves data: those that split the
 * source, without what both layouts share from the major end on. */
uint32_t mw_exchange_axes(const mw_mesh *mesh, const mw_tensor *tensor,
                          const mw_layout *from, const mw_layout *to);

/* What `rank` sends in a step, by our schedule. */
int64_t mw_step_bytes_of(const mw_mesh *mesh, const mw_tensor *tensor,
                         const mw_step *step, int64_t rank);

/* Fills bytes_sent, time_ps and stage_bytes of a step of which kind, axes, from
 * and to are set. With costs these say the way; without, time_ps is 0 and the
 * way stays as it is. */
void mw_step_price(const mw_mesh *mesh, const mw_costs *costs,
                   const mw_tensor *tensor, mw_step *step);

/* Sums of a path's priced steps, and the places of its intermediates: the 1st,
 * 3rd, … at the start of the scratch, the 2nd, 4th, … at its end, the staging
 * of a step behind the one at the start. */
void mw_path_sum(const mw_mesh *mesh, const mw_tensor *tensor, mw_step step[],
                 mw_path *path);

/* Remembers paths by (shape, element size, from, to); one mesh, one cost
 * model. */
typedef struct mw_resharder mw_resharder;

/* costs: NULL for one that is given its paths. */
mw_status mw_resharder_open(mw_ctx *ctx, mw_arena *arena, const mw_mesh *mesh,
                            const mw_costs *costs,
                            mw_resharder **resharder) MW_MUST_CHECK;

const mw_mesh *mw_resharder_mesh(const mw_resharder *resharder);

/* The cheapest path (time, then bytes, then fewest steps) among those of which
 * no intermediate block is larger than the larger of both ends' blocks. Empty
 * when the layouts are equal. NULL in *path when none exists: to partial by a
 * kind other than sum from what is not partial so. The result lives as long as
 * the arena; equal requests give the same pointer. */
mw_status mw_reshard(mw_resharder *resharder, const mw_tensor *tensor,
                     const mw_layout *from, const mw_layout *to,
                     const mw_path **path) MW_MUST_CHECK;

/* Makes a path of given steps (kind, way, axes, from, to, time_ps; n > 0) the
 * answer for its two ends. A resharder opened without costs knows no others:
 * what it was not given has no path. MW_EINPUT: the steps do not join, one is
 * not right, or the ends had other steps before. */
mw_status mw_resharder_give(mw_resharder *resharder, const mw_tensor *tensor,
                            const mw_step given[], int n) MW_MUST_CHECK;

/* What each rank sends along a path of this resharder. */
mw_status mw_path_bytes(mw_resharder *resharder, const mw_path *path,
                        const int64_t **by_rank) MW_MUST_CHECK;

#endif
