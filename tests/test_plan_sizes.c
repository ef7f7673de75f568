/* test_plan_sizes.c - how many processors, and how large a dimension: the
 * answers stand against single plans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
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
                          "output y\n";

static bool plan(mw_arena *arena, const char *options, mw_shell *got)
{
    char *line =
        mw_arena_format(arena, "meshwright plan $S/sizes.mw %s", options);
    return line && mw_shell_run(arena, line, got);
}

static void open_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_ctx_init(ctx);
    mw_arena_init(arena, ctx);
    char *path = mw_arena_format(arena, "%s/sizes.mw", mw_scratch_path());
    CHECK(path && mw_file_write(ctx, path, net, strlen(net)) == MW_OK, "%s",
          ctx->message);
}

static void close_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_arena_free(arena);
    mw_ctx_free(ctx);
}

static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

/* ---- how many processors ---- */

// A row of the table, "rank,name,status,mesh,time,...", against a plan of its
// mesh alone.
static void check_row(mw_arena *arena, const char *options, char *row,
                      double *last_s)
{
    enum { RANK, NAME, STATUS, MESH, TIME, N };
    char *word[N];
    mw_shell got;
    for (int i = 0; i < N; i++)
        word[i] = strsep(&row, ",");
    if (!CHECK(row != NULL, "%s: a short row", options))
        return;
    char *line = mw_arena_format(arena, "--mesh %s %s --top 1 --format json",
                                 word[NAME], options);
    if (!line || !plan(arena, line, &got))
        return;
    if (strcmp(word[STATUS], "infeasible") == 0) {
        CHECK(got.exit_status == 4, "%s on %s: listed as infeasible, status %d",
              options, word[NAME], got.exit_status);
        return;
    }
    double time_s = strtod(word[TIME], NULL);
    double alone_s = number_after(got.out, "\"time_s\": ");
    CHECK(got.exit_status == 0 && time_s >= alone_s * (1 - 1e-12) &&
              time_s <= alone_s * (1 + 1e-12),
          "%s on %s: %.17g s in the table, %.17g by itself", options,
          word[NAME], time_s, alone_s);
    CHECK(time_s >= *last_s, "%s: %s is out of order", options, word[NAME]);
    *last_s = time_s;
}

static void counts(void)
{
    static const char *const options[] = {
        "--iterations 50", "--iterations 50 --memory 40kB",
        "--iterations 50 --scope global --machine a100"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        mw_shell got;
        char *line = mw_arena_format(&arena, "--mesh auto:1..6 %s --format csv",
                                     options[i]);
        if (!line || !plan(&arena, line, &got) ||
            !CHECK(got.exit_status == 0, "%s: %s", options[i], got.err))
            continue;
        char *rest = got.out;
        double last_s = 0;
        int n_rows = 0;
        (void)strsep(&rest, "\n");
        for (char *row; (row = strsep(&rest, "\n")) && *row; n_rows++)
            check_row(&arena, options[i], row, &last_s);
        // 1, 2, 3, 4, 2x2, 5, 6 and 2x3 or 3x2 as the machine tells apart.
        CHECK(n_rows >= 8, "%s: %d rows", options[i], n_rows);
    }
    close_arena(&ctx, &arena);
}

// The table's efficiency is the time of one processor over that of all.
static void efficiency(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got, alone;
    open_arena(&ctx, &arena);
    if (plan(&arena, "--mesh auto:1..4 --format json", &got) &&
        plan(&arena, "--mesh 1 --format json", &alone)) {
        double one_s = number_after(alone.out, "\"time_s\": ");
        const char *ranking = strstr(got.out, "\"ranking\"");
        if (CHECK(ranking != NULL && one_s > 0, "%s", got.err)) {
            double want = one_s / (number_after(ranking, "\"time_s\": ") *
                                   number_after(ranking, "\"processors\": "));
            double found = number_after(ranking, "\"efficiency\": ");
            CHECK(found > want * 0.999 && found < want * 1.001,
                  "efficiency %g, wanted %g", found, want);
        }
    }
    if (plan(&arena, "--mesh auto:2..3 -o $S/sizes.json", &got) &&
        mw_shell_run(&arena, "meshwright check $S/sizes.json", &got))
        CHECK(got.exit_status == 0, "%s%s", got.out, got.err);
    close_arena(&ctx, &arena);
}

/* ---- in which order ---- */

