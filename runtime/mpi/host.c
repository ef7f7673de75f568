/* host.c - shared windows, and flags in one of them. */
#include "runtime/mpi/host.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "ir/mesh.h"
#include "runtime/launch.h"
#include "runtime/pass.h"

enum {
    ELSEWHERE = -1,
    LINE = 64, /* bytes from flag to flag: no two in one line of a cache */
    GROUPS = 1 << MW_MAX_MESH,
    SPINS = 4000,         /* before the first yield, where cores suffice */
    YIELDS_A_POLL = 64,   /* then MPI may go on */
    ROOM_IN_PERCENT = 110 /* of a region, so that the folder is not filled */
};

typedef struct flag {
    _Alignas(LINE) _Atomic uint32_t round;
} flag;

/* Bytes that one rank read of another's part, in all. */
typedef struct note {
    _Alignas(LINE) int64_t bytes;
} note;

struct mw_host {
    mw_ctx *ctx;
    MPI_Comm all, comm;
    int rank, size, n_all; /* the first two on the host */
    int *local; /* of each rank of `all`: its number here, or ELSEWHERE */
    MPI_Win flags, region; /* or MPI_WIN_NULL */
    char **flag_part;      /* of each rank here: GROUPS flags, `size` notes */
    int64_t *seen;         /* of each rank here: of its note, counted so far */
    char **part;           /* of each rank here, of the region */
    int spins;
    int64_t cache; /* bytes of the last one */
};

static mw_status check(mw_ctx *ctx, int code, const char *call)
{
    if (code == MPI_SUCCESS)
        return MW_OK;
    return mw_fail(ctx, MW_ERUN, "%s failed with code %d", call, code);
}

// MPI's windows begin at multiples of 8 bytes. All ranks see a byte at the same
// place of a page, so that they agree on where the first line of a part begins.
static void *first_line(void *at)
{
    return (char *)at + (LINE - (uintptr_t)at % LINE) % LINE;
}

// A window of that many bytes a rank, and where each part is seen: from a line
// on.
static mw_status open_window(mw_host *host, int64_t bytes, MPI_Win *window,
                             char **part)
{
    MPI_Info info;
    void *own;
    mw_ctx *ctx = host->ctx;
    MW_TRY(check(ctx, MPI_Info_create(&info), "MPI_Info_create"));
    (void)MPI_Info_set(info, "alloc_shared_noncontig", "true");
    int code = MPI_Win_allocate_shared((MPI_Aint)bytes + LINE, 1, info,
                                       host->comm, (void *)&own, window);
    (void)MPI_Info_free(&info);
    MW_TRY(check(ctx, code, "MPI_Win_allocate_shared"));
    for (int r = 0; r < host->size; r++) {
        MPI_Aint size;
        int unit;
        void *at;
        MW_TRY(check(
            ctx, MPI_Win_shared_query(*window, r, &size, &unit, (void *)&at),
            "MPI_Win_shared_query"));
        part[r] = first_line(at);
    }
    return MW_OK;
}

mw_status mw_host_open(mw_arena *arena, MPI_Comm all, MPI_Comm here,
                       mw_host **host)
{
    mw_ctx *ctx = arena->ctx;
    mw_host *h = MW_NEW(arena, mw_host);
    int rank;
    if (!h)
        return MW_ENOMEM;
    *h = (mw_host){.ctx = ctx,
                   .all = all,
                   .comm = here,
                   .flags = MPI_WIN_NULL,
                   .region = MPI_WIN_NULL};
    MW_TRY(check(ctx, MPI_Comm_rank(all, &rank), "MPI_Comm_rank"));
    MW_TRY(check(ctx, MPI_Comm_size(all, &h->n_all), "MPI_Comm_size"));
    MW_TRY(check(ctx, MPI_Comm_rank(h->comm, &h->rank), "MPI_Comm_rank"));
    MW_TRY(check(ctx, MPI_Comm_size(h->comm, &h->size), "MPI_Comm_size"));
    int *ranks = MW_NEW_ARRAY(arena, h->size, int);
    h->local = MW_NEW_ARRAY(arena, h->n_all, int);
    h->flag_part = MW_NEW_ARRAY(arena, h->size, char *);
    h->part = MW_NEW_ARRAY(arena, h->size, char *);
    h->seen = MW_NEW_ARRAY(arena, h->size, int64_t);
    if (!h->seen || !ranks || !h->local || !h->flag_part || !h->part)
        return MW_ENOMEM;
    MW_TRY(check(ctx,
                 MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, h->comm),
                 "MPI_Allgather"));
    for (int r = 0; r < h->n_all; r++)
        h->local[r] = ELSEWHERE;
    for (int r = 0; r < h->size; r++)
        h->local[ranks[r]] = r;
    h->spins = h->size <= mw_job_cores() ? SPINS : 0;
    h->cache = mw_cache_bytes();
    *host = h;
    return MW_OK;
}

