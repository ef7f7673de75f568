/*
 * launch.h - starts a command as a job of ranks under mpirun, with everything
 * OpenMPI needs as root, in a container and with more ranks than cores
 * (DESIGN section 11), so that nobody has to know it.
 *
 * Files that OpenMPI makes for a job go to a folder of the job's own, which is
 * removed however the job ends. What mpirun says about the job stays out of
 * standard error; what the ranks say goes there as they say it.
 */
#ifndef MW_RUNTIME_LAUNCH_H
#define MW_RUNTIME_LAUNCH_H

#include <signal.h>

#include "base/text.h"

typedef struct mw_job {
    int64_t ranks;
    char *const *argv; /* what each rank runs; NULL behind the last */
    bool debug;        /* let mpirun's own words through */
    mw_text *output;   /* takes the ranks' standard output; NULL: ours does */
    bool saves;        /* when told to stop a rank saves first, as long as that
                          takes, and ends by itself */
} mw_job;

/* What the ranks of such a job are told to stop with: mpirun passes it on,
 * where others make it kill them at once. */
enum { MW_JOB_STOP_SIGNAL = SIGUSR1 };

/* True when this process was started by an MPI launcher; its ranks. */
bool mw_job_inside(int64_t *ranks);

/* How many of a job's `ranks` run on this machine: all, unless the launcher
 * says otherwise. */
int64_t mw_job_local(int64_t ranks);

/* The most threads of a rank that can be asked for: what OpenMP's library keeps
 * of each stands on the stack. */
enum { MW_JOB_THREADS_MAX = 1024 };

/* Threads for each of `local` ranks on this machine: at least 1, and no more
 * than the cores that a launcher bound this rank to. */
int64_t mw_job_threads(int64_t local);

/* Cores of this machine that the job may use. */
int64_t mw_job_cores(void);

/* Whether so many threads of each of `local` ranks are more than there are
 * cores, or a rank's more than its own. */
bool mw_job_crowded(int64_t threads, int64_t local);

/* Runs the job to its end. MW_OK: the ranks ended by themselves with
 * *exit_status and have told why. MW_ERUN: mpirun cannot be started, or a rank
 * was killed, which is named. When ctx asks to stop, the job gets SIGTERM, and
 * SIGKILL if it does not end; *exit_status is then 128 + 15 or 9. A job that
 * saves gets MW_JOB_STOP_SIGNAL, again and again, and is waited for; what
 * it then fails with counts as ever. */
mw_status mw_job_run(mw_ctx *ctx, const mw_job *job,
                     int *exit_status) MW_MUST_CHECK;

#endif
