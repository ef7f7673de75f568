/* test_plan_front.c - time against memory, and the k best plans, against plans
 * asked for one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char net[] = "model net\n"
                          "dim batch = 24\n"
                          "dim d_in = 36\n"
                          "dim d_ff = 150\n"
                          "input x : f32[batch, d_in]\n"
                          "param w1 : f32[d_in, d_ff]\n"
                          "param w2 : f32[d_ff, d_in]\n"
                          "h = einsum(x, w1) : f32[batch, d_ff]\n"
                          "a = relu(h) : f32[batch, d_ff]\n"
                          "y = einsum(a, w2) : f32[batch, d_in]\n"
                          "z = add(x, y) : f32[batch, d_in]\n"
                          "output z\n";

// The plan of a command line as JSON; NULL after a failed CHECK.
static const mw_json *plan(mw_arena *arena, const char *options)
{
    mw_shell got;
    const mw_json *root;
    char *line =
        mw_arena_format(arena, "meshwright plan %s --format json", options);
    if (!line || !mw_shell_run(arena, line, &got) ||
        !CHECK(got.exit_status == 0, "%s: %s", options, got.err))
        return NULL;
    if (!CHECK(mw_json_parse(arena, "plan", got.out, strlen(got.out), &root) ==
                   MW_OK,
               "%s: %s", options, arena->ctx->message))
        return NULL;
    return root;
}

static double real_of(const mw_json *object, const char *key)
{
    const mw_json *found = mw_json_find(object, key);
    if (!found)
        return -1;
    return found->kind == MW_JSON_INT ? (double)found->u.integer
                                      : found->u.real;
}

static bool is_optimal(const mw_json *object)
{
    const mw_json *found = mw_json_find(object, "status");
    return found && strcmp(found->u.text, "optimal") == 0;
}

static bool near(double a, double b)
{
    return a <= b * (1 + 1e-12) && b <= a * (1 + 1e-12);
}

static void open_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_ctx_init(ctx);
    mw_arena_init(arena, ctx);
    char *path = mw_arena_format(arena, "%s/front.mw", mw_scratch_path());
    CHECK(path && mw_file_write(ctx, path, net, strlen(net)) == MW_OK, "%s",
          ctx->message);
}

static void close_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_arena_free(arena);
    mw_ctx_free(ctx);
}

// The least time under a limit is that of a point; below the last there is no
// plan.
static void check_limit(mw_arena *arena, const char *options, int64_t limit,
                        const mw_json *point)
{
    mw_shell got;
    char *line = mw_arena_format(
        arena, "$S/front.mw %s --memory %lld --top 1 --iterations 100", options,
        (long long)limit);
    if (!line)
        return;
    if (point) {
        const mw_json *root = plan(arena, line);
        double time_s = real_of(mw_json_find(root, "predicted"), "time_s");
        CHECK(root && near(time_s, real_of(point, "time_s")),
              "%s: %.17g s, the front has %.17g", line, time_s,
              real_of(point, "time_s"));
    } else if (mw_shell_run(arena,
                            mw_arena_format(arena, "meshwright plan %s", line),
                            &got)) {
        CHECK(got.exit_status == 4, "%s: status %d", line, got.exit_status);
    }
}

static void front(void)
{
    static const char *const options[] = {"--mesh 2x2",
                                          "--mesh 3 --even",
                                          "--mesh 2x3",
                                          "--mesh 2x2 --scope global",
                                          "--mesh 2x2 --machine a100",
                                          "--mesh 2x2 --fix w1=d_ff@m0",
                                          "--mesh 4 --objective peak"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const mw_json *root = plan(
            &arena,
            mw_arena_format(
                &arena,
                "$S/front.mw %s --pareto --iterations 100 -o $S/front.json",
                options[i]));
        const mw_json *points = mw_json_find(root, "pareto");
        const mw_json *whole = mw_json_find(root, "pareto_whole");
        mw_shell got;
        if (!CHECK(points && points->n > 0 && whole && whole->u.truth,
                   "%s: no whole front", options[i]))
            continue;
        if (mw_shell_run(&arena, "meshwright check $S/front.json", &got))
            CHECK(got.exit_status == 0, "%s: %s%s", options[i], got.out,
                  got.err);
        const char *rest = strstr(options[i], " --objective");
        int length = rest ? (int)(rest - options[i]) : 99;
        char *by_time = mw_arena_format(&arena, "%.*s", length, options[i]);
        for (int64_t k = 0; k < points->n; k++) {
            const mw_json *point = &points->u.item[k];
            int64_t peak = (int64_t)real_of(point, "peak_bytes");
            CHECK(is_optimal(point), "%s: point %d is not proven", options[i],
                  (int)k);
            check_limit(&arena, by_time, peak, point);
            check_limit(&arena, by_time, peak - 1,
                        k + 1 < points->n ? point + 1 : NULL);
        }
    }
    close_arena(&ctx, &arena);
}

// Of several meshes it is whole when each mesh's is, or has none.
static void front_of_meshes(void)
{
    static const char *const options[] = {"--mesh auto:4",
                                          "--mesh auto:1..3 --memory 50kB"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const mw_json *root = plan(
            &arena,
            mw_arena_format(&arena, "$S/front.mw %s --pareto --iterations 100",
                            options[i]));
        const mw_json *points = mw_json_find(root, "pareto");
        const mw_json *whole = mw_json_find(root, "pareto_whole");
        CHECK(points && points->n > 0 && whole && whole->u.truth,
              "%s: no whole front", options[i]);
    }
    close_arena(&ctx, &arena);
}

/* ---- the k best ---- */

