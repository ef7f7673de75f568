/*
 * rank.h - what the commands share that are one of the ranks of a job.
 */
#ifndef MW_CLI_RANK_H
#define MW_CLI_RANK_H

#include "cli/options.h"
#include "ir/plan_file.h"
#include "runtime/mpi/team.h"
#include "runtime/values.h"

/* What the first process must know of a plan before there are ranks: how many
 * it wants, and the threads of each that it says (0: nothing). */
mw_status mw_rank_look(mw_ctx *ctx, const char *path, int64_t *ranks,
                       int64_t *threads) MW_MUST_CHECK;

/* MW_EUSAGE when mpirun started another number of ranks. */
mw_status mw_rank_of_plan(mw_ctx *ctx, const mw_plan_file *file,
                          const mw_team *team) MW_MUST_CHECK;
mw_status mw_rank_of_mesh(mw_ctx *ctx, const mw_mesh *mesh,
                          const mw_team *team) MW_MUST_CHECK;

/* Threads of each rank, from --threads and --oversubscribe, what the plan says
 * (0: nothing) or the rank's share of the cores. */
typedef struct mw_rank_threads {
    int64_t each;
    bool oversubscribed; /* together more than there are cores */
} mw_rank_threads;

/* MW_EUSAGE: more than the cores, and not allowed. */
mw_status mw_rank_threads_read(mw_ctx *ctx, const mw_args *args,
                               int64_t planned, int64_t ranks,
                               mw_rank_threads *threads) MW_MUST_CHECK;

/* --input and --weights; MW_EUSAGE and MW_EINPUT as of runtime/values.h. */
mw_status mw_rank_values(const mw_args *args, mw_values *values) MW_MUST_CHECK;

/* What a rank makes of its status where the others may wait for it: a failure
 * is told and ends them all. Returns only to a rank without others, or on
 * MW_OK. */
mw_status mw_rank_step(mw_ctx *ctx, mw_team *team,
                       mw_status status) MW_MUST_CHECK;

#endif
