/*
 * bench_startup.c - a job that does nothing: as many ranks as the argument
 * says, started as `run` starts them, begin and end MPI. What `run` takes
 * beyond it is our own.
 */
#include <mpi.h>
#include <stdlib.h>

#include "bench/job.h"
#include "runtime/launch.h"

static int as_rank(void)
{
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return 1;
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

int main(int argc, char **argv)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return as_rank();
    return mw_bench_job(argv[0], argc > 1 ? strtol(argv[1], NULL, 10) : 2);
}
