/* test_models.c - built-in models: their published sizes, their keys, and that
 * small ones run split as they do whole. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ir/model.h"
#include "ir/text.h"
#include "tests/shell.h"
#include "tests/test.h"

enum { MAX_SET = 32, LINE = 1000 };

/* A size of each model that runs in no time, and where it is run. */
static const struct small {
    const char *model, *set, *mesh;
} smalls[] = {
    {"bert", "layers=1 d_model=12 heads=3 vocab=31 seq=7 batch=3 loss=1", "2"},
    {"bert",
     "layers=1 d_model=8 heads=2 vocab=9 seq=3 positions=5 batch=2 "
     "head=pretraining",
     "3"},
    {"dlrm", "tables=5 rows=11 d_embed=6 dense=3 hidden=8 batch=6 loss=1", "3"},
    {"gpt", "layers=1 d_model=12 heads=3 vocab=31 seq=7 batch=3 loss=1", "2x2"},
    {"gpt",
     "layers=1 d_model=8 heads=2 vocab=9 seq=1 positions=3 batch=1 tied=0",
     "2"},
    {"gshard",
     "layers=2 d_model=8 heads=2 d_head=4 d_ff=16 vocab=17 seq=6 target=4 "
     "batch=2 experts=3 positions=6",
     "2"},
    {"lstm", "layers=2 d_model=6 hidden=8 vocab=11 seq=4 batch=5 loss=1",
     "2x2"},
    {"mlp", "layers=3 pixels=13 hidden=9 classes=5 batch=6 loss=1", "2x2"},
    {"moe",
     "layers=2 d_model=12 heads=3 vocab=31 seq=7 batch=4 experts=5 loss=1",
     "3"},
    {"palm", "layers=1 d_model=12 heads=3 d_head=4 vocab=31 seq=7 batch=3",
     "3"},
    {"resnet", "depth=18 image=8 classes=5 batch=2", "2"},
    {"switch",
     "layers=2 d_model=8 heads=2 d_head=4 vocab=17 seq=6 target=4 batch=2 "
     "experts=3 buckets=8 gated=1",
     "2"},
    {"t5",
     "layers=1 d_model=12 heads=3 d_head=4 vocab=31 seq=7 target=5 batch=3 "
     "buckets=8 loss=1",
     "2x2"},
    {"transformer",
     "layers=1 d_model=12 heads=3 d_head=4 vocab=31 seq=7 positions=7 batch=3",
     "3"},
    {"transformer",
     "task=translation layers=1 d_model=8 heads=2 d_head=4 vocab=9 seq=5 "
     "target=4 positions=5 batch=2 loss=1",
     "2"},
    {"unet3d", "levels=2 base=2 image=4 depth=6 batch=1 loss=1", "3"},
    {"vit",
     "layers=1 d_model=12 heads=3 image=8 patch=4 classes=5 batch=3 loss=1",
     "3"},
    {"wideresnet", "depth=10 widen=1 image=8 batch=2 loss=1", "2x2"},
};
enum { N_SMALLS = sizeof smalls / sizeof smalls[0] };

/* "a=1 b=2" as settings, in the arena. */
static int settings(mw_arena *arena, const char *text, const char *set[MAX_SET])
{
    char *copy = mw_arena_text(arena, text), *rest = NULL;
    int n = 0;
    for (char *one = copy ? strtok_r(copy, " ", &rest) : NULL;
         one && n < MAX_SET; one = strtok_r(NULL, " ", &rest))
        set[n++] = one;
    return n;
}

static mw_status build(mw_arena *arena, const char *model, const char *set_text,
                       mw_graph *graph)
{
    const char *set[MAX_SET];
    int n = settings(arena, set_text, set);
    return mw_model_build(arena, model, set, n, graph);
}

/* "13.0B": the number, and half a unit of its last digit that is not 0, or
 * 2 %, whichever is more. */
