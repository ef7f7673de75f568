/* test_import_ties.c - weights that a file holds twice are found by content and
 * counted once; in files beside it only where that is asked for. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "ir/import.h"
#include "tests/onnx_text.h"
#include "tests/shell.h"
#include "tests/test.h"

enum { PATH = 512, MATRIX = 24 };

#define HEAD "ir 8\nopset 17\ninput x float 2,4\noutput y\n"
/* y = (x w) v, w[4,6] and v[6,4] */
#define CHAIN "node MatMul x,w -> h\nnode MatMul h,v -> y\n"

static const struct row {
    const char *lines;
    int check; /* --check-ties */
    int n_params;
    const char *warning; /* NULL: none at all */
} rows[] = {
    {HEAD "weight w float 4,6 ~1\nweight v float 6,4 ~2\n" CHAIN, 0, 2, NULL},
    {HEAD "weight w float 4,6 ~1\nweight v float 6,4 ~1t\n" CHAIN, 0, 1,
     "'w' and 'v' hold the same values, one transposed: tied"},
    /* square, as it is and transposed */
    {HEAD "weight w float 4,4 ~1\nweight v float 4,4 ~1\n" CHAIN, 0, 1,
     "'w' and 'v' hold the same values: tied"},
    {HEAD "weight w float 4,4 ~1\nweight v float 4,4 ~1t\n" CHAIN, 0, 1,
     "one transposed"},
    /* a transpose that is no operand of a contraction */
    {HEAD "weight w float 2,4 ~1\nweight v float 4,2 ~1t\n"
          "node Add x,w -> h\nnode Transpose h -> g perm=[1,0]\n"
          "node Add g,v -> y\n",
     0, 1, "one transposed"},
    /* the same values in another shape or type, or one value throughout */
    {HEAD "weight w float 4,6 ~1\nweight v float 6,4 ~1\n" CHAIN, 0, 2, NULL},
    {HEAD "weight w float 4,4 0.5\nweight v float 4,4 0.5\n" CHAIN, 0, 2, NULL},
    /* vectors: weights are, counts are not */
    {HEAD "weight w float 4 ~1\nweight v float 4 ~1\n"
          "node Add x,w -> h\nnode Mul h,v -> y\n",
     0, 1, "tied"},
    {HEAD "weight w float 2 1\nweight v float 2 1\nweight u float 1 7\n"
          "node Concat u,w -> a axis=0\nnode Concat u,v -> b axis=0\n"
          "node Concat w,a,b -> c axis=0\nnode ReduceSum c -> s keepdims=0\n"
          "node Add x,s -> y\n",
     0, 2, NULL},
    /* three of a kind and a fourth, which is named by number */
    {HEAD "weight w float 4,4 ~1\nweight v float 4,4 ~1t\n"
          "weight u float 4,4 ~1\nweight t float 4,4 ~1\n"
          "weight s float 4,4 ~1\n" CHAIN
          "node MatMul y,u -> z\nnode MatMul z,t -> a\n"
          "node MatMul a,s -> b\noutput b\n",
     0, 1, "1 more weights are tied"},
    /* what only an unused node has */
    {HEAD "weight w float 4,6 ~1\nweight v float 6,4 ~2\n"
          "weight u float 6,4 ~2\n" CHAIN "node MatMul h,u -> unused\n",
     0, 2, NULL},
    /* beside the model: equal bytes in two places, and one place twice */
    {HEAD "extern w float 4,6 ties.bin 0 96\n"
          "extern v float 4,6 ties.bin 96 96\n"
          "node MatMul x,w -> h\nnode MatMul x,v -> g\nnode Add h,g -> y\n",
     0, 2, NULL},
    {HEAD "extern w float 4,6 ties.bin 0 96\n"
          "extern v float 4,6 ties.bin 96 96\n"
          "node MatMul x,w -> h\nnode MatMul x,v -> g\nnode Add h,g -> y\n",
     1, 1, "'w' and 'v' hold the same values: tied"},
    {HEAD "extern w float 4,6 ties.bin 96 96\n"
          "extern v float 4,6 ties.bin 96 -\n"
          "node MatMul x,w -> h\nnode MatMul x,v -> g\nnode Add h,g -> y\n",
     0, 1, "tied"},
    {HEAD "extern w float 4,4 ties.bin 0 64\n"
          "extern v float 4,4 ties.bin 64 64\n" CHAIN,
     1, 2, NULL},
};

static const char *path_of(char path[PATH], const char *name)
{
    (void)snprintf(path, PATH, "%s/%s", mw_scratch_path(), name);
    return path;
}

/* The same matrix twice. */
static void write_beside(mw_ctx *ctx)
{
    char path[PATH];
    float values[2 * MATRIX];
    for (int i = 0; i < 2 * MATRIX; i++)
        values[i] = (float)(i % MATRIX) / MATRIX;
    mw_status status =
        mw_file_write(ctx, path_of(path, "ties.bin"), values, sizeof values);
    CHECK(status == MW_OK, "%s", ctx->message);
}

static int count_params(const mw_graph *graph)
{
    int n = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        n += graph->tensor[t].role == MW_ROLE_PARAM;
    return n;
}

static bool warned(const mw_ctx *ctx, const char *text)
{
    for (const mw_warning *w = ctx->warning; w; w = w->next)
        if (text && strstr(w->text, text))
            return true;
    return !text && !ctx->warning;
}

static void run_row(const struct row *row)
{
    char path[PATH];
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files = NULL;
    mw_import_options options = {.check_ties = row->check};
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    CHECK(onnx_text_file(path_of(path, "ties.onnx"), row->lines),
          "%s cannot be written", path);
    write_beside(&ctx);
    mw_status status = mw_model_read(&arena, path, &options, &graph, &files);
    if (CHECK(status == MW_OK, "%s: %s: %s", row->lines, ctx.where,
              ctx.message)) {
        CHECK(count_params(&graph) == row->n_params, "%s: %d parameters",
              row->lines, count_params(&graph));
        CHECK(warned(&ctx, row->warning), "%s: warns '%s'", row->lines,
              ctx.warning ? ctx.warning->text : "");
    }
    mw_import_close(files);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void tables(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        run_row(&rows[i]);
}

/* What was planned with --check-ties runs so: the weights' bytes are mapped
 * there, and not in the plan. */
static void command(void)
{
    static const char *const lines[] = {
        "meshwright plan $S/ties.onnx --check-ties --mesh 2 -o $S/ties.json",
        "meshwright run $S/ties.json",
        "meshwright check $S/ties.json",
    };
    char path[PATH];
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    CHECK(onnx_text_file(path_of(path, "ties.onnx"), rows[12].lines),
          "%s cannot be written", path);
    write_beside(&ctx);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        mw_shell result;
        if (mw_shell_run(&arena, lines[i], &result))
            CHECK(result.exit_status == 0, "%s: status %d: %s", lines[i],
                  result.exit_status, result.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_import_ties = {
    "import_ties", {{"tables", tables}, {"command", command}}};
