/* test_train_lstm.c - a recurrent model, its cell a scan, trained from the
 * command line as JAX trains it, on one rank and with the batch split.
 * tests/data/train/make_lstm.py made model and losses. */
#include <stdio.h>
#include <string.h>

#include "runtime/tensor_file.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

#define DATA "tests/data/train/"

typedef struct row {
    const char *dtype, *options;
    int steps;
    double tolerance;
} row;

static bool run(mw_arena *arena, const row *r, step_lines *all)
{
    char line[2048];
    mw_shell got;
    (void)snprintf(
        line, sizeof line,
        "meshwright plan " DATA "lstm_%s.mw --train adam,lr=0.01 --loss "
        "cross-entropy --top 1 %s -o $S/lstm.json >$S/lstm.out && "
        "meshwright check $S/lstm.json >$S/lstm.out && "
        "meshwright train $S/lstm.json --data " DATA "gpt_batches.npz "
        "--in-order --steps %d --format json",
        r->dtype, r->options, r->steps);
    if (!mw_shell_run(arena, line, &got))
        return false;
    read_step_lines(arena, got.out, all);
    return CHECK(got.exit_status == 0 && got.err[0] == '\0' &&
                     all->n == r->steps,
                 "%s %s: status %d, %d lines: %s", r->dtype, r->options,
                 got.exit_status, all->n, got.err);
}

static void check(const row *r)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_tensor_file *file = NULL;
    const void *data = NULL;
    char path[128];
    step_lines got;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    (void)snprintf(path, sizeof path, DATA "lstm_%s_losses.npy", r->dtype);
    mw_status status = mw_tensor_file_open(&ctx, &arena, path, &file);
    if (status == MW_OK)
        status = mw_tensor_file_data(file, 0, &data);
    if (CHECK(status == MW_OK, "%s: %s", ctx.where, ctx.message) &&
        run(&arena, r, &got))
        same_losses(r->options, &got, data, 0, r->tolerance);
    mw_tensor_file_close(file);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void as_jax(void)
{
    static const row rows[] = {
        {"f64", "--mesh 1", 10, 1e-9},
        {"f64", "--mesh 2 --rule batch=m0", 10, 1e-9},
        {"f64", "--mesh 3 --rule batch=m0", 10, 1e-9},
        {"f32", "--mesh 2 --rule batch=m0", 30, 1e-4},
        {"f64", "--mesh 2 --unroll --rule hidden=m0", 10, 1e-9},
        {"f64", "--mesh 3 --unroll --rule hidden=m0", 10, 1e-9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
}

const mw_suite mw_suite_train_lstm = {"train_lstm", {{"as JAX", as_jax}}};
