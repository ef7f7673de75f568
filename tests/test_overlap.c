/* test_overlap.c - reductions of gradients go on beside the backward pass of a
 * data-parallel plan for a network, and cost neither memory nor bits. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char machine[] =
    "{\"name\": \"net\", \"brief\": \"hosts\", \"source\": \"round\","
    " \"flops_per_s\": {\"f32\": 1e11}, \"memory_bytes_per_s\": 1e10,"
    " \"memory_bytes\": 4000000000, \"op_overhead_s\": 2e-6, \"levels\": ["
    "{\"name\": \"network\", \"count\": 0, \"latency_s\": 1e-3,"
    " \"bytes_per_s\": 25e6}]}";

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
    const mw_json *plan;
} fixture;

static bool run_line(fixture *f, const char *line, mw_shell *got)
{
    return mw_shell_run(&f->arena, line, got) &&
           CHECK(got->exit_status == 0, "%s: status %d: %s", line,
                 got->exit_status, got->err);
}

static const mw_json *read_json(fixture *f, const char *name)
{
    const mw_json *root = NULL;
    char *path = mw_arena_format(&f->arena, "%s/%s", mw_scratch_path(), name);
    CHECK(path && mw_json_read(&f->arena, path, &root) == MW_OK, "%s: %s", name,
          f->ctx.message);
    return root;
}

static bool open_fixture(fixture *f)
{
    mw_shell got;
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
    char *path = mw_arena_format(&f->arena, "%s/net.json", mw_scratch_path());
    if (!CHECK(path && mw_file_write(&f->ctx, path, machine,
                                     sizeof machine - 1) == MW_OK,
               "%s", f->ctx.message) ||
        !run_line(f,
                  "meshwright plan mlp --set layers=5 --set hidden=256 --set "
                  "batch=32 --mesh data=2 --machine $S/net.json --train adam "
                  "--loss mse --pick data_parallel -o $S/overlap.json",
                  &got))
        return false;
    f->plan = read_json(f, "overlap.json");
    return f->plan != NULL;
}

static void close_fixture(fixture *f)
{
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

static int64_t integer(const mw_json *object, const char *key)
{
    const mw_json *found = object ? mw_json_find(object, key) : NULL;
    return found && found->kind == MW_JSON_INT ? found->u.integer : -1;
}

static double real(const mw_json *object, const char *key)
{
    const mw_json *found = object ? mw_json_find(object, key) : NULL;
    return found && found->kind == MW_JSON_REAL ? found->u.real : -1;
}

/* A reduction ends after its op, an update waits for it, the peak stays that of
 * what lives. */
static void planned(void)
{
    fixture f;
    if (open_fixture(&f)) {
        const mw_json *ops = mw_json_find(f.plan, "ops");
        const mw_json *predicted = mw_json_find(f.plan, "predicted");
        int64_t waiting = 0, late = 0, most = 0;
        for (int64_t k = 0; ops && k < ops->n; k++) {
            const mw_json *op = &ops->u.item[k];
            const mw_json *naturals = mw_json_find(op, "naturals");
            for (int64_t i = 0; naturals && i < naturals->n; i++)
                waiting += integer(&naturals->u.item[i], "until_op") > k + 1;
            late += integer(op, "runs_before_op") > k;
            int64_t live = integer(op, "live_bytes");
            most = live > most ? live : most;
        }
        CHECK(waiting >= 4 && late >= 4,
              "%lld reductions wait, %lld updates are late", (long long)waiting,
              (long long)late);
        CHECK(most == integer(predicted, "live_peak_bytes"),
              "a step holds %lld bytes", (long long)most);
        double step_s = real(predicted, "time_s");
        double compute_s = real(predicted, "compute_s");
        double comm_s = real(predicted, "comm_s");
        CHECK(step_s < real(predicted, "additive_s") && step_s >= compute_s &&
                  step_s >= comm_s,
              "a step takes %g s, of %g s of kernels and %g s of moves", step_s,
              compute_s, comm_s);
        mw_shell got;
        (void)run_line(&f, "meshwright check $S/overlap.json", &got);
        (void)run_line(&f, "meshwright verify $S/overlap.json", &got);
    }
    close_fixture(&f);
}

/* From and to, of an event of a category on a rank. */
static bool span_of(const mw_json *event, const char *category, int64_t rank,
                    double span[2])
{
    const mw_json *cat = mw_json_find(event, "cat");
    const mw_json *at = mw_json_find(event, "ts");
    const mw_json *length = mw_json_find(event, "dur");
    if (!cat || !at || !length || strcmp(cat->u.text, category) != 0 ||
        integer(event, "pid") != rank)
        return false;
    span[0] = at->kind == MW_JSON_INT ? (double)at->u.integer : at->u.real;
    span[1] = length->kind == MW_JSON_INT ? (double)length->u.integer
                                          : length->u.real;
    span[1] += span[0];
    return true;
}

// Kernels of a rank that ran while a move went on beside them.
static int kernels_beside(const mw_json *events, int64_t rank)
{
    int n = 0;
    double move[2], kernel[2];
    for (int64_t i = 0; i < events->n; i++) {
        if (!span_of(&events->u.item[i], "beside", rank, move))
            continue;
        for (int64_t k = 0; k < events->n; k++)
            n += span_of(&events->u.item[k], "compute", rank, kernel) &&
                 kernel[0] >= move[0] && kernel[1] <= move[1];
    }
    return n;
}

// Pairs of moves of a rank that were on their way at the same time.
static int moves_together(const mw_json *events, int64_t rank)
{
    int n = 0;
    double one[2], other[2];
    for (int64_t i = 0; i < events->n; i++) {
        if (!span_of(&events->u.item[i], "beside", rank, one))
            continue;
        for (int64_t k = i + 1; k < events->n; k++)
            n += span_of(&events->u.item[k], "beside", rank, other) &&
                 one[0] < other[1] && other[0] < one[1];
    }
    return n;
}

/* The trace shows it, and results are the same without. */
static void run_beside(void)
{
    fixture f;
    mw_shell got;
    if (open_fixture(&f) &&
        run_line(&f,
                 "meshwright run $S/overlap.json --repeat 3 --trace "
                 "$S/beside.json --output $S/beside",
                 &got) &&
        run_line(
            &f,
            "meshwright run $S/overlap.json --blocking --repeat 3 --output "
            "$S/blocking --trace $S/blocking.json",
            &got) &&
        run_line(&f, "diff -r $S/beside $S/blocking", &got)) {
        const mw_json *root = read_json(&f, "beside.json");
        const mw_json *other = read_json(&f, "blocking.json");
        for (int64_t rank = 0; root && other && rank < 2; rank++) {
            int n = kernels_beside(mw_json_find(root, "traceEvents"), rank);
            CHECK(n > 0, "rank %lld: %d kernels ran beside moves",
                  (long long)rank, n);
            n = moves_together(mw_json_find(root, "traceEvents"), rank);
            CHECK(n > 0, "rank %lld: one move at a time", (long long)rank);
            CHECK(kernels_beside(mw_json_find(other, "traceEvents"), rank) == 0,
                  "rank %lld: blocked, and beside", (long long)rank);
        }
    }
    close_fixture(&f);
}

const mw_suite mw_suite_overlap = {
    "overlap", {{"planned", planned}, {"run beside", run_beside}}};
