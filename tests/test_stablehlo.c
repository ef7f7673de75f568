/* test_stablehlo.c - StableHLO text: samples that JAX printed, against what JAX
 * computed; forms that mean the same; what is refused, and where. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ir/import/stablehlo_call.h"
#include "ir/text.h"
#include "tests/import_support.h"
#include "tests/shell.h"
#include "tests/test.h"

#define FOLDER "tests/data/stablehlo/"

static void samples(void)
{
    static const char *const name[] = {
        "gpt",     "gpt_adam", "mlp",     "convnet", "convnet_step",
        "mixture", "dropout",  "scan",    "maps",    "lookups",
        "updates", "orders",   "windows", "moves",   "bits",
        "named",   "branches", "rare",    NULL};
    for (int i = 0; name[i]; i++) {
        char path[200], npz[200];
        (void)snprintf(path, sizeof path, FOLDER "%s.mlir", name[i]);
        (void)snprintf(npz, sizeof npz, FOLDER "%s.npz", name[i]);
        imported model;
        import_open(&model, path, npz, NULL);
        if (CHECK(model.status == MW_OK, "%s: %s: %s", name[i], model.ctx.where,
                  model.ctx.message)) {
            import_compare(&model, &model.placed, name[i]);
            import_compare(&model, &model.named, name[i]);
        }
        import_close(&model);
    }
}

/* ---- texts ---- */

#define MAIN(args, results, body)                                              \
    "module @m {\n  func.func public @main(" args ") -> (" results             \
    ") {\n" body "  }\n}\n"
#define ONE(body) MAIN("%arg0: tensor<2x3xf32>", "tensor<2x3xf32>", body)

typedef struct read_text {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph placed, named;
    mw_status status;
} read_text;

static void read_open(read_text *r, const char *text)
{
    const mw_import_options options = {0};
    const mw_import_bytes file = {
        .path = "t.mlir", .bytes = text, .size = strlen(text)};
    mw_ctx_init(&r->ctx);
    mw_arena_init(&r->arena, &r->ctx);
    r->status = mw_graph_init(&r->placed, &r->arena, "m");
    if (r->status == MW_OK)
        r->status = mw_graph_init(&r->named, &r->arena, "m");
    if (r->status == MW_OK)
        r->status =
            mw_import_stablehlo_text(&r->arena, &file, &options, &r->placed);
    if (r->status == MW_OK)
        r->status = mw_names(&r->placed, NULL, 0, &r->named);
}

static void read_close(read_text *r)
{
    mw_arena_free(&r->arena);
    mw_ctx_free(&r->ctx);
}