// Rows that were searched; checks that each is proven and in order.
static int proven_rows(const char *options, const mw_json *ranking)
{
    int n = 0;
    double last_s = 0;
    for (int64_t i = 0; ranking && i < ranking->n; i++) {
        const mw_json *row = &ranking->u.item[i];
        if (mw_json_find(row, "baseline")->u.truth)
            continue;
        CHECK(is_optimal(row) &&
                  near(real_of(row, "time_s"), real_of(row, "lower_bound_s")),
              "%s: rank %d is not proven", options, n + 1);
        CHECK(real_of(row, "time_s") >= last_s, "%s: rank %d is out of order",
              options, n + 1);
        last_s = real_of(row, "time_s");
        n++;
    }
    return n;
}

static void k_best(void)
{
    static const char *const models[] = {
        "exports/gpt_tiny",  "exports/gpt_static",
        "exports/bert_tiny", "exports/vit_tiny",
        "exports/mlp",       "exports/mixer",
        "real/minilm_l3",    "exports/jax_gpt_static",
    };
    static const char *const scopes[] = {"tensor", "global"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < 2 * sizeof models / sizeof models[0]; i++) {
        const char *shared = mw_shared_path(), *model = models[i / 2];
        char *options = mw_arena_format(
            &arena,
            "%s/models/%s.onnx --sizes-from %s/models/%s.npz --mesh 3 --top 5 "
            "--iterations 100 "
            "--scope %s",
            shared, model, shared, model, scopes[i % 2]);
        mw_shell there;
        if (i % 2 == 0 &&
            mw_shell_run(&arena,
                         mw_arena_format(&arena, "test -f %s/models/%s.onnx",
                                         shared, model),
                         &there) &&
            there.exit_status != 0) {
            SKIP("%s: not there", model);
            i++;
            continue;
        }
        const mw_json *root = plan(&arena, options);
        int n = proven_rows(options, mw_json_find(root, "ranking"));
        CHECK(n == 5, "%s: %d rows, wanted 5", options, n);
    }
    close_arena(&ctx, &arena);
}

// Which plan a rank is does not depend on time.
static void picks(void)
{
    static const char *const options[] = {
        "--mesh 2x2 --pick layout-4 --top 4",
        "--mesh 2x2 --pick layout-4 --top 4 --iterations 10"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    const mw_json *digest[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        digest[i] = mw_json_find(
            plan(&arena, mw_arena_format(&arena, "$S/front.mw %s", options[i])),
            "digest");
    CHECK(digest[0] && digest[1] &&
              strcmp(digest[0]->u.text, digest[1]->u.text) == 0,
          "layout-4 by time is not layout-4 by iterations");
    close_arena(&ctx, &arena);
}

// A least peak that is proved is one of the arena, and no row has a smaller
// one.
static void least_peaks(void)
{
    static const char *const options[] = {
        "mlp --train sgd --mesh 3", "mlp --train adam --mesh 3",
        "$S/front.mw --mesh 2x2", "$S/front.mw --mesh 3 --scope global"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const mw_json *root =
            plan(&arena,
                 mw_arena_format(&arena, "%s --objective peak --iterations 100",
                                 options[i]));
        if (!root)
            continue;
        double peak = real_of(mw_json_find(root, "predicted"), "peak_bytes");
        double bound = real_of(root, "lower_bound_bytes");
        CHECK(peak > 0 && bound <= peak &&
                  is_optimal(root) == near(peak, bound),
              "%s: %.0f bytes, bound %.0f", options[i], peak, bound);
        const mw_json *rows = mw_json_find(root, "ranking");
        for (int64_t k = 0; rows && k < rows->n; k++) {
            const mw_json *row = &rows->u.item[k];
            const mw_json *own = mw_json_find(row, "peak_bytes");
            CHECK(!own || mw_json_find(row, "reason") ||
                      real_of(row, "peak_bytes") >= peak,
                  "%s: row %d has a smaller arena", options[i], (int)k);
        }
    }
    close_arena(&ctx, &arena);
}

const mw_suite mw_suite_plan_front = {
    "plan_front",
    {{"time against memory", front},
     {"time against memory over meshes", front_of_meshes},
     {"the k best are proven", k_best},
     {"a rank is one plan", picks},
     {"the least peak is one of the arena", least_peaks}},
};
