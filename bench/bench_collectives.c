/*
 * bench_collectives.c - collectives of floats among ranks of this host, 1 to
 * 64 MB: name, value, unit, a line each.
 *
 * For each: our time by the way that is least, the MPI library's own, and the
 * bound: what all ranks read and write in the best shared-memory algorithm,
 * divided by what the same ranks' STREAM triad moves, measured in between.
 * In that algorithm a byte is read once and written once where it belongs:
 * p ranks reduce n bytes each by reading p n, and write n (reduce_scatter) or
 * p n (all_reduce); they gather n by reading n and writing p n; of n local
 * bytes all_to_all reads and writes p n. All three take turns; a time is the
 * least of many runs', as the machine may be busy. Arguments: the numbers of
 * ranks, 2 and 4 if none.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/job.h"
#include "runtime/launch.h"
#include "runtime/measure.h"

enum { TURNS = 6, RUNS = 64 };
static const double turn_s = 0.1;
static const int64_t triad_bytes = INT64_C(64) << 20; /* an array's */

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_mesh mesh;
    mw_team *team;
    int ranks, rank;
    double triad_s; /* of the slowest rank, at best */
    double *array[3];
} bench;

static double least(double a, double b)
{
    return a < b ? a : b;
}

typedef mw_status run_fn(bench *b, void *what);

/* The least time of a run over a turn, from the first rank's start to the last
 * one's end: they share this host's clock, and may outnumber its cores. */
static mw_status take_turn(bench *b, run_fn *run, void *what, double *seconds)
{
    int64_t before[RUNS] = {0}, after[RUNS] = {0};
    int n = 0;
    double begin = mw_clock_s(), longest = 0;
    while (n < RUNS && longest < turn_s) {
        MW_TRY(mw_team_barrier(b->team));
        before[n] = -(int64_t)(mw_clock_s() * 1e9);
        MW_TRY(run(b, what));
        after[n++] = (int64_t)(mw_clock_s() * 1e9);
        MW_TRY(mw_team_max(b->team, mw_clock_s() - begin, &longest));
    }
    MW_TRY(mw_team_largest(b->team, before, n));
    MW_TRY(mw_team_largest(b->team, after, n));
    for (int i = 0; i < n; i++)
        *seconds = least(*seconds, (double)(after[i] + before[i]) / 1e9);
    return MW_OK;
}

/* ---- what is timed ---- */

static mw_status run_triad(bench *b, void *what)
{
    double *x = b->array[0];
    const double *y = b->array[1], *z = b->array[2];
    (void)what;
    for (int64_t i = 0; i < triad_bytes / (int64_t)sizeof(double); i++)
        x[i] = y[i] + 3.0 * z[i];
    return MW_OK;
}

static mw_status run_ours(bench *b, void *what)
{
    (void)b;
    return mw_move_run(what);
}

typedef struct call {
    void *in, *out;
    int count; /* floats in all */
    int ranks;
    const struct row *row;
} call;

static int all_reduce(const call *c)
{
    return MPI_Allreduce(c->in, c->out, c->count, MPI_FLOAT, MPI_SUM,
                         MPI_COMM_WORLD);
}

