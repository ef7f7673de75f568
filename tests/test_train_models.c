/*
 * test_train_models.c - every built-in model trains by a plain `plan --train`
 * and `train`, with data parallel's losses equal to one rank's; the balancing
 * losses of mixtures are those of their papers.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/import.h"
#include "ir/model.h"
#include "ir/number.h"
#include "ir/train.h"
#include "runtime/safetensors.h"
#include "tests/fixture.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

enum { MAX_SET = 16, MAX_ARRAYS = 16, EXAMPLES = 3, LINE = 2048 };

#define TEXT "seq=4", "batch=4", "d_model=8", "heads=2", "vocab=13", "dtype=f64"

static const struct row {
    const char *name, *set[MAX_SET];
} rows[] = {
    {"bert", {TEXT, "layers=1", "d_ff=12", "head=mlm"}},
    {"dlrm",
     {"tables=3", "rows=7", "d_embed=4", "layers=1", "hidden=8", "batch=4",
      "dense=5", "dtype=f64"}},
    {"gpt", {TEXT, "layers=1", "d_ff=12", "dropout=0.2"}},
    {"gshard",
     {TEXT, "layers=1", "d_head=4", "d_ff=12", "experts=3", "experts_every=1",
      "target=4", "positions=8"}},
    {"lstm",
     {"layers=1", "d_model=6", "vocab=11", "seq=5", "batch=4", "dtype=f64"}},
    {"mlp",
     {"layers=2", "pixels=9", "hidden=10", "classes=3", "batch=6",
      "dtype=f64"}},
    {"moe", {TEXT, "layers=2", "d_ff=12", "experts=3"}},
    {"palm", {TEXT, "layers=1", "d_head=4", "d_ff=12"}},
    {"resnet",
     {"depth=50", "base=4", "image=32", "classes=3", "batch=4", "dtype=f64"}},
    {"switch",
     {TEXT, "layers=1", "d_head=4", "d_ff=12", "experts=3", "experts_every=1",
      "target=4"}},
    {"t5", {TEXT, "layers=1", "d_head=4", "d_ff=12", "target=4"}},
    {"transformer", {TEXT, "layers=1", "d_head=4", "d_ff=12", "positions=8"}},
    {"unet3d",
     {"levels=2", "base=3", "image=8", "channels=1", "batch=2", "dtype=f64"}},
    {"vit",
     {"layers=1", "d_model=8", "heads=2", "d_ff=12", "image=8", "patch=4",
      "classes=3", "batch=4", "dtype=f64"}},
    {"wideresnet",
     {"depth=10", "widen=1", "image=8", "classes=3", "batch=4", "dtype=f64"}},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static int count_set(const char *const set[])
{
    int n = 0;
    while (n < MAX_SET && set[n])
        n++;
    return n;
}

/* ---- all of them train ---- */

// Small integers, that every table has; floats in [-1, 1), labels 0 and 1.
static void *draw(fixture *f, const mw_tensor *tensor, int64_t n)
{
    uint64_t random = 7;
    int64_t *data = MW_NEW_ARRAY(&f->arena, n, int64_t); /* or as large */
    bool label = strcmp(tensor->name, "labels") == 0;
    bool mark = strcmp(tensor->name, "types") == 0;
    for (int64_t i = 0; data && i < n; i++) {
        uint64_t bits = mw_test_random(&random);
        mw_number x = {.i = (int64_t)(bits % (mark ? 2 : 3))};
        if (mw_dtype_is_float(tensor->dtype))
            x.f =
                label ? (double)(bits % 2) : (double)(bits >> 11) * 0x1p-52 - 1;
        mw_numbers_store(tensor->dtype, data, i, 1, 1, &x);
    }
    return data;
}