// The best of all orders is the best of each by itself.
static void orders(void)
{
    static const char *const mesh[] = {"data=2,model=3", "model=3,data=2"};
    static const char *const options[] = {"--machine a100",
                                          "--rule d_ff=data,model --even"};
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        double best_s = -1, all_s = -1;
        for (int k = 0; k < 3; k++) {
            char *line = mw_arena_format(
                &arena, "--mesh %s %s %s --top 1 --format json", mesh[k == 1],
                options[i], k < 2 ? "" : "--axis-orders all");
            if (!line || !plan(&arena, line, &got))
                continue;
            double time_s = number_after(got.out, "\"time_s\": ");
            if (k == 2)
                all_s = time_s;
            else if (time_s > 0 && (best_s < 0 || time_s < best_s))
                best_s = time_s;
        }
        CHECK(all_s > 0 && all_s <= best_s && all_s >= best_s,
              "%s: all orders %g s, the best of each %g s", options[i], all_s,
              best_s);
    }
    if (plan(&arena,
             "--mesh data=2,model=2 --axis-orders all --rule d_ff=model,data "
             "--top 1",
             &got))
        CHECK(got.exit_status == 0 && strstr(got.out, "on model=2,data=2 ("),
              "%s%s", got.out, got.err);
    if (plan(&arena, "--mesh 2 --axis-orders some", &got))
        CHECK(got.exit_status == 2, "%s", got.out);
    close_arena(&ctx, &arena);
}

/* ---- how large ---- */

static const struct size_row {
    const char *options, *dim;
} size_rows[] = {
    {"--mesh 2x2 --memory 200kB", "batch"},
    {"--mesh 3 --memory 300kB", "batch"},
    {"--mesh 2x2 --memory 100kB --even", "batch"},
    {"--mesh 2x2 --memory 150kB --scope global", "batch"},
    {"--mesh auto:4 --memory 100kB", "d_ff"},
    {"--mesh 2 --memory 150kB --rule batch=-", "batch"},
    {"--mesh 2x2 --memory 120kB --fix w1=-", "d_ff"},
};

// The size fits, and the next does not: asked one by one.
static void check_size(mw_arena *arena, const struct size_row *row)
{
    mw_shell got;
    char *line = mw_arena_format(arena, "%s --largest %s --format json",
                                 row->options, row->dim);
    if (!line || !plan(arena, line, &got) ||
        !CHECK(got.exit_status == 0, "%s: %s", row->options, got.err))
        return;
    const char *largest = strstr(got.out, "\"largest\": ");
    if (!CHECK(largest && strstr(largest, "\"proven\": true"), "%s: not proven",
               row->options))
        return;
    int size = (int)number_after(largest, "\"size\": ");
    CHECK((int)number_after(
              got.out, mw_arena_format(arena, "\"%s\": ", row->dim)) == size,
          "%s: the plan has another %s than %d", row->options, row->dim, size);
    for (int more = 0; more < 2; more++) {
        char *one = mw_arena_format(arena, "%s --dim %s=%d", row->options,
                                    row->dim, size + more);
        if (one && plan(arena, one, &got))
            CHECK(got.exit_status == (more ? 4 : 0), "%s: status %d: %s", one,
                  got.exit_status, got.err);
    }
}

static void largest(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof size_rows / sizeof size_rows[0]; i++)
        check_size(&arena, &size_rows[i]);
    if (plan(&arena, "--mesh 2 --memory 1kB --largest batch", &got))
        CHECK(got.exit_status == 4, "no size fits: status %d", got.exit_status);
    if (plan(&arena, "--mesh 2 --memory 1MB --largest bach", &got))
        CHECK(got.exit_status == 2 && strstr(got.err, "'batch'?"), "%s",
              got.err);
    // What is written is the plan of that size.
    if (plan(&arena,
             "--mesh 2x2 --memory 200kB --largest batch -o $S/largest.json",
             &got) &&
        mw_shell_run(&arena,
                     "meshwright check $S/largest.json && meshwright run "
                     "$S/largest.json",
                     &got))
        CHECK(got.exit_status == 0, "%s%s", got.out, got.err);
    close_arena(&ctx, &arena);
}

// A built-in's dimensions are its keys, whatever was set before.
static void built_in(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got, more;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (mw_shell_run(&arena,
                     "meshwright plan gpt --set layers=1 --set batch=3 --mesh "
                     "2x2 --memory 256MB --largest batch --top 1 --format json",
                     &got) &&
        CHECK(got.exit_status == 0, "%s", got.err)) {
        const char *largest = strstr(got.out, "\"largest\": ");
        int size = largest ? (int)number_after(largest, "\"size\": ") : -1;
        char *line = mw_arena_format(
            &arena,
            "meshwright plan gpt --set layers=1 --set batch=%d --mesh 2x2 "
            "--memory 256MB --top 1",
            size + 1);
        if (line && mw_shell_run(&arena, line, &more))
            CHECK(size > 0 && more.exit_status == 4, "batch %d: %s", size + 1,
                  more.out);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

// A model that takes no further size says so.
static void refused(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (mw_shell_run(&arena,
                     "meshwright plan examples/gpt_tiny.onnx --dim batch=2 "
                     "--mesh 2 --memory 64MB --largest seq",
                     &got))
        CHECK(got.exit_status == 0 &&
                  strstr(got.out, "largest seq that fits: 64; the model takes "
                                  "no 65: "),
              "%s%s", got.out, got.err);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_plan_sizes = {
    "plan_sizes",
    {{"processor counts", counts},
     {"efficiency", efficiency},
     {"orders of mesh axes", orders},
     {"the largest size that fits", largest},
     {"the largest size of a built-in model", built_in},
     {"the largest size that the model takes", refused}},
};