int64_t mw_host_cache(const mw_host *host)
{
    return host->cache;
}

static void free_window(MPI_Win *window)
{
    if (*window != MPI_WIN_NULL)
        (void)MPI_Win_free(window);
    *window = MPI_WIN_NULL;
}

void mw_host_close(mw_host *host)
{
    if (!host)
        return;
    free_window(&host->region);
    free_window(&host->flags);
}

// Room where OpenMPI keeps its windows.
static bool has_room(int64_t bytes)
{
    const char *folder = getenv("OMPI_MCA_osc_sm_backing_directory");
    struct statvfs info;
    if (statvfs(folder ? folder : "/dev/shm", &info) != 0)
        return false;
    double room = (double)info.f_bavail * (double)info.f_frsize;
    return (double)bytes * ROOM_IN_PERCENT / 100 < room;
}

// Of a rank's flags and of the others' notes with it.
static int64_t flag_bytes(const mw_host *host)
{
    return (int64_t)sizeof(flag) * GROUPS + (int64_t)sizeof(note) * host->size;
}

mw_status mw_host_region(mw_host *host, int64_t bytes, char **part)
{
    mw_ctx *ctx = host->ctx;
    int64_t sum = 0;
    *part = NULL;
    if (host->size < 2)
        return MW_OK;
    free_window(&host->region);
    MW_TRY(check(
        ctx, MPI_Allreduce(&bytes, &sum, 1, MPI_INT64_T, MPI_SUM, host->comm),
        "MPI_Allreduce"));
    int fits = has_room(sum + host->size * flag_bytes(host)), all_fit = 0;
    MW_TRY(check(
        ctx, MPI_Allreduce(&fits, &all_fit, 1, MPI_INT, MPI_MIN, host->comm),
        "MPI_Allreduce"));
    if (!all_fit)
        return MW_OK;
    if (host->flags == MPI_WIN_NULL)
        MW_TRY(
            open_window(host, flag_bytes(host), &host->flags, host->flag_part));
    MW_TRY(open_window(host, bytes, &host->region, host->part));
    *part = host->part[host->rank];
    return MW_OK;
}

char *mw_host_part(const mw_host *host, int rank)
{
    int local = host->local[rank];
    if (local == ELSEWHERE || host->region == MPI_WIN_NULL)
        return NULL;
    return host->part[local];
}

static flag *flag_of(const mw_host *host, int local, int number)
{
    return (flag *)(void *)host->flag_part[local] + number;
}

// Where `reader` notes what it read of a rank's part; both are ranks here.
static note *note_of(const mw_host *host, int local, int reader)
{
    return (note *)(void *)(host->flag_part[local] + sizeof(flag) * GROUPS) +
           reader;
}

void mw_host_took(mw_host *host, int rank, int64_t bytes)
{
    note_of(host, host->local[rank], host->rank)->bytes += bytes;
}

int64_t mw_host_gave(mw_host *host, const mw_host_group *group)
{
    int64_t sum = 0;
    for (int m = 0; m < group->size; m++) {
        int reader = host->local[group->member[m]];
        int64_t bytes = note_of(host, host->rank, reader)->bytes;
        sum += bytes - host->seen[reader];
        host->seen[reader] = bytes;
    }
    return sum;
}

#if defined(__x86_64__)
static void relax(void)
{
    __builtin_ia32_pause();
}
#else
static void relax(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}
#endif

static mw_status wait_for(mw_host *host, const flag *theirs, uint32_t round)
{
    for (int64_t n = 0;; n++) {
        uint32_t at =
            atomic_load_explicit(&theirs->round, memory_order_acquire);
        if ((int32_t)(at - round) >= 0)
            return MW_OK;
        if (n < host->spins) {
            relax();
            continue;
        }
        (void)sched_yield();
        int waiting;
        if (n % YIELDS_A_POLL == 0)
            MW_TRY(check(host->ctx,
                         MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, host->comm,
                                    &waiting, MPI_STATUS_IGNORE),
                         "MPI_Iprobe"));
    }
}

mw_status mw_host_meet(mw_host *host, mw_host_group *group)
{
    uint32_t round = ++group->round;
    atomic_store_explicit(&flag_of(host, host->rank, group->number)->round,
                          round, memory_order_release);
    for (int m = 0; m < group->size; m++)
        MW_TRY(wait_for(
            host, flag_of(host, host->local[group->member[m]], group->number),
            round));
    return MW_OK;
}
