/*
 * mpi_world.h - the runner's own use of MPI: it starts and ends it, and adds
 * up what the ranks counted.
 */
#ifndef MW_TESTS_MPI_WORLD_H
#define MW_TESTS_MPI_WORLD_H

typedef struct mw_world {
    int rank, size;
} mw_world;

mw_world mw_world_open(int *argc, char ***argv);

/* The sum over ranks, known to all. Collective. */
long mw_world_sum(long count);

void mw_world_close(void);

#endif
