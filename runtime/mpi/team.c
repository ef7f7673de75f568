/* team.c - communicators as wires. */
#include "runtime/mpi/team.h"

#include <inttypes.h>
#include <mpi.h>
#include <string.h>

#include "base/mem.h"
#include "ir/reshard.h"
#include "runtime/launch.h"
#include "runtime/mpi/host.h"

enum {
    MAX_GROUPS = (1 + MW_LANES) << MW_MAX_MESH,
    TAG = 7,
    IN_FLIGHT = 2 * MW_WIRE_SWAPS
};

typedef struct group {
    mw_wire wire;
    MPI_Comm comm;
    uint32_t axes;
    int lane;
    mw_team *team;
    int n_requests;
    MPI_Request request[IN_FLIGHT];
    mw_host_group meeting; /* its members */
    char **part;           /* room for their parts */
} group;

struct mw_team {
    mw_ctx *ctx;
    mw_arena *arena;
    int rank, size;
    bool mpi;      /* there is more to it than this process */
    bool started;  /* by us */
    bool leads;    /* of the ranks on its host this one is the first */
    MPI_Comm here; /* these ranks; or MPI_COMM_NULL */
    group all;
    int n_groups;
    group *group[MAX_GROUPS];
    mw_host *host; /* NULL: not asked for yet */
    int64_t shared_bytes;
};

static mw_status check(mw_ctx *ctx, int code, const char *call)
{
    if (code == MPI_SUCCESS)
        return MW_OK;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    (void)MPI_Error_string(code, text, &length);
    return mw_fail(ctx, MW_ERUN, "%s failed: %s", call, text);
}

static mw_status send(mw_wire *wire, const void *bytes, int count, int to)
{
    group *g = wire->state;
    wire->bytes_sent += count;
    return check(g->team->ctx,
                 MPI_Isend(bytes, count, MPI_BYTE, to, TAG, g->comm,
                           &g->request[g->n_requests++]),
                 "MPI_Isend");
}

static mw_status receive(mw_wire *wire, void *bytes, int count, int from)
{
    group *g = wire->state;
    return check(g->team->ctx,
                 MPI_Irecv(bytes, count, MPI_BYTE, from, TAG, g->comm,
                           &g->request[g->n_requests++]),
                 "MPI_Irecv");
}

static mw_status wait(mw_wire *wire)
{
    group *g = wire->state;
    int n = g->n_requests;
    g->n_requests = 0;
    return check(g->team->ctx, MPI_Waitall(n, g->request, MPI_STATUSES_IGNORE),
                 "MPI_Waitall");
}

static mw_status test(mw_wire *wire, bool *done)
{
    group *g = wire->state;
    int flag = 0;
    MW_TRY(check(
        g->team->ctx,
        MPI_Testall(g->n_requests, g->request, &flag, MPI_STATUSES_IGNORE),
        "MPI_Testall"));
    if (flag)
        g->n_requests = 0;
    *done = flag != 0;
    return MW_OK;
}

static mw_status meet(mw_wire *wire)
{
    group *g = wire->state;
    return mw_host_meet(g->team->host, &g->meeting);
}

static void took(mw_wire *wire, int member, int64_t bytes)
{
    group *g = wire->state;
    mw_host_took(g->team->host, g->meeting.member[member], bytes);
}

static int64_t gave(mw_wire *wire)
{
    group *g = wire->state;
    return mw_host_gave(g->team->host, &g->meeting);
}

static const mw_wire_def wire_def = {send, receive, wait, test,
                                     meet, took,    gave};

static void join(mw_team *team, group *g, MPI_Comm comm, int rank, int size)
{
    g->team = team;
    g->comm = comm;
    g->wire =
        (mw_wire){.def = &wire_def, .rank = rank, .size = size, .state = g};
}

