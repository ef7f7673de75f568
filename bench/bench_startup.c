/*
 * bench_startup.c - a job that does nothing: as many ranks as the argument
 * says, started as `run` starts them, begin and end MPI. What `run` takes
 * beyond it is our own.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/launch.h"

static int as_rank(void)
{
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return 1;
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

static int start_job(char *self, int64_t ranks)
{
    mw_ctx ctx;
    int status = 0;
    char *argv[] = {self, NULL};
    const mw_job job = {.ranks = ranks, .argv = argv};
    mw_ctx_init(&ctx);
    if (mw_job_run(&ctx, &job, &status) != MW_OK) {
        (void)fprintf(stderr, "bench_startup: %s\n", ctx.message);
        status = 1;
    }
    mw_ctx_free(&ctx);
    return status;
}

int main(int argc, char **argv)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return as_rank();
    return start_job(argv[0], argc > 1 ? strtol(argv[1], NULL, 10) : 2);
}
