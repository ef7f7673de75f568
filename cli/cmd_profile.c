/* cmd_profile.c - measures kernels and collectives on the real ranks. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/job.h"
#include "cli/model_options.h"
#include "cli/rank.h"
#include "db/store.h"
#include "profiles/local.h"
#include "profiles/sampling.h"
#include "runtime/fingerprint.h"
#include "runtime/kernel.h"
#include "runtime/launch.h"
#include "runtime/measure.h"

static const mw_option options[] = {
    {"mesh", "SPEC", "ranks to measure on; as many as there are cores", false},
    {"db", "FILE", "the store that takes the figures", false},
    {"for", "MODEL", "measure this model's ops under every strategy as well",
     false},
    {"no-fuse", NULL, "with --for: every op by itself, as in `plan --no-fuse`",
     false},
    MW_MODEL_OPTION_ROWS,
    {"quick", NULL, "one pass of about 20 seconds", false},
    {"budget", "S", "about how many seconds to measure; 60, with --quick 20",
     false},
    {"threads", "N", "of each rank", false},
    {NULL, NULL, NULL, false},
};

typedef struct work {
    mw_arena *arena;
    const mw_args *args;
    mw_team *team;
    mw_mesh mesh;
    int threads;
    double budget_s;
    mw_graph quick, model;
    mw_import_files *files;
    mw_sampling sampling[2]; /* of quick, of the model */
    mw_machine machine;
    mw_measured measured;
    int64_t cap_kernels, cap_collectives;
} work;

// What the process holds of memory now: libraries, before any data.
static mw_status resident_bytes(mw_ctx *ctx, int64_t *bytes)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long long total = 0, resident = 0;
    int n = file ? fscanf(file, "%lld %lld", &total, &resident) : 0;
    if (file)
        (void)fclose(file);
    if (n != 2)
        return mw_fail(ctx, MW_ERUN,
                       "/proc/self/statm cannot be read: it says what "
                       "libraries take of memory");
    *bytes = resident * sysconf(_SC_PAGESIZE);
    return MW_OK;
}

static mw_status read_mesh(mw_ctx *ctx, mw_arena *arena, const mw_args *args,
                           mw_mesh *mesh)
{
    const char *text = mw_args_text(args, "mesh");
    if (!text)
        text = mw_arena_format(arena, "%lld", (long long)mw_job_cores());
    if (!text)
        return MW_ENOMEM;
    return mw_mesh_parse(ctx, arena, text, mesh);
}

static mw_status read_options(work *w)
{
    static const int64_t counts[2] = {1, MW_JOB_THREADS_MAX};
    static const double seconds[2] = {0.1, 1e6};
    mw_ctx *ctx = w->arena->ctx;
    MW_TRY(read_mesh(ctx, w->arena, w->args, &w->mesh));
    MW_TRY(mw_rank_of_mesh(ctx, &w->mesh, w->team));
    int64_t threads,
        usual = mw_job_threads(mw_job_local(mw_team_size(w->team)));
    MW_TRY(mw_args_int(ctx, w->args, "threads", counts, usual, &threads));
    w->threads = (int)threads;
    double otherwise = mw_args_has(w->args, "quick") ? 20 : 60;
    return mw_args_real(ctx, w->args, "budget", seconds, otherwise,
                        &w->budget_s);
}

// Lists what to measure. The model's graph is read with shapes alone.
static mw_status prepare(work *w)
{
    MW_TRY(mw_machine_local(w->arena->ctx, w->arena, &w->machine));
    MW_TRY(mw_sampling_quick(w->arena, &w->quick, &w->sampling[0]));
    int64_t ranks = mw_mesh_ranks(&w->mesh);
    bool hosts = mw_job_local(ranks) < ranks;
    MW_TRY(mw_sampling_moves(w->arena, &w->mesh, hosts, &w->sampling[0]));
    const char *path = mw_args_text(w->args, "for");
    if (!path)
        return MW_OK;
    mw_import_options with;
    MW_TRY(mw_model_options_read(w->arena, w->args, &with));
    with.fuse = !mw_args_has(w->args, "no-fuse");
    MW_TRY(mw_model_read(w->arena, path, &with, &w->model, &w->files));
    return mw_sampling_model(w->arena, &w->model, &w->mesh, &w->sampling[1]);
}

// Keeps the first figure of a key: a graph may ask for it twice.
static bool is_known(const work *w, const mw_kernel_sample *sample)
{
    for (int i = 0; i < w->measured.n_kernels; i++) {
        const mw_kernel_sample *s = &w->measured.kernel[i];
        if (s->dtype == sample->dtype && strcmp(s->op, sample->op) == 0 &&
            strcmp(s->key, sample->key) == 0)
            return true;
    }
    return false;
}

