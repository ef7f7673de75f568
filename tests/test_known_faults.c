/* test_known_faults.c - faults seen in tools of this kind, from outside. The
 * other suites have theirs where they belong; a row here names the fault. */
#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
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

#define GPT(d_model, heads, vocab, batch)                                      \
    "gpt --set layers=2 --set seq=8 --set d_model=" #d_model                   \
    " --set heads=" #heads " --set vocab=" #vocab " --set batch=" #batch " "
#define BEST " | grep '1\\* best'"

/* The same kinds of fault on training steps, in two variants each. */
static const struct row training[] = {
    /* sizes that nothing divides */
    {"S01",
     "meshwright plan " EDGE "prime_dims.onnx --mesh 2 --rule batch=m0 "
     "--top 1 --train adam --loss mse --quiet -o $S/f.json && "
     "meshwright verify $S/f.json",
     0, " 0 differ"},
    {"S01",
     "meshwright plan " EDGE "prime_dims.onnx --mesh 3 --pick zero3 "
     "--top 1 --train momentum --loss mse --quiet -o $S/f.json && "
     "meshwright verify $S/f.json",
     0, " 0 differ"},
    /* one example on many processors: something else is split */
    {"S02",
     "meshwright plan " GPT(16, 2, 256, 1) "--mesh 8 --top 1 --train adam" BEST,
     0, "@m0"},
    {"S02",
     "meshwright plan t5 --set layers=1 --set d_model=16 --set heads=2 --set "
     "vocab=64 --set seq=8 --set batch=1 --mesh 2x4 --top 1 --train sgd" BEST,
     0, "@m1"},
    /* convolutions over a slow outer axis */
    {"S15",
     "meshwright plan wideresnet --set depth=10 --set widen=1 --set image=8 "
     "--set batch=2 --mesh 2x2 --machine cpu_tcp --top 1 --train sgd --quiet "
     "-o $S/f.json && meshwright verify $S/f.json",
     0, " 0 differ"},
    {"S15",
     "meshwright plan wideresnet --set depth=10 --set widen=1 --set batch=2 "
     "--mesh 2x2 --machine cpu_tcp --top 1 --train sgd --pick 2d --quiet -o "
     "$S/f.json "
     "&& meshwright check $S/f.json",
     0, NULL},
    /* heads that are no multiple of the processors */
    {"S17",
     "meshwright plan " GPT(
         15, 5, 64, 4) "--mesh 4 --rule "
                       "heads=m0 --top 1 --train adam --quiet -o $S/f.json && "
                       "meshwright verify $S/f.json",
     0, " 0 differ"},
    {"S17",
     "meshwright plan " GPT(
         12, 3, 64,
         4) "--mesh 2 --pick "
            "tensor_parallel --top 1 --train adafactor --quiet -o $S/f.json && "
            "meshwright verify $S/f.json",
     0, " 0 differ"},
    /* a table split unevenly: look-up, head and both their gradients */
    {"S20",
     "meshwright plan " GPT(
         16, 2, 257,
         4) "--mesh 3 --rule vocab=m0 --top 1 --train "
            "adam --quiet -o $S/f.json && meshwright verify $S/f.json",
     0, " 0 differ"},
    {"S21",
     "meshwright plan t5 --set layers=1 --set d_model=16 --set heads=2 --set "
     "vocab=50 --set seq=8 --set batch=2 --mesh 4 --rule vocab=m0 --top 1 "
     "--train sgd "
     "--quiet -o $S/f.json && meshwright verify $S/f.json",
     0, " 0 differ"},
    /* a table that must be split, with its states */
    {"S22",
     "meshwright plan " GPT(16, 2, 5000,
                            4) "--mesh 4 --top 1 --train adam --memory "
                               "1MB",
     0, "[vocab@m0, d_model]"},
    {"S22",
     "meshwright plan " GPT(16, 2, 5000,
                            4) "--mesh 4 --top 1 --train adam --scope "
                               "global --memory 1MB",
     0, "[vocab@m0, d_model]"},
    /* a plan with a split taken away */
    {"S24",
     "meshwright plan " GPT(
         16, 2, 64,
         4) "--mesh 2 --top 1 --train adam --pick zero3 --quiet "
            "-o $S/f.json && meshwright check $S/f.json && sed "
            "'0,/\"split\": {\"[a-z_]*\": \\[\"m0\"\\]}/s//\"split\": {}/' "
            "$S/f.json >$S/g.json && ! cmp -s $S/f.json $S/g.json && "
            "meshwright check $S/g.json",
     1, NULL},
    {"S24",
     "meshwright plan " GPT(
         16, 2, 64,
         4) "--mesh 3 --pick zero1 --top 1 --train sgd --quiet -o $S/f.json && "
            "sed '0,/\"bytes_sent\": [1-9][0-9]*/s//\"bytes_sent\": 1/' "
            "$S/f.json "
            ">$S/g.json && meshwright check $S/g.json",
     1, NULL},
    /* a pin that does not fit is named */
    {"S26",
     "meshwright plan " GPT(16, 2, 5000,
                            4) "--mesh 4 --top 1 --train adam --memory "
                               "500kB --fix wte.weight=[vocab,d_model]",
     4, "pinned: 'wte.weight'"},
    {"S26",
     "meshwright plan " GPT(
         16, 2, 5000, 4) "--mesh 4 --top 1 --train sgd --memory "
                         "500kB --remat full --fix wte.weight=[vocab,d_model]",
     4, "without --fix wte.weight"},
    /* time is kept to: the suite's own limit would end it */
    {"S35",
     "meshwright plan gpt --set preset=gpt2-small --mesh 2x2x2 "
     "--top 1 --train adam --time-limit 1 --memory 3GiB" BEST,
     0, "best"},
    {"S35",
     "meshwright plan gpt --set preset=gpt2-small --mesh 2x2x2 "
     "--top 1 --train adam --time-limit 1 --memory 3GiB --remat auto" BEST,
     0, "best"},
};

