/* mpi_world.c - start, sum, end. */
#include "tests/mpi_world.h"

#include <mpi.h>

mw_world mw_world_open(int *argc, char ***argv)
{
    mw_world world;
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.size);
    return world;
}

long mw_world_sum(long count)
{
    long sum = 0;
    MPI_Allreduce(&count, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void mw_world_close(void)
{
    MPI_Finalize();
}
