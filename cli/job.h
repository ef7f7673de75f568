/*
 * job.h - a command that runs on ranks: started plainly it starts itself under
 * mpirun, started under mpirun it is one of the ranks.
 */
#ifndef MW_CLI_JOB_H
#define MW_CLI_JOB_H

#include "base/text.h"
#include "cli/command.h"
#include "runtime/mpi/team.h"

/* An option given to the ranks besides those that were given to us, or in
 * place of those of that name. */
typedef struct mw_job_option {
    const char *name, *value;
} mw_job_option;

/* Runs the command with its arguments on ranks. The status is what they ended
 * with; they have told why. output: takes their standard output; NULL: it goes
 * where ours goes. */
mw_status mw_cli_job(mw_ctx *ctx, const mw_args *args, const char *command,
                     int64_t ranks, const mw_job_option extra[],
                     mw_text *output) MW_MUST_CHECK;

/* The same for ranks that save when they are told to stop. */
mw_status mw_cli_job_saving(mw_ctx *ctx, const mw_args *args,
                            const char *command, int64_t ranks) MW_MUST_CHECK;

/* Becomes a rank. A rank has nothing to save: from here on a signal ends it,
 * so that the others and mpirun learn of it. Collective. */
mw_status mw_cli_rank_open(mw_ctx *ctx, mw_arena *arena,
                           mw_team **team) MW_MUST_CHECK;

/* Becomes a rank that looks at mw_stopped() and saves: also the launcher's
 * signal asks it to stop. Collective. */
mw_status mw_cli_rank_open_saving(mw_ctx *ctx, mw_arena *arena,
                                  mw_team **team) MW_MUST_CHECK;

/* What a rank returns once all agree on a status: the first tells, the others
 * keep still, so that mpirun takes none of them for the one that failed. */
mw_status mw_cli_rank_status(mw_ctx *ctx, int rank, mw_status status);

/* A rank's failure within a step, told before all ranks are ended. */
void mw_cli_tell(const mw_ctx *ctx, int rank);

#endif
