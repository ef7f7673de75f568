/*
 * team.h - the ranks that run a plan, and their groups. The only place that
 * knows MPI.
 *
 * A process that no MPI launcher started is a team of one and never touches
 * MPI. Only the main thread calls in here (MPI_THREAD_FUNNELED).
 */
#ifndef MW_RUNTIME_MPI_TEAM_H
#define MW_RUNTIME_MPI_TEAM_H

#include "ir/mesh.h"
#include "runtime/wire.h"

typedef struct mw_team mw_team;

/* Starts MPI unless it runs already. MW_ERUN when it will not start.
 * Collective. */
mw_status mw_team_open(mw_ctx *ctx, mw_arena *arena,
                       mw_team **team) MW_MUST_CHECK;

/* Ends MPI if mw_team_open() started it. Accepts NULL. Collective. */
void mw_team_close(mw_team *team);

int mw_team_rank(const mw_team *team);
int mw_team_size(const mw_team *team);

/* True on one rank of each host: for what need not be done twice there. */
bool mw_team_leads_host(const mw_team *team);

/* What the library took of our settings: true when waiting ranks yield. To ask
 * loads every component of the library, which takes a quarter of a second. */
bool mw_team_yields(const mw_team *team);

/* The wire between the ranks that differ only in the coordinates of `axes`,
 * numbered row-major by these; the same wire for the same axes. Axes 0: alone.
 * The mesh has as many ranks as the team. Collective. */
mw_status mw_team_group(mw_team *team, const mw_mesh *mesh, uint32_t axes,
                        mw_wire **wire) MW_MUST_CHECK;

/* Other wires among the same ranks, for what goes on beside the first one's
 * messages, lanes 1 to MW_LANES; they share no memory. Lane 0 is the first one.
 * Collective. */
enum { MW_LANES = 8 };
mw_status mw_team_lane(mw_team *team, const mw_mesh *mesh, uint32_t axes,
                       int lane, mw_wire **wire) MW_MUST_CHECK;

/* The wire between all ranks. */
mw_wire *mw_team_all(mw_team *team);

/* A rank's memory, at a multiple of MW_ALIGN. */
typedef struct mw_team_memory {
    char *at;
    void *block; /* as allocated; NULL: it lies in a region of the host */
} mw_team_memory;

/* Zeroed memory that the ranks of a host see of each other, so that moves
 * within it need no messages; of this rank alone where there is no room for
 * that. One at a time is shared: another call ends the one before. Collective.
 */
mw_status mw_team_share(mw_team *team, int64_t bytes,
                        mw_team_memory *memory) MW_MUST_CHECK;

/* Ends it on this rank; not to be touched by others after. */
void mw_team_unshare(mw_team *team, mw_team_memory *memory);

/* Bytes handed to MPI over all groups so far, but mw_team_all()'s own; and
 * those copied between ranks' memories. */
int64_t mw_team_bytes_sent(const mw_team *team);

/* Every rank learns the worst status and, where its own is better, the message
 * of the first rank that has it. Collective. */
mw_status mw_team_agree(mw_team *team, mw_status status) MW_MUST_CHECK;

/* MW_ERUN on every rank, naming one, unless `value` is the same everywhere.
 * Collective. */
mw_status mw_team_same(mw_team *team, const char *what,
                       uint64_t value) MW_MUST_CHECK;

/* value of every rank, in order. Collective. */
mw_status mw_team_list(mw_team *team, int64_t value,
                       int64_t by_rank[]) MW_MUST_CHECK;

/* Over all ranks. Collective. */
mw_status mw_team_sum(mw_team *team, int64_t value, int64_t *sum) MW_MUST_CHECK;

/* The largest; the smallest by negation. Collective. */
mw_status mw_team_max(mw_team *team, double value,
                      double *largest) MW_MUST_CHECK;

/* Each of n values becomes the largest over all ranks. Collective. */
mw_status mw_team_largest(mw_team *team, int64_t value[], int n) MW_MUST_CHECK;

mw_status mw_team_barrier(mw_team *team) MW_MUST_CHECK;

/* Tells profiling tools (MPI_Pcontrol) that the steps of a plan begin, or have
 * ended. */
void mw_team_mark(mw_team *team, bool begin);

/* Ends all ranks at once; they exit with `exit_status`. Of a team of one it
 * returns. */
void mw_team_abort(mw_team *team, int exit_status);

#endif
