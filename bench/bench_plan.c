/* bench_plan.c - planning large graphs: name, value, unit, a line each.
 *
 * GPT-3's width in 12 to 96 layers on 64 and 512 processors, with and without a
 * limit of memory, forward and in training by Adam (bf16, with master copies);
 * GPT-2's on 4; all rules of two models on three axes; all meshes of 64
 * processors. Arguments: the cases wanted, by the beginning of their names. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ir/fuse.h"
#include "ir/model.h"
#include "ir/train.h"
#include "profiles/machine.h"
#include "search/rank.h"
#include "search/rank_mesh.h"

static const double limit_s = 60;
static const int64_t memory = INT64_C(80000000000);

static const char machine_text[] =
    "{\"name\": \"bench\", \"brief\": \"public figures\", \"source\": "
    "\"round\","
    " \"flops_per_s\": {\"f32\": 156e12, \"bf16\": 156e12},"
    " \"memory_bytes_per_s\": 1.5e12, \"memory_bytes\": 80000000000,"
    " \"op_overhead_s\": 4e-6, \"levels\": ["
    "{\"name\": \"node\", \"count\": 8, \"latency_s\": 2e-6,"
    " \"bytes_per_s\": 300e9},"
    "{\"name\": \"cluster\", \"count\": 0, \"latency_s\": 10e-6,"
    " \"bytes_per_s\": 25e9}]}";

typedef struct bench_case {
    const char *name, *model, *mesh; /* mesh NULL: all of 64 */
    const char *set[5];
    bool limited, global;
    const char *remat; /* of training; NULL: forward only */
} bench_case;

#define GPT3(n, batch)                                                         \
    {                                                                          \
        "preset=gpt3-175b", "dtype=bf16", "layers=" n, "batch=" batch          \
    }
#define ON_BOTH(kind, n, how)                                                  \
    {kind n "/8x8", "gpt", "8x8", GPT3(n, "64"), false, false, how},           \
        {kind n "/8x8/80GB", "gpt", "8x8", GPT3(n, "64"), true, false, how},   \
        {kind n "/8x8x8", "gpt", "8x8x8", GPT3(n, "512"), false, false, how},  \
    {                                                                          \
        kind n "/8x8x8/80GB", "gpt", "8x8x8", GPT3(n, "512"), true, false, how \
    }
#define GPT2(n, batch)                                                         \
    {                                                                          \
        "preset=gpt2-small", "dtype=bf16", "layers=" n, "seq=1024",            \
            "batch=" batch                                                     \
    }
#define TRAINED(n, how)                                                        \
    {"gpt2-train-" how "-" n "/2x2",                                           \
     "gpt",                                                                    \
     "2x2",                                                                    \
     GPT2(n, "8"),                                                             \
     false,                                                                    \
     false,                                                                    \
     how},                                                                     \
        ON_BOTH("gpt3-train-" how "-", n, how)

static const bench_case cases[] = {
    ON_BOTH("gpt3-", "12", NULL),
    ON_BOTH("gpt3-", "24", NULL),
    ON_BOTH("gpt3-", "48", NULL),
    ON_BOTH("gpt3-", "96", NULL),
    TRAINED("12", "none"),
    TRAINED("12", "full"),
    TRAINED("24", "none"),
    TRAINED("24", "full"),
    TRAINED("48", "none"),
    TRAINED("48", "full"),
    TRAINED("96", "none"),
    TRAINED("96", "full"),
    {"global/gpt3-12/8x8x8", "gpt", "8x8x8", GPT3("12", "512"), false, true,
     NULL},
    {"global/moe/8x8x8", "moe", "8x8x8", {"dtype=bf16"}, false, true, NULL},
    {"auto/gpt3-12/64", "gpt", NULL, GPT3("12", "64"), false, false, NULL},
};

static void put(const bench_case *it, const char *what, double value,
                const char *unit)
{
    (void)printf("plan/%s/%s\t%.6g\t%s\n", it->name, what, value, unit);
}

static void put_best(const bench_case *it, const mw_ranking *ranking)
{
    const mw_ranked *best = ranking->best;
    if (!best)
        return;
    double time_s = (double)best->plan.time_ps * 1e-12;
    double bound_s = (double)best->bound * 1e-12;
    (void)printf("plan/%s/status\t%s\t-\n", it->name,
                 mw_solve_status_text(best->status));
    put(it, "time", time_s, "s");
    put(it, "gap",
        best->status == MW_SOLVE_OPTIMAL ? 0 : 100 * (1 - bound_s / time_s),
        "%");
    put(it, "peak", (double)best->plan.peak_bytes / 1e9, "GB");
    if (best->tied_by > 0) {
        put(it, "tied_by", best->tied_by, "layers");
        put(it, "tied_time", (double)best->tied_ps * 1e-12, "s");
    }
}