/* Two texts that make the same graph. */
static const struct pair {
    const char *name, *one, *other;
} pairs[] = {
    {"generic map",
     ONE("    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     ONE("    %0 = \"stablehlo.tanh\"(%arg0) : (tensor<2x3xf32>) -> "
         "tensor<2x3xf32>\n"
         "    \"func.return\"(%0) : (tensor<2x3xf32>) -> ()\n")},
    {"generic dot",
     MAIN("%a: tensor<2x3xf32>, %b: tensor<4x3xf32>", "tensor<2x4xf32>",
          "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] "
          ": (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>\n"
          "    return %0 : tensor<2x4xf32>\n"),
     MAIN("%a: tensor<2x3xf32>, %b: tensor<4x3xf32>", "tensor<2x4xf32>",
          "    %0 = \"stablehlo.dot_general\"(%a, %b) "
          "<{dot_dimension_numbers = "
          "#stablehlo.dot<lhs_contracting_dimensions = [1], "
          "rhs_contracting_dimensions = [1]>, precision_config = "
          "[#stablehlo<precision DEFAULT>]}> : (tensor<2x3xf32>, "
          "tensor<4x3xf32>) -> tensor<2x4xf32>\n"
          "    return %0 : tensor<2x4xf32>\n")},
    {"generic compare",
     MAIN("%a: tensor<2x3xf32>", "tensor<2x3xi1>",
          "    %0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2x3xf32>, "
          "tensor<2x3xf32>) -> tensor<2x3xi1>\n"
          "    return %0 : tensor<2x3xi1>\n"),
     MAIN("%a: tensor<2x3xf32>", "tensor<2x3xi1>",
          "    %0 = \"stablehlo.compare\"(%a, %a) <{compare_type = "
          "#stablehlo<comparison_type FLOAT>, comparison_direction = "
          "#stablehlo<comparison_direction LT>}> : (tensor<2x3xf32>, "
          "tensor<2x3xf32>) -> tensor<2x3xi1>\n"
          "    return %0 : tensor<2x3xi1>\n")},
    {"reduction with a region",
     MAIN("%a: tensor<2x3xf32>", "tensor<2xf32>",
          "    %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across "
          "dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> "
          "tensor<2xf32>\n"
          "    return %0 : tensor<2xf32>\n"),
     MAIN("%a: tensor<2x3xf32>", "tensor<2xf32>",
          "    %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "    %0 = \"stablehlo.reduce\"(%a, %c) <{dimensions = array<i64: "
          "1>}> ({\n    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
          "      %1 = stablehlo.add %y, %x : tensor<f32>\n"
          "      stablehlo.return %1 : tensor<f32>\n"
          "    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
          "    return %0 : tensor<2xf32>\n")},
    {"slice bounds",
     MAIN("%a: tensor<8x3xf32>", "tensor<4x2xf32>",
          "    %0 = stablehlo.slice %a [0:8:2, 1:3] : (tensor<8x3xf32>) -> "
          "tensor<4x2xf32>\n    return %0 : tensor<4x2xf32>\n"),
     MAIN("%a: tensor<8x3xf32>", "tensor<4x2xf32>",
          "    %0 = \"stablehlo.slice\"(%a) {start_indices = dense<[0, 1]> : "
          "tensor<2xi64>, limit_indices = dense<[8, 3]> : tensor<2xi64>, "
          "strides = dense<[2, 1]> : tensor<2xi64>} : (tensor<8x3xf32>) -> "
          "tensor<4x2xf32>\n    return %0 : tensor<4x2xf32>\n")},
    {"a function, and its body",
     "module @m attributes {mhlo.num_partitions = 1 : i32} {\n"
     "  func.func public @main(%arg0: tensor<2x3xf32> loc(\"arg0\")) -> "
     "(tensor<2x3xf32> {jax.result_info = \"result\"}) {\n"
     "    %0:2 = call @f(%arg0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, "
     "tensor<2x3xf32>) loc(#loc)\n"
     "    return %0#1 : tensor<2x3xf32> loc(#loc)\n  } loc(#loc)\n"
     "  func.func private @f(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, "
     "tensor<2x3xf32>) {\n"
     "    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>\n"
     "    return %arg0, %0 : tensor<2x3xf32>, tensor<2x3xf32>\n  }\n}\n"
     "#loc = loc(unknown)\n",
     ONE("    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n")},
    {"constants in hexadecimal",
     ONE("    %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, "
         "6.0]]> : tensor<2x3xf32>\n"
         "    %0 = stablehlo.add %arg0, %c : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     ONE("    %c = stablehlo.constant dense<\"0x0000803F0000004000004040"
         "000080400000A0400000C040\"> : tensor<2x3xf32>\n"
         "    %0 = stablehlo.add %arg0, %c : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n")},
    {"a float by its bits",
     ONE("    %c = stablehlo.constant dense<1.5> : tensor<2x3xf32>\n"
         "    %0 = stablehlo.add %arg0, %c : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     ONE("    %c = stablehlo.constant dense<0x3FC00000> : tensor<2x3xf32>\n"
         "    %0 = stablehlo.add %arg0, %c : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n")},
    {"a loop, and what it does",
     ONE("    %c = stablehlo.constant dense<0> : tensor<i32>\n"
         "    %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, "
         "tensor<2x3xf32>\n"
         "    cond {\n"
         "      %n = stablehlo.constant dense<2> : tensor<i32>\n"
         "      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, "
         "tensor<i32>) -> tensor<i1>\n"
         "      stablehlo.return %1 : tensor<i1>\n"
         "    } do {\n"
         "      %n = stablehlo.constant dense<1> : tensor<i32>\n"
         "      %1 = stablehlo.add %i, %n : tensor<i32>\n"
         "      %2 = stablehlo.tanh %x : tensor<2x3xf32>\n"
         "      stablehlo.return %1, %2 : tensor<i32>, tensor<2x3xf32>\n"
         "    }\n"
         "    return %0#1 : tensor<2x3xf32>\n"),
     ONE("    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>\n"
         "    %1 = stablehlo.tanh %0 : tensor<2x3xf32>\n"
         "    return %1 : tensor<2x3xf32>\n")},
    {"what the partitioner is told",
     ONE("    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "
         "\"{replicated}\"} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
         "    %1 = sdy.sharding_constraint %0 <@mesh, [{\"a\"}, {}]> : "
         "tensor<2x3xf32>\n"
         "    %2 = stablehlo.tanh %1 : tensor<2x3xf32>\n"
         "    return %2 : tensor<2x3xf32>\n"),
     ONE("    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n")},
};

