/* test_train_jax.c - a GPT trained from the command line: as JAX trains it on
 * one rank, and as one rank on any mesh, in layouts that the search picks and
 * in those of recipes. tests/data/train/make_gpt.py made model and losses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/tensor_file.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

#define DATA "tests/data/train/"
#define QUICK "--top 1 --time-limit 2"

/* Everything whole on one rank, as one of several: ZeRO-3. */
#define ZERO                                                                   \
    "--rule batch=m0 $(sed -n 's,^param \\([^ ]*\\) : f64.\\([a-z_]*\\).*,"    \
    "--fix \\1=\\2@m0 --fix \\1/m=\\2@m0 --fix \\1/v=\\2@m0,p' " DATA          \
    "gpt_f64.mw)"

/* 60 % of what the plan without a limit takes. */
#define TIGHT                                                                  \
    "--top 1 --time-limit 8 --remat auto --memory $(meshwright plan " DATA     \
    "gpt_f64.mw --mesh 2 --train adam " QUICK " --format csv | "               \
    "awk -F, 'NR == 2 { print int($8 * 0.6) }')"

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
    mw_tensor_file *file;
    const double *jax; /* losses */
} fixture;

static bool open_fixture(fixture *f, const char *dtype)
{
    char path[128];
    const void *data = NULL;
    memset(f, 0, sizeof *f);
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
    (void)snprintf(path, sizeof path, DATA "gpt_%s_losses.npy", dtype);
    mw_status status = mw_tensor_file_open(&f->ctx, &f->arena, path, &f->file);
    if (status == MW_OK)
        status = mw_tensor_file_data(f->file, 0, &data);
    f->jax = data;
    return CHECK(status == MW_OK, "%s: %s", f->ctx.where, f->ctx.message);
}