static mw_status find_host(mw_team *team)
{
    mw_ctx *ctx = team->ctx;
    int rank;
    MW_TRY(check(ctx,
                 MPI_Comm_split_type(team->all.comm, MPI_COMM_TYPE_SHARED,
                                     team->rank, MPI_INFO_NULL, &team->here),
                 "MPI_Comm_split_type"));
    MW_TRY(check(ctx, MPI_Comm_set_errhandler(team->here, MPI_ERRORS_RETURN),
                 "MPI_Comm_set_errhandler"));
    MW_TRY(check(ctx, MPI_Comm_rank(team->here, &rank), "MPI_Comm_rank"));
    team->leads = rank == 0;
    return MW_OK;
}

static mw_status start(mw_team *team)
{
    mw_ctx *ctx = team->ctx;
    int running = 0, provided, rank, size;
    MW_TRY(check(ctx, MPI_Initialized(&running), "MPI_Initialized"));
    if (!running)
        MW_TRY(check(
            ctx, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided),
            "MPI_Init_thread"));
    team->started = !running;
    team->mpi = true;
    MPI_Comm comm;
    MW_TRY(check(ctx, MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup"));
    MW_TRY(check(ctx, MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN),
                 "MPI_Comm_set_errhandler"));
    MW_TRY(check(ctx, MPI_Comm_rank(comm, &rank), "MPI_Comm_rank"));
    MW_TRY(check(ctx, MPI_Comm_size(comm, &size), "MPI_Comm_size"));
    team->rank = rank;
    team->size = size;
    join(team, &team->all, comm, rank, size);
    return find_host(team);
}

mw_status mw_team_open(mw_ctx *ctx, mw_arena *arena, mw_team **team)
{
    mw_team *opened = MW_NEW(arena, mw_team);
    if (!opened)
        return MW_ENOMEM;
    opened->ctx = ctx;
    opened->arena = arena;
    opened->size = 1;
    opened->leads = true;
    opened->here = MPI_COMM_NULL;
    join(opened, &opened->all, MPI_COMM_NULL, 0, 1);
    int64_t ranks;
    if (mw_job_inside(&ranks))
        MW_TRY(start(opened));
    *team = opened;
    return MW_OK;
}

void mw_team_close(mw_team *team)
{
    if (!team || !team->mpi)
        return;
    mw_host_close(team->host);
    team->host = NULL;
    for (int i = 0; i < team->n_groups; i++)
        if (team->group[i]->comm != MPI_COMM_NULL)
            (void)MPI_Comm_free(&team->group[i]->comm);
    (void)MPI_Comm_free(&team->here);
    (void)MPI_Comm_free(&team->all.comm);
    team->mpi = false;
    if (team->started)
        (void)MPI_Finalize();
}

int mw_team_rank(const mw_team *team)
{
    return team->rank;
}

int mw_team_size(const mw_team *team)
{
    return team->size;
}

bool mw_team_leads_host(const mw_team *team)
{
    return team->leads;
}

bool mw_team_yields(const mw_team *team)
{
    int provided, index, count, value[8] = {0};
    bool found = false;
    if (!team->mpi || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided))
        return false;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        found = count == 1 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS &&
                value[0] % 2 != 0;
        (void)MPI_T_cvar_handle_free(&handle);
    }
    (void)MPI_T_finalize();
    return found;
}

static group *find_group(const mw_team *team, uint32_t axes, int lane)
{
    for (int i = 0; i < team->n_groups; i++)
        if (team->group[i]->axes == axes && team->group[i]->lane == lane)
            return team->group[i];
    return NULL;
}

// This rank's number among those that differ from it along `axes` only, and
// the number of the first of them among all.
static void place(const mw_mesh *mesh, uint32_t axes, int rank, int *index,
                  int *first)
{
    int64_t coord[MW_MAX_MESH] = {0};
    mw_mesh_coords(mesh, rank, coord);
    *index = (int)mw_mesh_group_index(mesh, axes, coord);
    mw_mesh_group_member(mesh, axes, 0, coord);
    *first = (int)mw_mesh_rank(mesh, coord);
}

