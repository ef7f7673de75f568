/*
 * job_folder.h - a folder of a job's own for what MPI leaves on disk and in
 * shared memory.
 *
 * It is removed however the job ends. What a launcher left that was killed
 * itself is removed by the next one: a folder is held by a lock while its
 * launcher lives.
 */
#ifndef MW_RUNTIME_JOB_FOLDER_H
#define MW_RUNTIME_JOB_FOLDER_H

#include "base/status.h"

enum { MW_JOB_FOLDER_MAX = 256 };

typedef struct mw_job_folder {
    char path[MW_JOB_FOLDER_MAX]; /* empty when there is none */
    int lock;
} mw_job_folder;

/* MW_ERUN when none can be made in /dev/shm, TMPDIR or /tmp. */
mw_status mw_job_folder_open(mw_ctx *ctx, mw_job_folder *folder) MW_MUST_CHECK;

/* Removes it with all that is in it. Safe on a zeroed one. */
void mw_job_folder_close(mw_job_folder *folder);

#endif
