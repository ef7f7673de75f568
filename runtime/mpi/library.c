/* library.c - the MPI library's own name and version. */
#include "runtime/mpi/library.h"

#include <mpi.h>
#include <string.h>

char *mw_mpi_library(mw_arena *arena)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
        return mw_arena_text(arena, "MPI of unknown version");
    text[strcspn(text, ",\n")] = '\0';
    return mw_arena_text(arena, text);
}
