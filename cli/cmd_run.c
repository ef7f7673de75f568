/* cmd_run.c - runs a plan: as a job, or as one of its ranks. */
#include <string.h>

#include "base/hash.h"
#include "cli/job.h"
#include "cli/rank.h"
#include "cli/run_report.h"
#include "db/store.h"
#include "runtime/fingerprint.h"
#include "runtime/launch.h"
#include "runtime/load.h"
#include "runtime/output.h"
#include "runtime/trace.h"

enum { MAX_COUNT = 1 << 20 };

static const mw_option options[] = {
    {"input", "NAME=F.npy|F.npz",
     "values of inputs; a .npz holds NAME or in:NAME", true},
    {"weights", "F.safetensors", "values of parameters, instead of the model's",
     false},
    {"expect", "F.npz", "compares outputs with out:NAME or NAME", false},
    {"rtol", "R",
     "how far floats may be off, of the value (1e-3; halves ten times that)",
     false},
    {"atol", "A", "how far floats may be off besides (1e-4)", false},
    {"output", "DIR", "writes each output as DIR/NAME.npy", false},
    {"repeat", "N", "runs several times and shows least, median and most",
     false},
    {"threads", "N", "of each rank, instead of its share of the cores", false},
    {"oversubscribe", NULL,
     "allows --threads beyond the cores; says how long none was free", false},
    {"blocking", NULL, "ends every collective before the next op begins",
     false},
    {"trace", "F.json",
     "writes when each step ran, of the last run: Chrome "
     "trace format",
     false},
    {"seed", "N", "of inputs and weights that are not given", false},
    {"db", "FILE", "keeps what was measured beside what was planned", false},
    {NULL, NULL, NULL, false},
};

/* What was asked for, in numbers. */
typedef struct wishes {
    int64_t repeat, seed;
    mw_rank_threads threads;
    mw_output_spec output;
} wishes;

/* One rank's work. */
typedef struct work {
    mw_arena *arena;
    const mw_args *args;
    mw_team *team;
    mw_load load;
    wishes wish;
    mw_exec exec;
    mw_outcome outcome;
    mw_run_report report;
} work;

static mw_status read_wishes(mw_ctx *ctx, const mw_args *args, int64_t planned,
                             int64_t ranks, wishes *wish)
{
    static const int64_t counts[2] = {1, MAX_COUNT}, seeds[2] = {0, INT64_MAX};
    static const double bounds[2] = {0, 1e300};
    MW_TRY(mw_args_int(ctx, args, "repeat", counts, 1, &wish->repeat));
    MW_TRY(mw_args_int(ctx, args, "seed", seeds, 0, &wish->seed));
    MW_TRY(mw_args_real(ctx, args, "rtol", bounds, 1e-3,
                        &wish->output.tolerance.rtol));
    MW_TRY(mw_args_real(ctx, args, "atol", bounds, 1e-4,
                        &wish->output.tolerance.atol));
    wish->output.expect = mw_args_text(args, "expect");
    wish->output.folder = mw_args_text(args, "output");
    return mw_rank_threads_read(ctx, args, planned, ranks, &wish->threads);
}

static mw_status read_values(work *w)
{
    MW_TRY(mw_load_model(w->arena, w->team, (uint64_t)w->wish.seed, &w->load));
    return mw_rank_values(w->args, &w->load.values);
}

// All that can fail on one rank alone, before any waits for another.
static mw_status prepare(work *w)
{
    mw_ctx *ctx = w->arena->ctx;
    int size = mw_team_size(w->team);
    MW_TRY(mw_load_plan(w->arena, w->args->pos[0], &w->load));
    MW_TRY(mw_rank_of_plan(ctx, &w->load.file, w->team));
    MW_TRY(
        read_wishes(ctx, w->args, w->load.file.info.threads, size, &w->wish));
    return read_values(w);
}

static uint64_t digest_of(const mw_plan_file *file)
{
    return mw_hash_text(0, file->computed);
}

