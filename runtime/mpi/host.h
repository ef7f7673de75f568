/*
 * host.h - what the ranks of one host share: memory that each sees of all, and
 * flags to wait for each other. Used by team.c only.
 *
 * Memory comes from MPI_Win_allocate_shared; there is at most one such region
 * at a time. The flags are a count for each rank and group: a rank adds to its
 * own and waits until those of all members have come as far. A waiting rank
 * yields, at once where ranks outnumber cores, and lets MPI go on, as another
 * one may wait for a message of ours.
 */
#ifndef MW_RUNTIME_MPI_HOST_H
#define MW_RUNTIME_MPI_HOST_H

#include <mpi.h>

#include "base/arena.h"

typedef struct mw_host mw_host;

/* `here`: the ranks of `all` that share memory with this one; both stay the
 * caller's. Collective. */
mw_status mw_host_open(mw_arena *arena, MPI_Comm all, MPI_Comm here,
                       mw_host **host) MW_MUST_CHECK;

/* Accepts NULL. Collective. */
void mw_host_close(mw_host *host);

/* This rank's part of a region that all ranks of the host see, in pages of its
 * own. NULL on all ranks of a host that has no room for it, or one rank only.
 * Ends the region before. Collective. */
mw_status mw_host_region(mw_host *host, int64_t bytes,
                         char **part) MW_MUST_CHECK;

/* Where this rank sees the part of a rank of `all`; NULL: it is not on this
 * host, or there is no region. */
char *mw_host_part(const mw_host *host, int rank);

/* Bytes of its last cache. */
int64_t mw_host_cache(const mw_host *host);

/* A group that meets: its members, ranks of `all` on this host, and a number
 * below 1 << MW_MAX_MESH that none of a member's other groups has. */
typedef struct mw_host_group {
    int number, size;
    const int *member;
    uint32_t round; /* how often it has met */
} mw_host_group;

/* This rank read so many bytes of another's part. Noted with that one: only
 * this rank writes the note, and that one reads it after both have met. */
void mw_host_took(mw_host *host, int rank, int64_t bytes);

/* What the members read of this rank's part since this was asked last. */
int64_t mw_host_gave(mw_host *host, const mw_host_group *group);

/* Waits until all members have come here. */
mw_status mw_host_meet(mw_host *host, mw_host_group *group) MW_MUST_CHECK;

#endif
