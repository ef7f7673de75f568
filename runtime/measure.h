/*
 * measure.h - times of kernels and collectives on the real ranks.
 *
 * All ranks measure the same thing at the same time, as in a run. A time is
 * the least of several batches' means, of the rank that took longest.
 */
#ifndef MW_RUNTIME_MEASURE_H
#define MW_RUNTIME_MEASURE_H

#include "ir/cost.h"
#include "runtime/move.h"
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
    mw_way way;
    uint32_t axes;
    int64_t bytes; /* as mw_costs.step_ps counts them */
} mw_measure_move;

/* A collective of floats, ready to run on memory of its own. */
typedef struct mw_probe {
    mw_team *team;
    mw_arena arena;
    mw_team_memory memory;
    mw_move move;
    int64_t bytes; /* moved in truth, a multiple of the group's ranks */
} mw_probe;

/* Closed by mw_probe_close(), whatever comes out. Collective. */
mw_status mw_probe_open(mw_ctx *ctx, mw_team *team, const mw_measure_move *what,
                        mw_probe *probe) MW_MUST_CHECK;
void mw_probe_close(mw_probe *probe);

/* The time of a collective of floats; *bytes is what was moved in truth, a
 * multiple of the group's ranks. Collective. */
mw_status mw_measure_step(mw_ctx *ctx, mw_team *team,
                          const mw_measure_move *what, double budget_s,
                          int64_t *bytes, double *seconds) MW_MUST_CHECK;

#endif