static mw_status run_plan(work *w)
{
    mw_status status = prepare(w);
    const char *trace = mw_args_text(w->args, "trace");
    MW_TRY(mw_team_agree(w->team, status));
    MW_TRY(mw_team_same(w->team, "a plan with the digest",
                        digest_of(&w->load.file)));
    mw_kernels_start((int)w->wish.threads.each);
    status = mw_exec_open(w->arena, &w->load.plan, w->team,
                          (int)w->wish.threads.each, &w->exec);
    w->exec.blocking = mw_args_has(w->args, "blocking");
    if (status == MW_OK && trace)
        status = mw_trace_begin(w->arena, &w->exec);
    MW_TRY(mw_team_agree(w->team, status));
    MW_TRY(mw_outcome_run(w->arena, &w->exec, &w->load.values,
                          (int)w->wish.repeat, mw_cli_tell, &w->outcome));
    if (trace)
        MW_TRY(mw_trace_write(&w->exec, trace));
    w->report =
        (mw_run_report){.file = &w->load.file,
                        .outcome = &w->outcome,
                        .ranks = mw_team_size(w->team),
                        .threads = w->wish.threads.each,
                        .oversubscribed = w->wish.threads.oversubscribed,
                        .expected = w->wish.output.expect != NULL};
    if (w->args->format == MW_OUTPUT_JSON)
        w->report.yields = mw_team_yields(w->team);
    return mw_outputs_take(w->arena, &w->exec, &w->wish.output,
                           &w->report.compared);
}

// The run, in the store that --db names.
static mw_status keep(const work *w)
{
    const char *path = mw_args_text(w->args, "db");
    const mw_plan_file *file = &w->load.file;
    char *fingerprint;
    mw_store *store;
    if (!path)
        return MW_OK;
    mw_ctx *ctx = w->arena->ctx;
    MW_TRY(mw_fingerprint(ctx, w->arena, &fingerprint));
    const mw_store_run run = {.model = file->graph.name,
                              .model_sha256 = file->info.sha256,
                              .plan_digest = file->computed,
                              .fingerprint = fingerprint,
                              .ranks = w->report.ranks,
                              .bytes_sent = w->outcome.bytes_sent,
                              .peak_bytes = w->outcome.peak_bytes,
                              .planned_s = file->time_s,
                              .measured_s = mw_outcome_median(&w->outcome)};
    MW_TRY(mw_store_open(ctx, path, MW_STORE_WRITE, &store));
    mw_status status = mw_store_add_run(store, &run);
    mw_store_close(store);
    return status;
}

// What the first rank does once all have run.
static mw_status tell(const work *w)
{
    MW_TRY(mw_run_print(w->arena->ctx, w->args->format, &w->report));
    MW_TRY(keep(w));
    return mw_run_judge(w->arena->ctx, &w->report);
}

static mw_status be_rank(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    work w = {.arena = &arena, .args = args};
    mw_status status = mw_cli_rank_open(ctx, &arena, &w.team);
    int rank = 0;
    if (status == MW_OK) {
        rank = mw_team_rank(w.team);
        status = run_plan(&w);
    }
    if (status == MW_OK && rank == 0)
        status = tell(&w);
    mw_exec_close(&w.exec);
    mw_team_close(w.team);
    mw_load_close(&w.load);
    mw_arena_free(&arena);
    return mw_cli_rank_status(ctx, rank, status);
}

// How many ranks a plan wants, and whether the command line makes sense.
static mw_status look(mw_ctx *ctx, const mw_args *args, int64_t *ranks)
{
    int64_t threads;
    wishes wish = {0};
    MW_TRY(mw_rank_look(ctx, args->pos[0], ranks, &threads));
    return read_wishes(ctx, args, threads, *ranks, &wish);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return be_rank(ctx, args);
    MW_TRY(look(ctx, args, &ranks));
    if (ranks == 1)
        return be_rank(ctx, args);
    return mw_cli_job(ctx, args, "run", ranks, NULL, NULL);
}

const mw_command mw_command_run = {
    .name = "run",
    .brief = "runs a plan on MPI ranks, and compares with what it said",
    .arguments = "PLAN.json",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .writes = (const char *const[]){"trace", NULL},
    .details =
        "Started plainly it starts as many ranks as the plan has on this "
        "machine; started under mpirun it uses those. Without --input values "
        "are made from --seed, to time a layout. The bytes each rank sends and "
        "the arena must be the plan's, or the status is 1.",
    .example = "meshwright run plan.json --input net.npz --expect net.npz\n"
               "mpirun --hostfile hosts -n 8 meshwright run plan.json --db "
               "runs.db",
    .run = run,
};