static int reduce_scatter(const call *c)
{
    return MPI_Reduce_scatter_block(c->in, c->out, c->count / c->ranks,
                                    MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static int all_gather(const call *c)
{
    return MPI_Allgather(c->in, c->count / c->ranks, MPI_FLOAT, c->out,
                         c->count / c->ranks, MPI_FLOAT, MPI_COMM_WORLD);
}

static int all_to_all(const call *c)
{
    return MPI_Alltoall(c->in, c->count / c->ranks, MPI_FLOAT, c->out,
                        c->count / c->ranks, MPI_FLOAT, MPI_COMM_WORLD);
}

/* What is measured, and how often n bytes pass in the best algorithm. */
typedef struct row {
    mw_collective kind;
    mw_algorithm algorithm;
    int (*library)(const call *c);
    int by_ranks, once; /* passes: by_ranks * p + once */
} row;

static const row rows[] = {
    {MW_ALL_REDUCE, MW_DIRECT, all_reduce, 2, 0},
    {MW_REDUCE_SCATTER, MW_DIRECT, reduce_scatter, 1, 1},
    {MW_ALL_GATHER, MW_DIRECT, all_gather, 1, 1},
    {MW_ALL_TO_ALL, MW_USUAL, all_to_all, 2, 0},
};
enum { N_ROWS = sizeof rows / sizeof rows[0], N_SIZES = 4 };

static mw_status run_library(bench *b, void *what)
{
    const call *c = what;
    if (c->row->library(c) == MPI_SUCCESS)
        return MW_OK;
    return mw_fail(&b->ctx, MW_ERUN, "the library's %s failed",
                   mw_collective_name(c->row->kind));
}

/* ---- side by side ---- */

/* The least times of one row and size. */
typedef struct result {
    const row *row;
    int64_t bytes;
    double ours, library;
} result;

static mw_status compare(bench *b, result *r)
{
    const mw_measure_move move = {.mesh = &b->mesh,
                                  .kind = r->row->kind,
                                  .way = {(uint8_t)r->row->algorithm, 0},
                                  .axes = 1,
                                  .bytes = r->bytes};
    call c = {b->array[0], b->array[1],
              (int)(r->bytes / (int64_t)sizeof(float)), b->ranks, r->row};
    mw_probe probe;
    mw_status status = mw_probe_open(&b->ctx, b->team, &move, &probe);
    for (int turn = 0; status == MW_OK && turn < TURNS; turn++) {
        status = take_turn(b, run_ours, &probe.move, &r->ours);
        if (status == MW_OK)
            status = take_turn(b, run_library, &c, &r->library);
        if (status == MW_OK)
            status = take_turn(b, run_triad, NULL, &b->triad_s);
    }
    mw_probe_close(&probe);
    return status;
}

static void put(const bench *b, const result *r)
{
    double rate = 3.0 * (double)triad_bytes * b->ranks / b->triad_s;
    double passes = (double)r->row->by_ranks * b->ranks + r->row->once;
    double bound = passes * (double)r->bytes / rate;
    const struct {
        const char *what, *unit;
        double value;
    } lines[] = {{"ours", "ms", r->ours * 1e3},
                 {"library", "ms", r->library * 1e3},
                 {"bound", "ms", bound * 1e3},
                 {"ours_by_bound", "ratio", r->ours / bound},
                 {"library_by_ours", "ratio", r->library / r->ours}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        (void)printf("collectives/%d/%s/%lldMB/%s\t%.4g\t%s\n", b->ranks,
                     mw_collective_name(r->row->kind),
                     (long long)(r->bytes >> 20), lines[i].what, lines[i].value,
                     lines[i].unit);
}

static mw_status open_arrays(bench *b)
{
    size_t n = (size_t)triad_bytes / sizeof(double);
    for (int i = 0; i < 3; i++) {
        b->array[i] = mw_mem_alloc(&b->ctx, n, sizeof(double));
        if (!b->array[i])
            return MW_ENOMEM;
        for (size_t k = 0; k < n; k++)
            b->array[i][k] = (double)i;
    }
    return MW_OK;
}

static mw_status run_all(bench *b)
{
    char text[16];
    MW_TRY(mw_team_open(&b->ctx, &b->arena, &b->team));
    b->ranks = mw_team_size(b->team);
    b->rank = mw_team_rank(b->team);
    (void)snprintf(text, sizeof text, "%d", b->ranks);
    MW_TRY(mw_mesh_parse(&b->ctx, &b->arena, text, &b->mesh));
    MW_TRY(open_arrays(b));
    result results[N_ROWS * N_SIZES];
    int n = 0;
    for (int i = 0; i < N_ROWS; i++)
        for (int k = 0; k < N_SIZES; k++) {
            results[n] =
                (result){&rows[i], INT64_C(1) << (20 + 2 * k), 1e9, 1e9};
            MW_TRY(compare(b, &results[n++]));
        }
    for (int i = 0; b->rank == 0 && i < n; i++)
        put(b, &results[i]);
    if (b->rank == 0)
        (void)printf("collectives/%d/triad\t%.4g\tGB/s\n", b->ranks,
                     3e-9 * (double)triad_bytes * b->ranks / b->triad_s);
    return MW_OK;
}

static int as_rank(void)
{
    bench b = {.triad_s = 1e9};
    mw_ctx_init(&b.ctx);
    mw_arena_init(&b.arena, &b.ctx);
    mw_status status = run_all(&b);
    if (status != MW_OK) {
        (void)fprintf(stderr, "bench_collectives: %s\n", b.ctx.message);
        mw_team_abort(b.team, 5);
    }
    for (int i = 0; i < 3; i++)
        mw_mem_free(b.array[i]);
    mw_team_close(b.team);
    mw_arena_free(&b.arena);
    mw_ctx_free(&b.ctx);
    return status == MW_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return as_rank();
    int status = 0;
    for (int i = 1; i < argc; i++)
        status |= mw_bench_job(argv[0], strtol(argv[i], NULL, 10));
    if (argc == 1)
        status = mw_bench_job(argv[0], 2) | mw_bench_job(argv[0], 4);
    return status;
}
