/* test_known_faults.c - faults seen in tools of this kind, from outside. The
 * other suites have theirs where they belong; a row here names the fault. */
#include <string.h>

#include "tests/shell.h"
#include "tests/test.h"

#define EDGE "tests/data/edge/"

/* Lines run in order: a plan is made, then used. */
static const struct row {
    const char *fault, *line;
    int exit_status;
    const char *want; /* in what it prints, or in its error; NULL: anything */
} rows[] = {
    /* a size that no number of ranks divides is split all the same */
    {"S01",
     "meshwright plan " EDGE "prime_dims.onnx --mesh 2 --rule batch=m0"
     " -o $S/s01.json",
     0, "batch@m0"},
    {"S01",
     "meshwright run $S/s01.json --input " EDGE "prime_dims.npz --expect " EDGE
     "prime_dims.npz",
     0, "as expected"},
    {"S01", "meshwright plan " EDGE "prime_dims.onnx --mesh 2 --rule bath=m0",
     2, "bath"},
    {"S01", "meshwright plan " EDGE "prime_dims.onnx --mesh 2 --rule batch=m7",
     2, "m7"},
    {"S01",
     "meshwright plan " EDGE "prime_dims.onnx --mesh 2"
     " --fix w1=[d97@m0,hidden@m0]",
     2, "m0"},
    /* flattening what some ranks hold nothing of */
    {"S04",
     "meshwright plan tests/data/faults/flatten_6x256.onnx --mesh 5"
     " --fix x=[*@m0,*] -o $S/s04.json",
     2, "*"},
    {"S04",
     "meshwright plan tests/data/faults/flatten_6x256.onnx --mesh 4"
     " --fix x=[batch@m0,d256] -o $S/s04.json",
     0, NULL},
    {"S04",
     "meshwright run $S/s04.json --input tests/data/faults/flatten_6x256"
     ".npz --expect tests/data/faults/flatten_6x256.npz",
     0, "as expected"},
    {"S04",
     "meshwright verify tests/data/faults/flatten_6x256.onnx"
     " --all-strategies --mesh 4",
     0, "strategies"},
    /* one table, looked up and multiplied by, padded once and alike */
    {"S21",
     "meshwright plan " EDGE "tied_weight_two_uses.onnx --mesh 3"
     " --sizes-from " EDGE "tied_weight_two_uses.npz -o $S/s21.json",
     0, NULL},
    {"S21",
     "meshwright run $S/s21.json --input " EDGE
     "tied_weight_two_uses.npz --expect " EDGE "tied_weight_two_uses.npz",
     0, "as expected"},
    {"S21",
     "meshwright verify " EDGE "tied_weight_two_uses.onnx"
     " --sizes-from " EDGE "tied_weight_two_uses.npz"
     " --all-strategies --mesh 3",
     0, "strategies"},
    /* operands without axes */
    {"S30",
     "meshwright plan " EDGE "scalar_rank0.onnx --mesh 2x2 -o $S/s30.json", 0,
     NULL},
    {"S30",
     "meshwright run $S/s30.json --input " EDGE "scalar_rank0.npz"
     " --expect " EDGE "scalar_rank0.npz",
     0, "as expected"},
    /* splits of a convolution that give something else */
    {"S31",
     "meshwright verify " EDGE "conv_halo_stride2.onnx --all-strategies"
     " --mesh 2 --mesh 3",
     0, "strategies"},
    /* mesh axes of size 1 in every op */
    {"M10",
     "meshwright verify tests/data/exports/mlp.onnx --dim batch=3"
     " --all-strategies --mesh 1x2 --mesh 2x1x1",
     0, "strategies"},
};

static void command_lines(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        mw_shell got;
        const struct row *row = &rows[i];
        if (mw_shell_run(&arena, row->line, &got))
            CHECK(got.exit_status == row->exit_status &&
                      (!row->want || strstr(got.out, row->want) ||
                       strstr(got.err, row->want)),
                  "%s: %s: exit %d: %s%s", row->fault, row->line,
                  got.exit_status, got.out, got.err);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

const mw_suite mw_suite_known_faults = {"known_faults",
                                        {{"command lines", command_lines}}};