// Examples for all inputs of the step.
static mw_status write_data(fixture *f, const mw_graph *graph)
{
    mw_array array[MAX_ARRAYS];
    const void *data[MAX_ARRAYS];
    char path[512];
    int n = 0;
    for (mw_id t = 0; t < graph->n_tensors && n < MAX_ARRAYS; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        int64_t size[MW_MAX_FILE_RANK], elements = EXAMPLES;
        int rank = mw_tensor_file_shape(tensor, size);
        if (tensor->role != MW_ROLE_INPUT || rank == 0)
            continue;
        array[n] = (mw_array){
            .name = tensor->name, .dtype = tensor->dtype, .rank = rank};
        for (int a = 0; a < rank; a++) {
            elements *= size[a];
            array[n].size[a] = a == 0 ? EXAMPLES * size[a] : size[a];
        }
        array[n].bytes = elements * 8;
        data[n] = draw(f, tensor, elements);
        if (!data[n++])
            return MW_ENOMEM;
    }
    (void)snprintf(path, sizeof path, "%s/model.safetensors",
                   mw_scratch_path());
    return mw_safetensors_write(&f->ctx, path, array, data, n);
}

static mw_status make_data(fixture *f, const struct row *row)
{
    const char *set[MAX_SET + 1];
    mw_train_options train;
    mw_graph graph;
    mw_import_files *files;
    int n = count_set(row->set);
    const mw_model_def *def = mw_model_find(row->name);
    memcpy((void *)set, (const void *)row->set, sizeof row->set);
    set[n] = "loss=1";
    MW_TRY(mw_train_options_read(&f->arena, "sgd",
                                 def->own_loss ? "loss" : NULL, NULL, &train));
    const mw_import_options with = {
        .set = set, .n_set = n + def->own_loss, .train = &train};
    MW_TRY(mw_model_read(&f->arena, row->name, &with, &graph, &files));
    mw_status status = write_data(f, &graph);
    mw_import_close(files);
    return status;
}

static bool run(fixture *f, mw_shell *got, const char *format, ...)
    MW_PRINTF(3, 4);
static bool run(fixture *f, mw_shell *got, const char *format, ...)
{
    char line[LINE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return mw_shell_run(&f->arena, line, got) &&
           CHECK(got->exit_status == 0, "%s: %s", line, got->err);
}

static bool train(fixture *f, const struct row *row, const char *how,
                  step_lines *lines)
{
    char set[LINE / 2] = "";
    mw_shell got;
    for (int i = 0; i < count_set(row->set); i++) {
        size_t at = strlen(set);
        (void)snprintf(set + at, sizeof set - at, " --set %s", row->set[i]);
    }
    if (!run(f, &got,
             "meshwright plan %s%s --train sgd,lr=0.05 %s --top 1 --quiet "
             "--time-limit 20 -o $S/model.json",
             row->name, set, how) ||
        !run(f, &got,
             "meshwright train $S/model.json --data $S/model.safetensors "
             "--steps 3 --format json --quiet"))
        return false;
    read_step_lines(&f->arena, got.out, lines);
    return CHECK(lines->n == 3, "%s: %d steps", row->name, lines->n);
}

static void all_train(void)
{
    for (int i = 0; i < N_ROWS; i++) {
        fixture f;
        step_lines want, got;
        open_fixture(&f);
        mw_status status = make_data(&f, &rows[i]);
        CHECK(status == MW_OK, "%s: %s", rows[i].name, f.ctx.message);
        if (status == MW_OK && train(&f, &rows[i], "--mesh 1", &want) &&
            train(&f, &rows[i], "--mesh 2 --pick data_parallel", &got))
            same_losses(rows[i].name, &got, want.loss, 0, 1e-9);
        close_fixture(&f);
    }
    CHECK(N_ROWS == mw_model_count, "%d models of %d", N_ROWS, mw_model_count);
}

/* ---- balancing losses ---- */

static mw_status fill(fixture *f, const mw_graph *graph, const void *value[])
{
    uint64_t random = 3;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        int64_t n = mw_tensor_elements(tensor);
        if (tensor->producer != MW_NONE || tensor->role == MW_ROLE_CONST ||
            tensor->role == MW_ROLE_STATE)
            continue;
        int64_t *data = MW_NEW_ARRAY(&f->arena, n, int64_t);
        if (!data)
            return MW_ENOMEM;
        for (int64_t i = 0; i < n; i++) {
            uint64_t bits = mw_test_random(&random);
            mw_number x = {.i = (int64_t)(bits % 13)};
            if (mw_dtype_is_float(tensor->dtype))
                x.f = (double)(bits >> 11) * 0x1p-52 - 1;
            mw_numbers_store(tensor->dtype, data, i, 1, 1, &x);
        }
        value[t] = data;
    }
    return MW_OK;
}