static double figure_of(const char *text, double *tolerance)
{
    double value = strtod(text, NULL), unit = 1;
    const char *point = strchr(text, '.');
    for (const char *c = point; c && isdigit((unsigned char)c[1]); c++)
        unit /= 10;
    while (!point && fmod(value, unit * 10) == 0)
        unit *= 10;
    double scale = strchr(text, 'B') ? 1e9 : 1e6;
    *tolerance = fmax(unit / 2, value * 0.02) * scale;
    return value * scale;
}

static void check_preset(const mw_model_def *def, const mw_model_preset *preset)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    char set[100];
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    (void)snprintf(set, sizeof set, "preset=%s", preset->name);
    mw_status status = build(&arena, def->name, set, &graph);
    if (CHECK(status == MW_OK, "%s: %s", preset->name, ctx.message)) {
        int64_t n = mw_model_parameters(&graph);
        double within = 0, figure = (double)n;
        if (preset->figure)
            figure = figure_of(preset->figure, &within);
        if (preset->parameters)
            CHECK(n == preset->parameters, "%s: %lld parameters, wanted %lld",
                  preset->name, (long long)n, (long long)preset->parameters);
        CHECK(fabs((double)n - figure) <= within,
              "%s: %lld parameters, wanted about %s", preset->name,
              (long long)n, preset->figure);
        CHECK(strcmp(graph.name, preset->name) == 0, "called '%s'", graph.name);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void published(void)
{
    for (int i = 0; i < mw_model_count; i++) {
        const mw_model_def *def = mw_model_table[i];
        for (const mw_model_preset *p = def->presets; p && p->name; p++) {
            CHECK(p->source && p->source[0], "%s has no source", p->name);
            CHECK(mw_model_preset_find(def, p->name) == p, "%s twice", p->name);
            check_preset(def, p);
        }
    }
}

/* docs/models.md has the table that the command prints. */
static void documented(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell result;
    char *text = NULL;
    size_t size;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = mw_file_read(&arena, "docs/models.md", &text, &size);
    if (CHECK(status == MW_OK, "%s", ctx.message) &&
        mw_shell_run(&arena, "meshwright model --sizes", &result)) {
        CHECK(result.exit_status == 0 && strstr(text, result.out),
              "docs/models.md does not hold what `meshwright model --sizes` "
              "prints");
        for (int i = 0; i < mw_model_count; i++) {
            char quoted[100];
            (void)snprintf(quoted, sizeof quoted, "`%s`",
                           mw_model_table[i]->name);
            CHECK(strstr(text, quoted), "%s is not documented",
                  mw_model_table[i]->name);
        }
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* Printed, parsed and printed again; twice the same; of every dtype. */
static void check_text(const struct small *small, const char *dtype)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph, twin, again;
    char set[LINE];
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    (void)snprintf(set, sizeof set, "%s dtype=%s", small->set, dtype);
    bool ok = build(&arena, small->model, set, &graph) == MW_OK &&
              build(&arena, small->model, set, &twin) == MW_OK;
    CHECK(ok, "%s %s: %s: %s", small->model, set, ctx.where, ctx.message);
    char *text = ok ? mw_text_print(&graph) : NULL;
    char *other = ok ? mw_text_print(&twin) : NULL;
    ok = text && other && mw_graph_init(&again, &arena, "m") == MW_OK &&
         mw_text_parse(&again, "model", text) == MW_OK;
    if (CHECK(ok, "%s %s: %s: %s", small->model, set, ctx.where, ctx.message)) {
        char *back = mw_text_print(&again);
        CHECK(strcmp(text, other) == 0, "%s: built twice, differs", set);
        CHECK(back && strcmp(text, back) == 0, "%s: read back, differs", set);
        CHECK(again.n_ops == graph.n_ops, "%s: other ops", set);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void texts(void)
{
    static const char *const dtypes[] = {"f32", "f64", "bf16", "f16"};
    for (int i = 0; i < N_SMALLS; i++)
        for (int k = 0; k < 4; k++)
            check_text(&smalls[i], dtypes[k]);
}

/* Every model is run at a small size: what its ranks make is what one makes. */
static void small_runs(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    for (int i = 0; i < N_SMALLS; i++) {
        const char *set[MAX_SET];
        char line[LINE];
        mw_shell result;
        int n = settings(&arena, smalls[i].set, set);
        int at = snprintf(line, sizeof line,
                          "meshwright plan %s --mesh %s -o "
                          "$S/model.json --top 1",
                          smalls[i].model, smalls[i].mesh);
        for (int k = 0; k < n; k++)
            at += snprintf(line + at, sizeof line - (size_t)at, " --set %s",
                           set[k]);
        if (!mw_shell_run(&arena, line, &result) ||
            !CHECK(result.exit_status == 0, "%s: %s", line, result.err))
            continue;
        if (mw_shell_run(&arena, "meshwright verify $S/model.json", &result))
            CHECK(result.exit_status == 0, "%s: %s", line, result.err);
    }
    for (int i = 0; i < mw_model_count; i++) {
        bool found = false;
        for (int k = 0; k < N_SMALLS; k++)
            found =
                found || strcmp(smalls[k].model, mw_model_table[i]->name) == 0;
        CHECK(found, "%s is not run", mw_model_table[i]->name);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

#define MOE                                                                    \
    "moe --set layers=1 --set experts_every=1 --set d_model=32 --set "         \
    "d_ff=256 --set heads=2 --set vocab=32 --set seq=8 --set batch=4 --set "   \
    "experts=4 --mesh 2 --fix h.0.experts.fc.weight=experts@m0 --fix "         \
    "h.0.experts.proj.weight=experts@m0 --top 1"

static const struct line {
    const char *line;
    int exit_status;
    const char *out, *err; /* holds this; NULL: is empty */
} lines[] = {
    {"meshwright model", 0, "gpt ", NULL},
    {"meshwright model --format json", 0, "\"preset\": \"gpt2-small\"", NULL},
    {"meshwright model gpt --keys", 0, "gpt3-175b", NULL},
    {"meshwright model gpt --set layers=2 --set vocab=8", 0, "dim vocab = 8",
     NULL},
    {"meshwright model gpt --set layers=1 -o $S/gpt.mw", 0, NULL, NULL},
    {"meshwright show $S/gpt.mw", 0, "h.0.attn.q.weight", NULL},
    {"meshwright import gpt --set layers=1 --set seq=4", 0, "dim seq = 4",
     NULL},
    {"meshwright show gpt --set preset=gpt2-small", 0, "(124439808)", NULL},
    {"meshwright show gpt --set preset=gpt2-small --set layers=1", 0,
     "dimensions", NULL},
    {"meshwright show gpt --set layers=1 --dim batch=3", 0,
     "batch                   3", NULL},
    {"meshwright show gpt --set depth=3", 2, NULL,
     "model 'gpt' has no key 'depth'\nits keys: preset, layers, d_model"},
    {"meshwright show gpt --set layer=3", 2, NULL, "did you mean 'layers'?"},
    {"meshwright show gpt --set preset=gpt2-tiny", 2, NULL,
     "its presets: gpt2-small"},
    {"meshwright show mlp --set preset=x", 2, NULL, "has no key 'preset'"},
    {"meshwright show gpt --set layers=0", 2, NULL, "layers is 0, wanted 1"},
    {"meshwright show gpt --set layers=1.5", 2, NULL, "wanted a whole number"},
    {"meshwright show gpt --set layers=1 --set layers=2", 2, NULL,
     "'layers' is given twice"},
    {"meshwright show gpt --set layers=1 --dim layers=2", 2, NULL,
     "'layers' is given twice"},
    {"meshwright show gpt --set layers", 2, NULL, "wanted KEY=VALUE"},
    {"meshwright show gpt --set dtype=i64", 2, NULL, "wanted f32|f64|bf16|f16"},
    {"meshwright show gpt --set d_model=10 --set heads=3", 2, NULL,
     "3 does not divide 10: set d_head"},
    {"meshwright show gpt --set d_model=10 --set heads=3 --set d_head=4", 0,
     "d_head                  4", NULL},
    {"meshwright show gpt --set seq=8 --set positions=4", 2, NULL,
     "seq is 8, but positions only 4"},
    {"meshwright show gpt --set d_model=999999999999", 2, NULL, "heads"},
    {"meshwright show gpt --set d_model=9999999996 --set vocab=999999999999", 3,
     NULL, "overflow"},
    {"meshwright show bert --set head=pooler --set loss=1", 2, NULL,
     "wanted mlm or pretraining"},
    {"meshwright show vit --set image=10 --set patch=4", 2, NULL,
     "patches of 4 do not divide an image of 10"},
    {"meshwright show palm --set d_head=3", 2, NULL, "wanted an even number"},
    {"meshwright show wideresnet --set depth=12", 2, NULL, "depth is 12"},
    {"meshwright show dlrm --set data=kaggle --set tables=3", 2, NULL,
     "this data has 26"},
    {"meshwright show resnet --set depth=18 --set base=128", 2, NULL,
     "base is 128, wanted 64"},
    {"meshwright show unet3d --set image=36", 2, NULL,
     "depth is 36, wanted a multiple of 8 for 4 levels"},
    {"meshwright show gtp", 2, NULL, "did you mean 'gpt'?"},
    {"meshwright show nothing", 2, NULL, "there are: bert"},
    {"meshwright model nothing", 2, NULL, "there are: bert"},
    {"meshwright model --set layers=1", 2, NULL, "of which model?"},
    {"meshwright show examples/gpt_tiny.onnx --set layers=1", 2, NULL,
     "is a file"},
    {"meshwright show gpt --name batch=x", 2, NULL,
     "do not change a built-in model"},
    {"meshwright plan " MOE " --format json", 0, "\"all_to_all\"", NULL},
    {"meshwright plan " MOE " -o $S/moe.json", 0, "optimal", NULL},
    {"meshwright check $S/moe.json", 0, "legal", NULL},
    {"meshwright run $S/moe.json", 0, "equal", NULL},
    {"meshwright verify $S/moe.json", 0, "0 differ", NULL},
};

static bool holds(const char *text, const char *part)
{
    return part ? strstr(text, part) != NULL : text[0] == '\0';
}

static void command_lines(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct line *row = &lines[i];
        mw_shell result;
        if (!mw_shell_run(&arena, row->line, &result))
            continue;
        CHECK(result.exit_status == row->exit_status &&
                  holds(result.out, row->out) && holds(result.err, row->err),
              "%s: status %d, says '%.300s', '%.300s'", row->line,
              result.exit_status, result.out, result.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* Keys are found, have a help, and their defaults lie in their ranges. */
static void keys(void)
{
    for (int i = 0; i < mw_model_count; i++) {
        const mw_model_def *def = mw_model_table[i];
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_status status = mw_model_build(&arena, def->name, NULL, 0, &graph);
        CHECK(status == MW_OK, "%s by default: %s", def->name, ctx.message);
        CHECK(mw_model_find(def->name) == def, "%s twice", def->name);
        for (const mw_model_key *key = def->keys; key->name; key++)
            CHECK(key->help && key->help[0], "%s: %s has no help", def->name,
                  key->name);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static mw_status build_short(mw_ctx *ctx, void *arg)
{
    static const char *const set[] = {"layers=2", "batch=2"};
    mw_arena arena;
    mw_graph graph;
    (void)arg;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_model_build(&arena, "mlp", set, 2, &graph);
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    check_oom("mlp", build_short, NULL);
}

const mw_suite mw_suite_models = {"models",
                                  {{"published sizes", published},
                                   {"documented", documented},
                                   {"defaults", keys},
                                   {"texts", texts},
                                   {"small ones run", small_runs},
                                   {"command lines", command_lines},
                                   {"out of memory", out_of_memory}}};