static mw_status measure_op(work *w, const mw_sampling *sampling, int64_t i,
                            double budget_s)
{
    const mw_graph *graph = sampling->graph;
    const mw_sampling_op *what = &sampling->op[i];
    const mw_op *op = &graph->op[what->op];
    mw_kernel_sample sample;
    MW_TRY(mw_kernel_sample_of(w->arena, graph, op, what->extent, &sample));
    if (is_known(w, &sample))
        return MW_OK;
    MW_TRY(mw_measure_op(w->team, graph, op, what->extent, w->threads, budget_s,
                         &sample.seconds));
    mw_measured *m = &w->measured;
    m->kernel = mw_arena_reserve(w->arena, m->kernel, m->n_kernels,
                                 &w->cap_kernels, sizeof sample);
    if (!m->kernel)
        return MW_ENOMEM;
    m->kernel[m->n_kernels++] = sample;
    return MW_OK;
}

static mw_status measure_move(work *w, int64_t i, double budget_s)
{
    const mw_sampling_move *what = &w->sampling[0].move[i];
    const mw_measure_move move = {&w->mesh, what->kind, what->way, what->axes,
                                  what->bytes};
    mw_collective_sample sample = {.kind = what->kind, .way = what->way};
    mw_group_of(&w->mesh, what->axes, &sample.ranks, &sample.stride);
    MW_TRY(mw_measure_step(w->arena->ctx, w->team, &move, budget_s,
                           &sample.bytes, &sample.seconds));
    mw_measured *m = &w->measured;
    for (int k = 0; k < m->n_collectives; k++) {
        const mw_collective_sample *s = &m->collective[k];
        if (s->kind == sample.kind && s->ranks == sample.ranks &&
            s->stride == sample.stride && s->bytes == sample.bytes &&
            mw_way_equal(s->way, sample.way))
            return MW_OK;
    }
    m->collective = mw_arena_reserve(w->arena, m->collective, m->n_collectives,
                                     &w->cap_collectives, sizeof sample);
    if (!m->collective)
        return MW_ENOMEM;
    m->collective[m->n_collectives++] = sample;
    return MW_OK;
}

// What is left of the budget, shared by what is left to measure; the ranks
// agree on it, since it decides how often each runs.
typedef struct pace {
    double end_s;
    int64_t done, total;
} pace;

static mw_status next_budget(work *w, pace *p, double *seconds)
{
    mw_progress_tell(w->arena->ctx, "measuring", p->done, p->total);
    double left = (p->end_s - mw_clock_s()) / (double)(p->total - p->done);
    p->done++;
    return mw_team_max(w->team, left > 0 ? left : 0, seconds);
}

static mw_status measure(work *w)
{
    const mw_sampling *quick = &w->sampling[0];
    pace p = {.end_s = mw_clock_s() + w->budget_s,
              .total = quick->n_ops + w->sampling[1].n_ops + quick->n_moves};
    double budget_s;
    for (int64_t i = 0; i < quick->n_moves; i++) {
        MW_TRY(next_budget(w, &p, &budget_s));
        MW_TRY(measure_move(w, i, budget_s));
    }
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < w->sampling[k].n_ops; i++) {
            MW_TRY(next_budget(w, &p, &budget_s));
            MW_TRY(measure_op(w, &w->sampling[k], i, budget_s));
        }
    mw_measured_sort(&w->measured);
    return MW_OK;
}

static mw_status describe(work *w)
{
    mw_ctx *ctx = w->arena->ctx;
    char taken[32];
    time_t now = time(NULL);
    struct tm utc;
    (void)strftime(taken, sizeof taken, "%Y-%m-%dT%H:%M:%SZ",
                   gmtime_r(&now, &utc));
    char *fingerprint;
    MW_TRY(mw_fingerprint(ctx, w->arena, &fingerprint));
    w->measured.fingerprint = fingerprint;
    w->measured.taken = mw_arena_text(w->arena, taken);
    w->measured.threads = w->threads;
    w->measured.ranks = mw_team_size(w->team);
    w->machine.measured = &w->measured;
    return w->measured.taken ? MW_OK : MW_ENOMEM;
}

