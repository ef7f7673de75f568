/*
 * bench_network.c - all_reduce of floats among the ranks of a job, each way and
 * the MPI library's own: name, value, unit, a line each. A rank of a job that
 * another has started; bench/runtime_netcluster starts it.
 *
 * usage: bench_network NAME SECONDS_A_MB MIB...
 * SECONDS_A_MB: what the slowest link takes for a MB of the vector at least;
 * the bound that times are compared with. A time is the least of some runs' on
 * the rank that took longest.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runtime/measure.h"

enum { RUNS = 3 };

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_mesh mesh;
    mw_team *team;
    const char *name;
    double bound_s_a_mb;
} bench;

static void put(const bench *b, int64_t mib, const char *way, double seconds)
{
    double bound = b->bound_s_a_mb * (double)(mib << 20) / 1e6;
    if (mw_team_rank(b->team) > 0)
        return;
    (void)printf("network/%s/all_reduce/%lldMiB/%s\t%.4g\tms\n", b->name,
                 (long long)mib, way, seconds * 1e3);
    (void)printf("network/%s/all_reduce/%lldMiB/%s_by_bound\t%.4g\tratio\n",
                 b->name, (long long)mib, way, seconds / bound);
    (void)fflush(stdout);
}

// What is timed: a move, or the library's call.
typedef struct job {
    mw_move *move;
    float *in, *out;
    int count;
} job;

static mw_status run(bench *b, const job *what)
{
    if (what->move)
        return mw_move_run(what->move);
    if (MPI_Allreduce(what->in, what->out, what->count, MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD) == MPI_SUCCESS)
        return MW_OK;
    return mw_fail(&b->ctx, MW_ERUN, "the library's all_reduce failed");
}

static mw_status time_least(bench *b, const job *what, double *least)
{
    *least = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double slowest;
        MW_TRY(mw_team_barrier(b->team));
        double start = mw_clock_s();
        MW_TRY(run(b, what));
        MW_TRY(mw_team_max(b->team, mw_clock_s() - start, &slowest));
        *least = slowest < *least ? slowest : *least;
    }
    return MW_OK;
}

static mw_status time_way(bench *b, int64_t mib, mw_way way)
{
    const mw_measure_move what = {.mesh = &b->mesh,
                                  .kind = MW_ALL_REDUCE,
                                  .way = way,
                                  .axes = 1,
                                  .bytes = mib << 20};
    char text[MW_WAY_TEXT_MAX];
    mw_probe probe;
    double least = 0;
    mw_status status = mw_probe_open(&b->ctx, b->team, &what, &probe);
    if (status == MW_OK)
        status = time_least(b, &(job){.move = &probe.move}, &least);
    if (status == MW_OK)
        put(b, mib, mw_way_text(MW_ALL_REDUCE, way, text), least);
    mw_probe_close(&probe);
    return status;
}

static mw_status time_library(bench *b, int64_t mib)
{
    size_t count = (size_t)(mib << 20) / sizeof(float);
    float *block = mw_mem_alloc(&b->ctx, 2 * count, sizeof(float));
    double least = 0;
    if (!block)
        return MW_ENOMEM;
    const job what = {.in = block, .out = block + count, .count = (int)count};
    mw_status status = time_least(b, &what, &least);
    if (status == MW_OK)
        put(b, mib, "library", least);
    mw_mem_free(block);
    return status;
}

static mw_status run_all(bench *b, int n, char **size)
{
    char text[16];
    MW_TRY(mw_team_open(&b->ctx, &b->arena, &b->team));
    int ranks = mw_team_size(b->team);
    (void)snprintf(text, sizeof text, "%d", ranks);
    MW_TRY(mw_mesh_parse(&b->ctx, &b->arena, text, &b->mesh));
    for (int i = 0; i < n; i++) {
        int64_t mib = strtol(size[i], NULL, 10);
        for (int a = 0; a < MW_N_ALGORITHMS; a++)
            for (int inner = 0; inner < ranks; inner++) {
                const mw_way way = {(uint8_t)a, (uint16_t)inner};
                if ((a == MW_HIERARCHICAL || inner == 0) &&
                    !mw_way_refusal(MW_ALL_REDUCE, way, ranks))
                    MW_TRY(time_way(b, mib, way));
            }
        MW_TRY(time_library(b, mib));
    }
    return MW_OK;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        (void)fprintf(stderr,
                      "usage: bench_network NAME SECONDS_A_MB MIB...\n");
        return 2;
    }
    bench b = {.name = argv[1], .bound_s_a_mb = strtod(argv[2], NULL)};
    mw_ctx_init(&b.ctx);
    mw_arena_init(&b.arena, &b.ctx);
    mw_status status = run_all(&b, argc - 3, argv + 3);
    if (status != MW_OK) {
        (void)fprintf(stderr, "bench_network: %s\n", b.ctx.message);
        mw_team_abort(b.team, 5);
    }
    mw_team_close(b.team);
    mw_arena_free(&b.arena);
    mw_ctx_free(&b.ctx);
    return status == MW_OK ? 0 : 1;
}