static void close_fixture(fixture *f)
{
    mw_tensor_file_close(f->file);
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

/* A plan of the model, and how many steps are made by it. */
typedef struct row {
    const char *dtype, *mesh, *options;
    int steps;
} row;

static bool train(fixture *f, const row *r, step_lines *all)
{
    char line[4096];
    mw_shell got;
    (void)snprintf(
        line, sizeof line,
        "meshwright plan " DATA "gpt_%s.mw --mesh %s --train adam,lr=0.003 "
        "--loss cross-entropy %s -o $S/jax.json >$S/jax.out && "
        "meshwright check $S/jax.json >$S/jax.out && "
        "meshwright train $S/jax.json --data " DATA "gpt_batches.npz "
        "--in-order --steps %d --format json",
        r->dtype, r->mesh, r->options, r->steps);
    if (!mw_shell_run(&f->arena, line, &got))
        return false;
    read_step_lines(&f->arena, got.out, all);
    return CHECK(got.exit_status == 0 && got.err[0] == '\0' &&
                     all->n == r->steps,
                 "%s on %s %s: status %d, %d lines: %s", r->dtype, r->mesh,
                 r->options, got.exit_status, all->n, got.err);
}

static void as_jax(void)
{
    static const struct {
        row row;
        double tolerance;
    } rows[] = {{{"f64", "1", QUICK, 10}, 1e-9},
                {{"f32", "1", QUICK, 50}, 1e-4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        step_lines got;
        if (open_fixture(&f, rows[i].row.dtype) &&
            train(&f, &rows[i].row, &got))
            same_losses(rows[i].row.dtype, &got, f.jax, 0, rows[i].tolerance);
        close_fixture(&f);
    }
}

static void as_one_rank(void)
{
    static const row one = {"f64", "1", QUICK, 10};
    static const row rows[] = {
        {"f64", "2", QUICK, 10},
        {"f64", "3", QUICK " --pick data_parallel", 10},
        {"f64", "2x2", QUICK " --pick tensor_parallel", 10},
        {"f64", "2", QUICK " " ZERO, 10},
        {"f64", "2", TIGHT, 10},
    };
    fixture f;
    step_lines want, got;
    if (open_fixture(&f, "f64") && train(&f, &one, &want))
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (train(&f, &rows[i], &got))
                same_losses(rows[i].mesh, &got, want.loss, 0, 1e-9);
    close_fixture(&f);
}

static void in_single_precision(void)
{
    static const row one = {"f32", "1", QUICK, 50},
                     many = {"f32", "2x2", QUICK " --pick data_parallel", 50};
    fixture f;
    step_lines want, got;
    if (open_fixture(&f, "f32") && train(&f, &one, &want) &&
        train(&f, &many, &got)) {
        same_losses("50 steps", &got, want.loss, 0, 1e-4);
        got.n = 10;
        same_losses("10 steps", &got, want.loss, 0, 1e-5);
    }
    close_fixture(&f);
}

/* 2x2, then 3 ranks, then 1, of the real thing; and what it goes on with. */
static void resumed(void)
{
    static const char *const meshes[] = {"2x2", "3", "1"};
    fixture f;
    mw_shell got;
    step_lines lines;
    if (!open_fixture(&f, "f64"))
        return;
    for (int i = 0; i < 3; i++) {
        char line[2048];
        (void)snprintf(line, sizeof line,
                       "meshwright plan " DATA "gpt_f64.mw --mesh %s --train "
                       "adam,lr=0.003 " QUICK " -o $S/jax.json >$S/jax.out && "
                       "meshwright train $S/jax.json --data " DATA
                       "gpt_batches.npz "
                       "--steps 3 --format json --checkpoint $S/jax %s",
                       meshes[i], i ? "--resume $S/jax" : "--in-order");
        if (!mw_shell_run(&f.arena, line, &got))
            break;
        read_step_lines(&f.arena, got.out, &lines);
        CHECK(got.exit_status == 0 && got.err[0] == '\0' && lines.n == 3,
              "%s: status %d: %s", meshes[i], got.exit_status, got.err);
        same_losses(meshes[i], &lines, f.jax, 3 * i, 1e-9);
    }
    /* what was learned: a plan for training goes on with a text too */
    if (mw_shell_run(&f.arena,
                     "meshwright generate $S/jax.json --checkpoint $S/jax "
                     "--prompt '!+.' --tokens 5 --format csv | wc -l",
                     &got))
        CHECK(strcmp(got.out, "6\n") == 0 && got.err[0] == '\0', "%s%s",
              got.out, got.err);
    close_fixture(&f);
}

/* Within steps nothing is allocated, and MPI gets the plan's bytes (without a
 * folder for shared windows all goes by messages): counted by a library of the
 * tests, put between. */
static void watched(void)
{
    const char *mode = getenv("MODE");
    fixture f;
    mw_shell got;
    if (mode && strcmp(mode, "release") != 0 && strcmp(mode, "debug") != 0) {
        SKIP("train_jax/watched: %s has an allocator of its own", mode);
        return;
    }
    char line[2048];
    (void)snprintf(
        line, sizeof line,
        "M=%s; meshwright plan " DATA "gpt_f32.mw --mesh 2 --train adam,clip=1 "
        "--pick data_parallel " QUICK " -o $S/seen.json >$S/jax.out && "
        "rm -f $S/seen.? && mpirun -n 2 --bind-to none "
        "-x LD_PRELOAD=$(dirname $M)/tests/watch.so -x MW_WATCH=$S/seen "
        "-x OMPI_MCA_osc_sm_backing_directory=/nowhere "
        "$M train $S/seen.json --data " DATA "gpt_batches.npz --steps 3 "
        "--checkpoint $S/seen >$S/jax.out && cat $S/seen.0 $S/seen.1 && "
        "grep bytes_sent_by_rank $S/seen.json",
        mw_command_path());
    if (open_fixture(&f, "f32") && mw_shell_run(&f.arena, line, &got)) {
        long long windows[2], bytes[2], other[2], allocations[2], planned[2];
        int n = sscanf(got.out,
                       "%lld %lld %lld %lld %*[^\n] %lld %lld %lld %lld "
                       "%*[^\n] \"bytes_sent_by_rank\": [%lld, %lld",
                       &windows[0], &bytes[0], &other[0], &allocations[0],
                       &windows[1], &bytes[1], &other[1], &allocations[1],
                       &planned[0], &planned[1]);
        for (int r = 0; r < 2; r++)
            CHECK(got.exit_status == 0 && n == 10 && windows[r] == 3 &&
                      bytes[r] == 3 * planned[r] && other[r] == 0 &&
                      allocations[r] == 0,
                  "rank %d: %s%s", r, got.out, got.err);
    }
    close_fixture(&f);
}

const mw_suite mw_suite_train_jax = {
    "train_jax",
    {{"as JAX", as_jax},
     {"as one rank", as_one_rank},
     {"in single precision", in_single_precision},
     {"resumed", resumed},
     {"watched", watched}}};