// Shows the group what its members share now, if all do.
static mw_status attach(mw_team *team, group *g)
{
    int size = g->wire.size;
    g->wire.part = NULL;
    if (size < 2 || g->lane > 0 || team->shared_bytes == 0)
        return MW_OK;
    if (!g->part)
        g->part = MW_NEW_ARRAY(team->arena, size, char *);
    if (!g->part)
        return MW_ENOMEM;
    for (int k = 0; k < size; k++) {
        g->part[k] = mw_host_part(team->host, g->meeting.member[k]);
        if (!g->part[k])
            return MW_OK;
    }
    g->wire.part = g->part;
    g->wire.part_bytes = team->shared_bytes;
    g->wire.cache_bytes = mw_host_cache(team->host);
    return MW_OK;
}

static mw_status list_members(mw_team *team, const mw_mesh *mesh, group *g)
{
    int64_t coord[MW_MAX_MESH] = {0};
    int *member = MW_NEW_ARRAY(team->arena, g->wire.size, int);
    if (!member)
        return MW_ENOMEM;
    mw_mesh_coords(mesh, team->rank, coord);
    for (int k = 0; k < g->wire.size; k++) {
        mw_mesh_group_member(mesh, g->axes, k, coord);
        member[k] = (int)mw_mesh_rank(mesh, coord);
    }
    g->meeting = (mw_host_group){
        .number = (int)g->axes, .size = g->wire.size, .member = member};
    return MW_OK;
}

// No memory of this host's own is wanted by a team of one.
static mw_status share_region(mw_team *team, int64_t bytes, char **part)
{
    *part = NULL;
    team->shared_bytes = 0;
    if (!team->mpi || team->size < 2)
        return MW_OK;
    if (!team->host)
        MW_TRY(
            mw_host_open(team->arena, team->all.comm, team->here, &team->host));
    MW_TRY(mw_host_region(team->host, bytes, part));
    if (*part)
        team->shared_bytes = bytes;
    for (int i = 0; i < team->n_groups; i++)
        MW_TRY(attach(team, team->group[i]));
    return MW_OK;
}

mw_status mw_team_share(mw_team *team, int64_t bytes, mw_team_memory *memory)
{
    *memory = (mw_team_memory){NULL, NULL};
    MW_TRY(share_region(team, bytes > 0 ? bytes : 1, &memory->at));
    if (memory->at) {
        mw_mem_large_pages(memory->at, (size_t)bytes);
        return MW_OK;
    }
    char *block = mw_mem_alloc(team->ctx, 1, (size_t)bytes + MW_ALIGN);
    if (!block)
        return MW_ENOMEM;
    mw_mem_large_pages(block, (size_t)bytes);
    uintptr_t past = (uintptr_t)block % MW_ALIGN;
    *memory = (mw_team_memory){block + (past ? MW_ALIGN - past : 0), block};
    return MW_OK;
}

void mw_team_unshare(mw_team *team, mw_team_memory *memory)
{
    if (memory->at && !memory->block) {
        team->shared_bytes = 0;
        for (int i = 0; i < team->n_groups; i++)
            team->group[i]->wire.part = NULL;
    }
    mw_mem_free(memory->block);
    *memory = (mw_team_memory){NULL, NULL};
}

mw_status mw_team_lane(mw_team *team, const mw_mesh *mesh, uint32_t axes,
                       int lane, mw_wire **wire)
{
    group *g = find_group(team, axes, lane);
    if (!g) {
        int index, first, size = (int)mw_mesh_group_size(mesh, axes);
        g = MW_NEW(team->arena, group);
        if (!g)
            return MW_ENOMEM;
        MPI_Comm comm = MPI_COMM_NULL;
        place(mesh, axes, team->rank, &index, &first);
        if (size > 1)
            MW_TRY(check(team->ctx,
                         MPI_Comm_split(team->all.comm, first, index, &comm),
                         "MPI_Comm_split"));
        g->axes = axes;
        g->lane = lane;
        join(team, g, comm, index, size);
        MW_TRY(list_members(team, mesh, g));
        MW_TRY(attach(team, g));
        team->group[team->n_groups++] = g;
    }
    *wire = &g->wire;
    return MW_OK;
}

mw_status mw_team_group(mw_team *team, const mw_mesh *mesh, uint32_t axes,
                        mw_wire **wire)
{
    return mw_team_lane(team, mesh, axes, 0, wire);
}