/* On a busy machine the processor's time says more than the clock. */
typedef struct stopwatch {
    double wall_s;
    clock_t cpu;
} stopwatch;

static stopwatch begin(void)
{
    return (stopwatch){mw_clock_s(), clock()};
}

static void put_times(const bench_case *it, const char *what, stopwatch since)
{
    char name[32];
    put(it, what, mw_clock_s() - since.wall_s, "s");
    (void)snprintf(name, sizeof name, "%s_cpu", what);
    put(it, name, (double)(clock() - since.cpu) / CLOCKS_PER_SEC, "s");
}

/* What is asked, beside the case. */
typedef struct question {
    mw_ctx *ctx;
    mw_arena *arena;
    const bench_case *it;
    const mw_graph *graph;
    const mw_costs *costs;
} question;

// Tables alone, then the search as `plan` does it.
static mw_status ask(const question *q, const mw_mesh *mesh, double until_s,
                     mw_ranking *ranking)
{
    mw_setting on = {.graph = q->graph, .mesh = mesh, .costs = q->costs};
    mw_search_options options = {.memory_bytes =
                                     q->it->limited ? memory : MW_NO_LIMIT,
                                 .top = 1,
                                 .global = q->it->global,
                                 .budget = {.deadline = {until_s}}};
    mw_space space;
    stopwatch since = begin();
    MW_TRY(mw_resharder_open(q->ctx, q->arena, mesh, q->costs, &on.resharder));
    if (q->it->mesh && !q->it->global) {
        MW_TRY(mw_space_build(q->ctx, q->arena, &on, &options.space, &space));
        put(q->it, "nodes", space.n_nodes, "-");
        put_times(q->it, "build", since);
        since = begin();
        // The search makes tables of its own.
        MW_TRY(
            mw_resharder_open(q->ctx, q->arena, mesh, q->costs, &on.resharder));
    }
    MW_TRY(mw_search(q->ctx, q->arena, &on, &options, ranking));
    if (q->it->mesh)
        put_times(q->it, "plan", since);
    return MW_OK;
}

static mw_status ask_all(const question *q)
{
    mw_mesh *mesh;
    mw_ranking best = {0};
    int n;
    stopwatch since = begin();
    MW_TRY(mw_mesh_factorizations(q->ctx, q->arena, 64, q->costs, &mesh, &n));
    for (int i = 0; i < n; i++) {
        mw_ranking one = {0};
        MW_TRY(ask(q, &mesh[i], since.wall_s + limit_s, &one));
        if (one.best &&
            (!best.best || one.best->plan.time_ps < best.best->plan.time_ps))
            best = one;
    }
    put(q->it, "meshes", n, "-");
    put_times(q->it, "plan", since);
    put_best(q->it, &best);
    return MW_OK;
}

static mw_status bench(mw_ctx *ctx, mw_arena *arena, const bench_case *it)
{
    mw_machine machine;
    mw_graph forward, whole, graph;
    mw_train_options train;
    mw_ranking ranking = {0};
    mw_mesh mesh;
    int n_set = 0;
    while (n_set < 5 && it->set[n_set])
        n_set++;
    MW_TRY(mw_machine_parse(ctx, arena, "bench", machine_text, &machine));
    mw_costs costs = mw_machine_costs(&machine);
    MW_TRY(mw_model_build(arena, it->model, it->set, n_set, &forward));
    whole = forward;
    if (it->remat) {
        MW_TRY(mw_train_options_read(arena, "adam", NULL, it->remat, &train));
        MW_TRY(mw_graph_init(&whole, arena, forward.name));
        MW_TRY(mw_train(&forward, &train, &whole));
    }
    MW_TRY(mw_graph_init(&graph, arena, forward.name));
    MW_TRY(mw_fuse(&whole, NULL, 0, &graph));
    question q = {ctx, arena, it, &graph, &costs};
    if (!it->mesh)
        return ask_all(&q);
    MW_TRY(mw_mesh_parse(ctx, arena, it->mesh, &mesh));
    MW_TRY(ask(&q, &mesh, mw_clock_s() + limit_s, &ranking));
    put_best(it, &ranking);
    return MW_OK;
}

static bool wanted(const bench_case *it, int n, char *const names[])
{
    for (int i = 0; i < n; i++) {
        if (strncmp(it->name, names[i], strlen(names[i])) == 0)
            return true;
    }
    return n == 0;
}

int main(int argc, char *argv[])
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!wanted(&cases[i], argc - 1, argv + 1))
            continue;
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        if (bench(&ctx, &arena, &cases[i]) != MW_OK) {
            (void)fprintf(stderr, "%s: %s\n", cases[i].name, ctx.message);
            mw_ctx_clear(&ctx);
            failed = 1;
        }
        mw_arena_free(&arena);
        (void)fflush(stdout);
    }
    mw_ctx_free(&ctx);
    return failed;
}