static void run_rows(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++, row++) {
        fixture f;
        mw_shell got;
        open_fixture(&f);
        if (mw_shell_run(&f.arena, row->line, &got))
            CHECK(got.exit_status == row->exit_status &&
                      (!row->want || strstr(got.out, row->want) ||
                       strstr(got.err, row->want)),
                  "%s: %s: exit %d: %s%s", row->fault, row->line,
                  got.exit_status, got.out, got.err);
        close_fixture(&f);
    }
}

static void command_lines(void)
{
    run_rows(rows, sizeof rows / sizeof rows[0]);
}

static void training_steps(void)
{
    run_rows(training, sizeof training / sizeof training[0]);
}

/* What one processor takes is enough for one, and for more. */
static void peak_of_one(void)
{
    static const char *const models[] = {
        "resnet --set depth=50 --set base=4 --set image=32 --set batch=2 --set "
        "classes=10",
        "lstm --set layers=1 --set vocab=64 --set seq=6 --set batch=4 --set "
        "d_model=16"};
    static const char *const how[] = {"--mesh 1", "--mesh 2 --remat full",
                                      "--mesh 2 --scope global"};
    fixture f;
    mw_shell got;
    char line[1024];
    open_fixture(&f);
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
        for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
            (void)snprintf(
                line, sizeof line,
                "meshwright plan %s --mesh 1 --train adam --quiet -o $S/f.json "
                "&& peak=$(sed -n 's/.*\"peak_bytes\": *\\([0-9]*\\).*/\\1/p' "
                "$S/f.json | head -n 1) && meshwright plan %s --train adam "
                "--memory $peak --top 1 --quiet %s -o $S/g.json && "
                "meshwright check $S/g.json",
                models[m], models[m], how[i]);
            if (mw_shell_run(&f.arena, line, &got))
                CHECK(got.exit_status == 0, "S28: %s: exit %d: %s", line,
                      got.exit_status, got.err);
        }
    close_fixture(&f);
}

const mw_suite mw_suite_known_faults = {
    "known_faults",
    {{"command lines", command_lines},
     {"training steps", training_steps},
     {"the peak of one processor", peak_of_one}}};