// The rates that the samples show at their best, for people.
static void print_table(const work *w)
{
    char number[MW_UNITS_MAX];
    double flops = 0, bytes = 0;
    for (int i = 0; i < w->measured.n_kernels; i++) {
        const mw_kernel_sample *s = &w->measured.kernel[i];
        if (s->gemm[0] > 0 && s->flops / s->seconds > flops)
            flops = s->flops / s->seconds;
        if (strcmp(s->op, "add") == 0)
            bytes = s->bytes / s->seconds;
    }
    printf("machine      %s\n", w->measured.fingerprint);
    printf("ranks        %lld, %d thread%s each\n",
           (long long)w->measured.ranks, w->threads,
           w->threads == 1 ? "" : "s");
    printf("GEMM         %sFLOP/s at best, f32, a rank\n",
           mw_count_text(flops, number));
    printf("elementwise  %s/s, a rank\n",
           mw_bytes_text((int64_t)bytes, number));
    printf("overhead     %s a rank besides the arena\n",
           mw_bytes_text(w->machine.overhead_bytes, number));
    printf("collective      algorithm       ranks  stride       bytes        "
           "time\n");
    for (int i = 0; i < w->measured.n_collectives; i++) {
        const mw_collective_sample *s = &w->measured.collective[i];
        char way[MW_WAY_TEXT_MAX];
        printf("%-14s  %-14s  %5lld  %6lld  %10s", mw_collective_name(s->kind),
               mw_way_text(s->kind, s->way, way), (long long)s->ranks,
               (long long)s->stride, mw_bytes_text(s->bytes, number));
        printf("  %10s\n", mw_seconds_text(s->seconds, number));
    }
    printf("kernels      %d measured\n", w->measured.n_kernels);
}

static void print_csv(const work *w)
{
    printf("what,key,bytes,time_s\n");
    for (int i = 0; i < w->measured.n_kernels; i++) {
        const mw_kernel_sample *s = &w->measured.kernel[i];
        printf("%s %s,\"%s\",%.0f,%.17g\n", s->op, mw_dtype_name(s->dtype),
               s->key, s->bytes, s->seconds);
    }
    for (int i = 0; i < w->measured.n_collectives; i++) {
        const mw_collective_sample *s = &w->measured.collective[i];
        printf("%s,\"%lld ranks, stride %lld\",%lld,%.17g\n",
               mw_collective_name(s->kind), (long long)s->ranks,
               (long long)s->stride, (long long)s->bytes, s->seconds);
    }
}

static mw_status report(work *w)
{
    mw_ctx *ctx = w->arena->ctx;
    const char *path = mw_args_text(w->args, "db");
    if (path) {
        mw_store *store;
        MW_TRY(mw_store_open(ctx, path, MW_STORE_WRITE, &store));
        mw_status status =
            mw_store_save_measured(store, &w->machine, &w->measured);
        mw_store_close(store);
        MW_TRY(status);
    }
    if (w->args->format == MW_OUTPUT_JSON) {
        char *json;
        MW_TRY(mw_machine_print(ctx, w->arena, &w->machine, &json));
        (void)puts(json);
    } else if (w->args->format == MW_OUTPUT_CSV) {
        print_csv(w);
    } else {
        print_table(w);
    }
    return MW_OK;
}

static mw_status be_part(work *w)
{
    mw_status status = read_options(w);
    if (status == MW_OK)
        status = prepare(w);
    if (status == MW_OK) {
        mw_kernels_start(w->threads);
        status = resident_bytes(w->arena->ctx, &w->machine.overhead_bytes);
    }
    MW_TRY(mw_team_agree(w->team, status));
    double overhead = (double)w->machine.overhead_bytes;
    MW_TRY(mw_team_max(w->team, overhead, &overhead));
    w->machine.overhead_bytes = (int64_t)overhead;
    MW_TRY(mw_rank_step(w->arena->ctx, w->team, measure(w)));
    status = describe(w);
    if (status == MW_OK && mw_team_rank(w->team) == 0)
        status = report(w);
    return mw_team_agree(w->team, status);
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
        status = be_part(&w);
    }
    mw_team_close(w.team);
    mw_import_close(w.files);
    mw_arena_free(&arena);
    return mw_cli_rank_status(ctx, rank, status);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return be_rank(ctx, args);
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_mesh mesh;
    mw_status status = read_mesh(ctx, &arena, args, &mesh);
    if (status == MW_OK)
        status = mw_mesh_ranks(&mesh) == 1
                     ? be_rank(ctx, args)
                     : mw_cli_job(ctx, args, "profile", mw_mesh_ranks(&mesh),
                                  NULL, NULL);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_profile = {
    .name = "profile",
    .brief = "measures kernels and collectives on the real ranks",
    .arguments = "",
    .min_args = 0,
    .max_args = 0,
    .options = options,
    .details =
        "All ranks measure at the same time, as they compute in a run. `plan "
        "--db FILE` takes the figures for meshes of as many ranks. Without "
        "--db they are only printed; `--format json` prints a machine file.",
    .example = "meshwright profile --mesh 2x2 --quick --db profiles.db\n"
               "meshwright profile --mesh 2x2 --db profiles.db --for net.onnx",
    .run = run,
};