static const char *print(read_text *r, const char *name)
{
    const char *text = r->status == MW_OK ? mw_text_print(&r->named) : NULL;
    CHECK(text != NULL, "%s: %s: %s", name, r->ctx.where, r->ctx.message);
    return text;
}

static void same_meaning(void)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        read_text one, other;
        read_open(&one, pairs[i].one);
        read_open(&other, pairs[i].other);
        const char *a = print(&one, pairs[i].name);
        const char *b = print(&other, pairs[i].name);
        if (a && b)
            CHECK(strcmp(a, b) == 0, "%s:\n%s\n%s", pairs[i].name, a, b);
        read_close(&one);
        read_close(&other);
    }
}

/* ---- refusals ---- */

static const struct refusal {
    const char *text, *where, *what;
} refusals[] = {
    {"", "t.mlir:1:1", "wanted a function, found the end of the file"},
    {"hello", "t.mlir:1:6", "wanted a function"},
    {"module @m {\n  func.func @main(", "t.mlir:2:19", "wanted an argument"},
    {ONE("    %0 = stablehlo.tanhh %arg0 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "did you mean 'stablehlo.tanh'?"},
    {ONE("    %0 = stablehlo.tanh %arg1 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:25", "there is no value '%arg1'"},
    {ONE("    %0 = stablehlo.tanh %arg0#1 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:25", "there is no value '%arg0'"},
    {ONE("    %0 = stablehlo.tanh %arg0 : tensor<3x2xf32>\n"
         "    return %0 : tensor<3x2xf32>\n"),
     "t.mlir:3:10", "result 0 is f32[2, 3], the text says f32[3, 2]"},
    {ONE("    %0 = stablehlo.add %arg0 : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "it has 1 operands, wanted at least 2"},
    {ONE("    %0 = stablehlo.tanh %arg0 {depth = 1 : i64} : tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "attribute 'depth' is not known"},
    {ONE("    %0 = stablehlo.custom_call @lapack(%arg0) : (tensor<2x3xf32>) -> "
         "tensor<2x3xf32>\n    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "target '@lapack' is not supported"},
    {ONE("    %c = stablehlo.constant dense_resource<w> : tensor<2x3xf32>\n"
         "    return %c : tensor<2x3xf32>\n"),
     "t.mlir:3:29", "dense_resource"},
    {ONE("    %c = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<2x3xf32>\n"
         "    return %c : tensor<2x3xf32>\n"),
     "t.mlir:3:29", "a constant has 2 numbers, wanted 6"},
    {ONE("    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : "
         "tensor<2x3xf32>\n    return %c : tensor<2x3xf32>\n"),
     "t.mlir:3:29", "a constant has 1 brackets around a number, wanted 2"},
    {ONE("    %c = stablehlo.constant dense<300> : tensor<2x3xi8>\n"
         "    return %c : tensor<2x3xi8>\n"),
     "t.mlir:3:29", "a constant has '300', wanted a number of i8"},
    {ONE("    %c = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> "
         "tensor<2x3xf8E4M3FN>\n    return %c : tensor<2x3xf8E4M3FN>\n"),
     "t.mlir:3:10", "element type f8E4M3FN is not supported"},
    {ONE("    %0 = call @g(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "there is no function '@g'"},
    {ONE("    %0 = call @main(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "nest deeper than"},
    {ONE("    %0 = stablehlo.while(%x = %arg0) : tensor<2x3xf32>\n"
         "    cond {\n"
         "      %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "      %m = stablehlo.reduce(%x init: %c) applies stablehlo.add "
         "across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> "
         "tensor<f32>\n"
         "      %1 = stablehlo.compare LT, %m, %c, FLOAT : (tensor<f32>, "
         "tensor<f32>) -> tensor<i1>\n"
         "      stablehlo.return %1 : tensor<i1>\n"
         "    } do {\n"
         "      stablehlo.return %x : tensor<2x3xf32>\n    }\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:3:10", "how often the loop runs depends on an input's values"},
    {ONE("    %0 = stablehlo.while(%x = %arg0) : tensor<2x3xf32>\n"
         "    cond {\n"
         "      %1 = stablehlo.constant dense<true> : tensor<i1>\n"
         "      stablehlo.return %1 : tensor<i1>\n"
         "    } do {\n"
         "      stablehlo.return %x : tensor<2x3xf32>\n    }\n"
         "    return %0 : tensor<2x3xf32>\n"),
     "t.mlir:", "can be unrolled"},
    {MAIN("%arg0: tensor<2x?xf32>", "tensor<2x?xf32>",
          "    return %arg0 : tensor<2x?xf32>\n"),
     "input 'arg0'", "dimension 'arg0.1' (axis 1 of input 'arg0') has no size"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *row = &refusals[i];
        read_text r;
        read_open(&r, row->text);
        CHECK(r.status != MW_OK && r.status != MW_EBUG &&
                  strstr(r.ctx.where, row->where) &&
                  strstr(r.ctx.message, row->what),
              "row %zu: wanted '%s: %s', got '%s: %s'", i, row->where,
              row->what, r.ctx.where, r.ctx.message);
        read_close(&r);
    }
}

/* ---- commands ---- */

#define PLANNED(name, mesh)                                                    \
    "meshwright plan " FOLDER name ".mlir --mesh " mesh " -o $S/" name ".json"
#define RUN(name)                                                              \
    "meshwright run $S/" name ".json --input " FOLDER name                     \
    ".npz --expect " FOLDER name ".npz"

static const struct row {
    const char *line;
    int exit_status;
    const char *out, *err;
} rows[] = {
    {PLANNED("mlp", "1"), 0, "", NULL},
    {RUN("mlp"), 0, "as expected", NULL},
    {PLANNED("gpt", "2"), 0, "", NULL},
    {RUN("gpt"), 0, "as expected", NULL},
    {PLANNED("mixture", "3"), 0, "", NULL},
    {RUN("mixture"), 0, "as expected", NULL},
    {PLANNED("convnet_step", "2"), 0, "", NULL},
    {RUN("convnet_step"), 0, "as expected", NULL},
    {PLANNED("gpt_adam", "2x2"), 0, "", NULL},
    {RUN("gpt_adam"), 0, "as expected", NULL},
    {"meshwright show " FOLDER "gpt.mlir", 0, "einsum", NULL},
    {"meshwright import " FOLDER "named.mlir", 0, "params['kernel']", NULL},
    {"meshwright import " FOLDER "gpt.mlir -o $S/gpt.mw", 0, NULL, NULL},
    {"meshwright show $S/gpt.mw", 0, "einsum", NULL},
    {"meshwright show " FOLDER "gpt.mlir --opaque x::y", 2, NULL, "--opaque"},
};

static void commands(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        mw_shell result;
        if (!mw_shell_run(&arena, row->line, &result))
            continue;
        CHECK(result.exit_status == row->exit_status &&
                  (!row->out || strstr(result.out, row->out)) &&
                  (!row->err || strstr(result.err, row->err)),
              "%s: status %d, says '%.300s', '%.300s'", row->line,
              result.exit_status, result.out, result.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* ---- names ---- */

/* Arguments that are weights are told from examples, and dimensions get the
 * names of their parts. */
static const struct named_row {
    const char *model, *input, *dims;
} named_rows[] = {
    {"gpt", "arg20", "batch seq"},      {"gpt", "arg19", "vocab d_model"},
    {"gpt", "arg18", "seq d_model"},    {"gpt", "arg0", "d_model logits"},
    {"gpt", "arg1", "d_ff d_model"},    {"mlp", "arg4", "batch d12"},
    {"gpt_adam", "arg37", "batch seq"},
};

static void names(void)
{
    for (size_t i = 0; i < sizeof named_rows / sizeof named_rows[0]; i++) {
        const struct named_row *row = &named_rows[i];
        char path[200], npz[200], dims[200] = "";
        (void)snprintf(path, sizeof path, FOLDER "%s.mlir", row->model);
        (void)snprintf(npz, sizeof npz, FOLDER "%s.npz", row->model);
        imported model;
        import_open(&model, path, npz, NULL);
        const mw_graph *graph = &model.named;
        mw_id t = model.status == MW_OK
                      ? mw_graph_find_tensor(graph, row->input)
                      : MW_NONE;
        for (int a = 0; t != MW_NONE && a < graph->tensor[t].rank; a++) {
            size_t used = strlen(dims);
            (void)snprintf(dims + used, sizeof dims - used, "%s%s",
                           a ? " " : "",
                           graph->dim[graph->tensor[t].axis[a].dim].name);
        }
        CHECK(strcmp(dims, row->dims) == 0, "%s %s: [%s], wanted [%s]",
              row->model, row->input, dims, row->dims);
        import_close(&model);
    }
}

/* A rule each, however the folder is listed. */
static void one_rule_each(void)
{
    for (int i = 0; i < mw_hlo_count; i++)
        for (const mw_hlo_rule *r = mw_hlo_table[i]->rules; r->op; r++)
            CHECK(mw_hlo_find(r->op) == r, "%s has two rules", r->op);
}

const mw_suite mw_suite_stablehlo = {"stablehlo",
                                     {{"samples", samples},
                                      {"same meaning", same_meaning},
                                      {"refused", refused},
                                      {"commands", commands},
                                      {"names", names},
                                      {"one rule each", one_rule_each}}};
