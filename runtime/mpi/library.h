/*
 * library.h - which MPI library this is, asked without starting it.
 */
#ifndef MW_RUNTIME_MPI_LIBRARY_H
#define MW_RUNTIME_MPI_LIBRARY_H

#include "base/arena.h"

/* "Open MPI v4.1.4"; NULL with MW_ENOMEM recorded. */
char *mw_mpi_library(mw_arena *arena) MW_MUST_CHECK;

#endif