mw_wire *mw_team_all(mw_team *team)
{
    return &team->all.wire;
}

int64_t mw_team_bytes_sent(const mw_team *team)
{
    int64_t sum = 0;
    for (int i = 0; i < team->n_groups; i++)
        sum += team->group[i]->wire.bytes_sent;
    return sum;
}

/* What a rank tells of its failure. */
typedef struct words {
    char message[MW_MESSAGE_MAX], where[MW_WHERE_MAX];
} words;

mw_status mw_team_agree(mw_team *team, mw_status status)
{
    if (!team->mpi)
        return status;
    struct {
        int status, rank;
    } mine = {(int)status, team->rank}, worst;
    mw_ctx *ctx = team->ctx;
    MW_TRY(check(
        ctx,
        MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, team->all.comm),
        "MPI_Allreduce"));
    if (worst.status == MW_OK)
        return MW_OK;
    words told = {{0}, {0}};
    memcpy(told.message, ctx->message, sizeof told.message);
    memcpy(told.where, ctx->where, sizeof told.where);
    MW_TRY(check(ctx,
                 MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, worst.rank,
                           team->all.comm),
                 "MPI_Bcast"));
    if ((int)status == worst.status)
        return status;
    mw_ctx_clear(ctx);
    mw_ctx_at(ctx, "%s", told.where);
    return mw_fail(ctx, (mw_status)worst.status, "%s", told.message);
}

mw_status mw_team_same(mw_team *team, const char *what, uint64_t value)
{
    if (!team->mpi)
        return MW_OK;
    uint64_t first = value;
    mw_ctx *ctx = team->ctx;
    MW_TRY(check(ctx, MPI_Bcast(&first, 1, MPI_UINT64_T, 0, team->all.comm),
                 "MPI_Bcast"));
    mw_status status = MW_OK;
    if (first != value)
        status = mw_fail(ctx, MW_ERUN,
                         "rank %d has %s %016" PRIx64 " where rank 0 has "
                         "%016" PRIx64,
                         team->rank, what, value, first);
    return mw_team_agree(team, status);
}

mw_status mw_team_list(mw_team *team, int64_t value, int64_t by_rank[])
{
    by_rank[team->rank] = value;
    if (!team->mpi)
        return MW_OK;
    return check(team->ctx,
                 MPI_Allgather(&value, 1, MPI_INT64_T, by_rank, 1, MPI_INT64_T,
                               team->all.comm),
                 "MPI_Allgather");
}

mw_status mw_team_sum(mw_team *team, int64_t value, int64_t *sum)
{
    *sum = value;
    if (!team->mpi)
        return MW_OK;
    return check(
        team->ctx,
        MPI_Allreduce(&value, sum, 1, MPI_INT64_T, MPI_SUM, team->all.comm),
        "MPI_Allreduce");
}

mw_status mw_team_max(mw_team *team, double value, double *largest)
{
    *largest = value;
    if (!team->mpi)
        return MW_OK;
    return check(
        team->ctx,
        MPI_Allreduce(&value, largest, 1, MPI_DOUBLE, MPI_MAX, team->all.comm),
        "MPI_Allreduce");
}

mw_status mw_team_largest(mw_team *team, int64_t value[], int n)
{
    if (!team->mpi)
        return MW_OK;
    return check(team->ctx,
                 MPI_Allreduce(MPI_IN_PLACE, value, n, MPI_INT64_T, MPI_MAX,
                               team->all.comm),
                 "MPI_Allreduce");
}

mw_status mw_team_barrier(mw_team *team)
{
    if (!team->mpi)
        return MW_OK;
    return check(team->ctx, MPI_Barrier(team->all.comm), "MPI_Barrier");
}

void mw_team_mark(mw_team *team, bool begin)
{
    if (team->mpi)
        (void)MPI_Pcontrol(begin ? 1 : 0);
}

void mw_team_abort(mw_team *team, int exit_status)
{
    if (team->mpi)
        (void)MPI_Abort(MPI_COMM_WORLD, exit_status);
}