/* experts x length x batch: the sizes of all rows below. */
enum { EXPERTS = 3, LENGTH = 4, TEXTS = 4 };

// The formula for the router's probabilities p[text][token][expert]; of one
// group of tokens or one a text.
static double balance(const double *p, bool by_text)
{
    double sum = 0;
    int groups = by_text ? TEXTS : 1, n = TEXTS * LENGTH / groups;
    for (int g = 0; g < groups; g++) {
        double chosen[EXPERTS] = {0}, mean[EXPERTS] = {0};
        for (int k = 0; k < n; k++) {
            const double *one = p + ((ptrdiff_t)g * n + k) * EXPERTS;
            int best = 0;
            for (int e = 0; e < EXPERTS; e++) {
                mean[e] += one[e] / n;
                best = one[e] > one[best] ? e : best;
            }
            chosen[best] += 1.0 / n;
        }
        for (int e = 0; e < EXPERTS; e++)
            sum += chosen[e] * mean[e];
    }
    return by_text ? sum / EXPERTS / TEXTS : sum * EXPERTS;
}

// Probabilities: what the first reduction over all of `experts` divides.
static bool is_router(const mw_graph *graph, const mw_tensor *tensor)
{
    size_t n = strlen(tensor->name);
    return tensor->producer != MW_NONE && n > 12 && tensor->rank == 3 &&
           strcmp(tensor->name + n - 12, ".experts.div") == 0 &&
           strcmp(graph->op[tensor->producer].def->name, "div") == 0 &&
           tensor->axis[2].size == EXPERTS;
}

static mw_status find_balance(fixture *f, const struct row *row, bool by_text,
                              double *got, double *want, int *n)
{
    const char *set[MAX_SET + 1];
    int n_set = count_set(row->set);
    mw_graph graph;
    memcpy((void *)set, (const void *)row->set, sizeof row->set);
    set[n_set] = "loss=1";
    MW_TRY(mw_model_build(&f->arena, row->name, set, n_set + 1, &graph));
    const void **value = MW_NEW_ARRAY(&f->arena, graph.n_tensors, const void *);
    if (!value)
        return MW_ENOMEM;
    MW_TRY(fill(f, &graph, value));
    MW_TRY(mw_eval_graph(&f->arena, &graph, value));
    mw_id loss = mw_graph_find_tensor(&graph, "loss");
    mw_id entropy = mw_graph_find_tensor(&graph, "cross_entropy");
    *n = 0;
    *got = *want = 0;
    if (loss == MW_NONE || entropy == MW_NONE)
        return MW_OK;
    *got = *(const double *)value[loss] - *(const double *)value[entropy];
    for (mw_id t = 0; t < graph.n_tensors; t++)
        if (is_router(&graph, &graph.tensor[t])) {
            *want += 0.01 * balance(value[t], by_text);
            ++*n;
        }
    return MW_OK;
}

