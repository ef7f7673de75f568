/*
 * measure.h - times of kernels and collectives on the real ranks.
 *
 * All ranks measure the same thing at the same time, as in a run. A time is
 * the least of several batches' means, of the rank that took longest.
 */
#ifndef MW_RUNTIME_MEASURE_H
#define MW_RUNTIME_MEASURE_H

#include "ir/cost.h"
#include "runtime/mpi/team.h"

/* The local time of an op's kernel when its letters have these extents, on
 * blocks that start at 0. budget_s: about how long to take. MW_EINPUT: its
 * types cannot be computed. Collective. */
mw_status mw_measure_op(mw_team *team, const mw_graph *graph, const mw_op *op,
                        const int64_t extent[MW_MAX_LETTERS], int threads,
                        double budget_s, double *seconds) MW_MUST_CHECK;

typedef struct mw_measure_move {
    const mw_mesh *mesh;
    mw_collective kind; /* all_gather, reduce_scatter, all_reduce, all_to_all */
    uint32_t axes;
    int64_t bytes; /* as mw_costs.step_ps counts them */
} mw_measure_move;

/* The time of a collective of floats; *bytes is what was moved in truth, a
 * multiple of the group's ranks. Collective. */
mw_status mw_measure_step(mw_ctx *ctx, mw_team *team,
                          const mw_measure_move *what, double budget_s,
                          int64_t *bytes, const char **algorithm,
                          double *seconds) MW_MUST_CHECK;

#endif
