/* test_import_command.c - show and import as a user meets them. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "ir/text.h"
#include "tests/shell.h"
#include "tests/test.h"

#define GPT "examples/gpt_tiny.onnx"
/* its head holds the table, transposed */
#define TIED "tied, and counted once"
#define BOXES "tests/data/counts/boxes.onnx"
#define SIZED GPT " --dim batch=2 --dim seq=16"

/* A command line, its exit status, and a part of what it prints. */
static const struct row {
    const char *line;
    int exit_status;
    const char *out, *err; /* NULL: nothing at all */
} rows[] = {
    {"meshwright show " SIZED, 0, "  einsum                 13 ", TIED},
    {"meshwright show " SIZED, 0, "alias of seq", TIED},
    {"meshwright show " SIZED, 0, "parameters  28 tensors, 121 K", TIED},
    {"meshwright show " SIZED " --names", 0, "w.weight", TIED},
    {"meshwright show " SIZED " --format dot", 0, "digraph model {", TIED},
    {"meshwright show " SIZED " --name d_head=width", 0, "width", TIED},
    {"meshwright show " GPT " --sizes-from examples/gpt_tiny.npz", 0,
     "i64[batch, seq]", TIED},
    {"meshwright show " GPT, 0, "batch                   5",
     "dimension 'batch' has no size, 5 is assumed"},
    {"meshwright show " SIZED " --format xml", 2, NULL,
     "is 'xml', wanted text, json, csv or dot"},
    {"meshwright show " SIZED " --name nobody=x", 2, NULL, "nobody"},
    {"meshwright show " GPT " --dim batch=two", 2, NULL,
     "the size of 'batch' is 'two'"},
    {"meshwright show " SIZED " --dim seq=8", 2, NULL, "'seq' is given twice"},
    {"meshwright show " GPT " --dim seq=9 --sizes-from examples/gpt_tiny.npz",
     2, NULL, "dimension 'seq' is 9, but axis 1 of the array"},
    {"meshwright import tests/data/counts/equals.onnx", 2, NULL,
     "give --dim rows=all=SIZE"},
    {"meshwright show tests/data/counts/equals.onnx --dim rows=all=3", 0,
     "[rows_all, ", NULL},
    {"meshwright show README.md", 2, NULL, "ends in .onnx, .mlir or .mw"},
    {"meshwright show nowhere.onnx", 3, NULL, "nowhere.onnx"},
    {"meshwright import " GPT, 2, NULL, "dimension 'batch'"},
    {"meshwright import " SIZED, 0, "model gpt_tiny", TIED},
    {"meshwright import " SIZED " -o $S/gpt.mw", 0, NULL, TIED},
    {"meshwright import " SIZED " -o $S/gpt.json", 2, NULL,
     "a name that ends in .mw"},
    {"meshwright import $S/gpt.mw -o $S/again.mw", 0, NULL, NULL},
    {"meshwright import $S/gpt.mw -o /tmp/elsewhere.mw", 2, NULL,
     "is not in the folder of"},
    {"meshwright plan $S/again.mw --mesh 2 -o $S/gpt.json", 0, "optimal", NULL},
    {"meshwright run $S/gpt.json --input examples/gpt_tiny.npz --expect "
     "examples/gpt_tiny.npz",
     0, "as expected", NULL},
    {"meshwright show $S/gpt.mw", 0, "i64[batch, seq]", NULL},
    {"meshwright show $S/gpt.mw --sizes-from examples/gpt_tiny.npz", 0,
     "i64[batch, seq]", NULL},
    {"meshwright show $S/gpt.mw --dim batch=5", 0, "5  input ids", NULL},
    {"meshwright show $S/gpt.mw --dim bach=5", 2, NULL,
     "no dimension 'bach'; did you mean 'batch'?"},
    {"meshwright show $S/gpt.mw --name batch=b", 2, NULL,
     "do not change a .mw file"},
    {"meshwright import tests/data/edge/big_int32_elems.onnx --dim B=2", 2,
     NULL, "'B'"},
    {"meshwright show tests/data/edge/big_int32_elems.onnx", 0, "10.4 GiB",
     NULL},
    {"meshwright import tests/data/edge/ext_traversal.onnx", 3, NULL,
     "outside the model's folder"},
    {"meshwright import tests/data/edge/unknown_op_domain.onnx", 3, NULL,
     "node 'y' (FusedThing)"},
    /* how many boxes there are follows from values */
    {"meshwright plan " BOXES " --mesh 2", 3, NULL, "--dim boxes=SIZE plans"},
    {"meshwright plan " BOXES " --mesh 2 --dim boxs=26", 2, NULL,
     "did you mean 'boxes'?"},
    {"meshwright plan " BOXES " --mesh 2 --dim boxes=0", 3, NULL,
     "'boxes' is 0, wanted 1 to 36"},
    {"meshwright plan " BOXES " --mesh 2 --dim boxes=37", 3, NULL,
     "'boxes' is 37, wanted 1 to 36"},
    {"meshwright show " BOXES, 0, "scan", "'boxes' has no size"},
    {"meshwright plan " BOXES " --mesh 3 --dim boxes=26 -o $S/boxes.json", 0,
     "optimal", NULL},
    {"meshwright run $S/boxes.json --input tests/data/counts/boxes.npz "
     "--expect "
     "tests/data/counts/boxes.npz",
     0, "as expected", NULL},
    {"meshwright run $S/boxes.json --input tests/data/counts/fewer.npz", 5,
     NULL, "elements are selected where the plan was made for 26"},
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
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

/* The JSON of show says what the text says. */
static void json_facts(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell result;
    const mw_json *root = NULL, *parameters = NULL;
    int64_t n_ops = 0, elements = 0;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (mw_shell_run(&arena, "meshwright show " SIZED " --format json",
                     &result)) {
        mw_status status = mw_json_parse(&arena, "show", result.out,
                                         strlen(result.out), &root);
        if (status == MW_OK)
            status = mw_json_get_int(&ctx, root, "n_ops", &n_ops);
        if (status == MW_OK)
            status = mw_json_get_object(&ctx, root, "parameters", &parameters);
        if (status == MW_OK)
            status = mw_json_get_int(&ctx, parameters, "elements", &elements);
        CHECK(status == MW_OK, "%s", ctx.message);
        CHECK(n_ops > 100 && elements == 120576, "%lld ops, %lld elements",
              (long long)n_ops, (long long)elements);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* What import prints is read again to the same text. */
static void text_again(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell first;
    mw_graph graph;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (mw_shell_run(&arena, "meshwright import " SIZED, &first)) {
        mw_status status = mw_graph_init(&graph, &arena, "again");
        if (status == MW_OK)
            status = mw_text_parse(&graph, "first", first.out);
        const char *again = status == MW_OK ? mw_text_print(&graph) : NULL;
        CHECK(again && strcmp(again, first.out) == 0, "%s: %s", ctx.where,
              ctx.message);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_import_command = {"import_command",
                                          {{"command lines", command_lines},
                                           {"facts as JSON", json_facts},
                                           {"text again", text_again}}};