static void balancing(void)
{
    static const struct mixture {
        struct row row;
        bool by_text;
        int n; /* mixtures */
    } mixtures[] = {
        {{"switch",
          {TEXT, "layers=1", "d_head=4", "d_ff=12", "experts=3",
           "experts_every=1", "target=4"}},
         false,
         2},
        {{"gshard",
          {TEXT, "layers=1", "d_head=4", "d_ff=12", "experts=3",
           "experts_every=1", "target=4", "positions=8"}},
         true,
         2},
        {{"moe", {TEXT, "layers=4", "d_ff=12", "experts=3"}}, true, 2},
        {{"moe", {TEXT, "layers=2", "d_ff=12", "experts=3", "top=1"}},
         false,
         1},
    };
    for (size_t i = 0; i < sizeof mixtures / sizeof mixtures[0]; i++) {
        const struct mixture *m = &mixtures[i];
        fixture f;
        double got = 0, want = 0;
        int n = 0;
        open_fixture(&f);
        mw_status status =
            find_balance(&f, &m->row, m->by_text, &got, &want, &n);
        CHECK(status == MW_OK && n == m->n && want > 0 &&
                  fabs(got - want) <= 1e-12,
              "%s: the loss is %.17g above the cross-entropy, the formula "
              "says %.17g of %d mixtures: %s",
              m->row.name, got, want, n, f.ctx.message);
        close_fixture(&f);
    }
}

/* ---- half floats ---- */

// Computed in f32 between casts that the plan shows, from bf16 weights with
// masters in f32: near the losses of f32, the same on any mesh.
static void half_floats(void)
{
    static const char *const how[] = {
        "--mesh 1", "--mesh 2 --pick data_parallel", "--mesh 2 --pick zero3"};
    struct row row = {"gpt",
                      {"seq=4", "batch=4", "d_model=8", "heads=2", "vocab=13",
                       "layers=1", "d_ff=12", "dtype=f32"}};
    fixture f;
    step_lines wide, first, got;
    mw_shell shown;
    open_fixture(&f);
    mw_status status = make_data(&f, &row);
    CHECK(status == MW_OK, "%s", f.ctx.message);
    bool ok = status == MW_OK && train(&f, &row, how[0], &wide);
    row.set[7] = "dtype=bf16";
    for (int i = 0; i < 3 && ok; i++) {
        ok = train(&f, &row, how[i], i == 0 ? &first : &got) &&
             run(&f, &shown, "meshwright check $S/model.json") &&
             run(&f, &shown, "meshwright verify $S/model.json") &&
             run(&f, &shown, "grep -c '\"op\": \"cast\"' $S/model.json");
        if (ok && i > 0)
            same_losses(how[i], &got, first.loss, 0, 1e-2);
    }
    if (ok)
        same_losses("bf16", &first, wide.loss, 0, 1e-2);
    close_fixture(&f);
}

/* ---- verify ---- */

// Gradients of key biases are nothing but rounding, which these optimizers make
// steps of. An op answers for what it makes of its operands.
static void verified(void)
{
    static const char *const how[][2] = {
        {"adam,lr=0.01", "data_parallel"},
        {"adam,lr=0.01", "zero3"},
        {"adafactor,min_dim_size_to_factor=4", "data_parallel"},
        {"adafactor,min_dim_size_to_factor=4,momentum=0.9", "zero3"},
        {"adafactor,min_dim_size_to_factor=4", "tensor_parallel"},
    };
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        fixture f;
        mw_shell got;
        open_fixture(&f);
        (void)(run(&f, &got,
                   "meshwright plan gpt --set layers=1 --set d_model=16 "
                   "--set heads=2 --set vocab=32 --set seq=8 --set batch=4 "
                   "--mesh 2 --pick %s --train %s --top 1 --quiet "
                   "-o $S/verified.json",
                   how[i][1], how[i][0]) &&
               run(&f, &got, "meshwright verify $S/verified.json"));
        if (i == 0) {
            (void)mw_shell_run(
                &f.arena,
                "meshwright verify $S/verified.json --rtol 0 --atol 0", &got);
            CHECK(got.exit_status == 1 && strstr(got.out, "different: "),
                  "rounding is no difference: exit %d: %s", got.exit_status,
                  got.out);
        }
        close_fixture(&f);
    }
}

const mw_suite mw_suite_train_models = {
    "train_models",
    {{"all built-in models train", all_train},
     {"balancing losses", balancing},
     {"half floats", half_floats},
     {"optimizers on noise are verified", verified}}};
