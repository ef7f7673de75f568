/* test_baseline.c - the usual recipes: what each splits, that they run, and why
 * one is not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char image[] =
    "model image\n"
    "dim batch = 6\n"
    "dim c2 = 2\n"
    "dim h = 9\n"
    "dim w = 8\n"
    "dim c4 = 4\n"
    "dim h5 = 5 of h by conv\n"
    "dim w4 = 4 of w by conv\n"
    "input x : f32[batch, c2, h, w]\n"
    "param k : f32[c4, c2, 3, 3]\n"
    "y = conv(x, k, strides=[2, 2], dilations=[1, 1], pads_begin=[1, 1], "
    "pads_end=[1, 1], in_axes=[2, 3], tap_axes=[2, 3], out_axes=[2, 3]) : "
    "f32[batch, c4, h5, w4]\n"
    "r = relu(y) : f32[batch, c4, h5, w4]\n"
    "s = reduce_sum(r) : f32[batch, c4]\n"
    "output s\n";

#define GPT                                                                    \
    "gpt --set layers=1 --set d_model=16 --set heads=4 --set d_ff=32 --set "   \
    "vocab=24 --set seq=6 --set batch=4"
#define MOE                                                                    \
    "moe --set layers=2 --set d_model=16 --set heads=4 --set d_ff=32 --set "   \
    "vocab=24 --set seq=6 --set batch=4 --set experts=4"

#define TRAIN                                                                  \
    "mlp --set batch=8 --set pixels=16 --set hidden=32 --set classes=8 "       \
    "--train adam"

// A tensor of a recipe's plan and how it is split, as JSON without blanks.
static const struct row {
    const char *model, *mesh, *pick;
    const char *tensor, *split;
} rows[] = {
    {GPT, "data=2,model=2", "2-D", "h.0.mlp.mul.6",
     "{\"batch\":[\"data\"],\"d_ff\":[\"model\"]}"},
    {GPT, "data=2,model=2", "2d", "h.0.ln_1.add.2", "{\"batch\":[\"data\"]}"},
    {GPT, "data=2,model=2", "sequence parallel", "h.0.mlp.mul.6",
     "{\"batch\":[\"data\"],\"d_ff\":[\"model\"]}"},
    {GPT, "data=2,model=2", "sequence", "h.0.ln_1.add.2",
     "{\"batch\":[\"data\"],\"seq\":[\"model\"]}"},
    {GPT, "data=2,model=2", "sequence", "h.0.attn.q.weight",
     "{\"heads\":[\"model\"]}"},
    {GPT, "2", "sequence_parallel", "h.0.ln_2.add.2", "{\"seq\":[\"m0\"]}"},
    {GPT, "data=2,model=2", "Data Parallel", "h.0.mlp.mul.6",
     "{\"batch\":[\"data\",\"model\"]}"},
    {MOE, "4", "expert", "h.1.ln_1.add.2", "{\"batch\":[\"m0\"]}"},
    {MOE, "4", "expert_parallel", "h.1.experts.fc.weight",
     "{\"experts\":[\"m0\"]}"},
    {TRAIN, "2x2", "ZeRO-1", "fc1.weight/m", "{\"hidden\":[\"m0\",\"m1\"]}"},
    {TRAIN, "2x2", "ZeRO-1", "fc1.weight", "{}"},
    {TRAIN, "4", "zero2", "fc1.weight/v", "{\"hidden\":[\"m0\"]}"},
    {TRAIN, "4", "zero2", "fc1.weight", "{}"},
    {TRAIN, "4", "ZeRO-3", "fc1.weight", "{\"hidden\":[\"m0\"]}"},
    {TRAIN, "4", "ZeRO-3", "relu", "{\"batch\":[\"m0\"]}"},
    {"$S/image.mw", "2x2", "spatial", "r", "{\"h5\":[\"m0\"],\"w4\":[\"m1\"]}"},
    {"$S/image.mw", "3", "spatial", "x", "{\"h\":[\"m0\"]}"},
    {"$S/image.mw", "3", "spatial", "s", "{\"batch\":[\"m0\"]}"},
};

// Recipes that are not there: the reason.
static const struct none {
    const char *model, *mesh, *pick, *reason;
} nones[] = {
    {GPT, "2", "zero3", "nothing is updated: that takes --train"},
    {GPT, "2", "expert", "no parameter is a stack of weights"},
    {GPT, "2", "spatial", "no window slides over a dimension"},
    {GPT, "4", "2d", "the mesh has one axis"},
    {"$S/image.mw", "2", "sequence", "no dimension that one parameter makes"},
    {"$S/image.mw --even", "2", "spatial", "h (9) is not divisible by 2"},
};

static void open_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_ctx_init(ctx);
    mw_arena_init(arena, ctx);
    char *path = mw_arena_format(arena, "%s/image.mw", mw_scratch_path());
    CHECK(path && mw_file_write(ctx, path, image, strlen(image)) == MW_OK, "%s",
          ctx->message);
}

static bool pick(mw_arena *arena, const char *model, const char *mesh,
                 const char *name, mw_shell *got)
{
    char *line = mw_arena_format(
        arena,
        "meshwright plan %s --mesh %s --top 1 --pick '%s' -o $S/recipe.json",
        model, mesh, name);
    return line && mw_shell_run(arena, line, got);
}

static void check_split(mw_arena *arena, const struct row *row)
{
    const mw_json *root;
    mw_text text;
    char *path = mw_arena_format(arena, "%s/recipe.json", mw_scratch_path());
    if (!path || !CHECK(mw_json_read(arena, path, &root) == MW_OK, "%s",
                        arena->ctx->message))
        return;
    const mw_json *tensor =
        mw_json_find(mw_json_find(root, "tensors"), row->tensor);
    const mw_json *split = mw_json_find(tensor, "split");
    if (!CHECK(split != NULL, "%s: no tensor '%s'", row->model, row->tensor))
        return;
    mw_text_init(&text, arena->ctx);
    mw_json_canonical(&text, split, NULL);
    CHECK(mw_text_status(&text) == MW_OK && strcmp(text.data, row->split) == 0,
          "%s of %s on %s: '%s' is %s, wanted %s", row->pick, row->model,
          row->mesh, row->tensor, text.data, row->split);
    mw_text_free(&text);
}

static void splits(void)
{
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_shell got;
        if (pick(&arena, rows[i].model, rows[i].mesh, rows[i].pick, &got) &&
            CHECK(got.exit_status == 0, "%s of %s: %s", rows[i].pick,
                  rows[i].model, got.err))
            check_split(&arena, &rows[i]);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

// They are plans like others: judged, run, the same result as one processor's.
static void recipes_run(void)
{
    static const struct {
        const char *model, *mesh, *pick;
    } runs[] = {{GPT, "2x2", "sequence"},
                {MOE, "4", "expert"},
                {TRAIN, "2x2", "zero1"},
                {TRAIN ",clip=1", "3", "zero2"},
                {TRAIN, "4", "zero3"},
                {"$S/image.mw", "3", "spatial"},
                {"$S/image.mw", "2x2", "spatial"}};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        mw_shell got;
        if (pick(&arena, runs[i].model, runs[i].mesh, runs[i].pick, &got) &&
            mw_shell_run(&arena,
                         "meshwright check $S/recipe.json && meshwright "
                         "verify $S/recipe.json",
                         &got))
            CHECK(got.exit_status == 0, "%s of %s on %s: %s%s", runs[i].pick,
                  runs[i].model, runs[i].mesh, got.out, got.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

// The stages' known costs, where everything divides: gradients are reduced and
// parameters gathered, each about n bytes: 2, 3, 2 and 3 of them; and each
// stage takes less memory.
static void zero_stages(void)
{
    static const char *const stage[] = {"data_parallel", "zero1", "zero2",
                                        "zero3"};
    mw_ctx ctx;
    mw_arena arena;
    double sent[4], peak[4];
    open_arena(&ctx, &arena);
    for (int i = 0; i < 4; i++) {
        mw_shell got;
        char *line = mw_arena_format(
            &arena,
            "meshwright plan %s --mesh 4 --top 1 --pick %s --format json",
            TRAIN, stage[i]);
        if (!line || !mw_shell_run(&arena, line, &got))
            continue;
        sent[i] = number_after(got.out, "\"bytes_sent\": ");
        peak[i] = number_after(got.out, "\"live_peak_bytes\": ");
        CHECK(got.exit_status == 0 && sent[i] > 0, "%s: %s", stage[i], got.err);
    }
    CHECK(sent[1] > 1.4 * sent[0] && sent[1] < 1.6 * sent[0],
          "zero1 sends %g where data parallel sends %g", sent[1], sent[0]);
    CHECK(sent[2] > 0.9 * sent[0] && sent[2] < 1.1 * sent[0],
          "zero2 sends %g where data parallel sends %g", sent[2], sent[0]);
    CHECK(sent[3] > 0.9 * sent[0] && sent[3] < 1.6 * sent[0],
          "zero3 sends %g where data parallel sends %g", sent[3], sent[0]);
    for (int i = 1; i < 4; i++)
        CHECK(peak[i] < peak[i - 1], "%s takes %g, %s %g", stage[i], peak[i],
              stage[i - 1], peak[i - 1]);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void reasons(void)
{
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof nones / sizeof nones[0]; i++) {
        mw_shell got;
        if (pick(&arena, nones[i].model, nones[i].mesh, nones[i].pick, &got))
            CHECK(got.exit_status == 2 && strstr(got.err, nones[i].reason),
                  "%s of %s: status %d: %s", nones[i].pick, nones[i].model,
                  got.exit_status, got.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_baseline = {
    "baseline",
    {{"what recipes split", splits},
     {"recipes run", recipes_run},
     {"what the stages of ZeRO cost", zero_stages},
     {"why there is none", reasons}},
};
