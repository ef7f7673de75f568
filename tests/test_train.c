/* test_train.c - the train command: the same losses on any mesh, layout and
 * after any resumption; jobs that are stopped or killed; what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "runtime/safetensors.h"
#include "tests/plan_maker.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

/* A line is fitted by hand-written gradients and momentum. */
static const char model[] = "model line\n"
                            "dim batch = 4\ndim f = 5\ndim o = 3\n"
                            "input x : f64[batch, f]\n"
                            "input t : f64[batch, o]\n"
                            "param w : f64[f, o]\n"
                            "state v : f64[f, o] = fill 0\n"
                            "state count : i64[] = 0\n"
                            "const lr : f64[] = {-0.02}\n"
                            "const keep : f64[] = {0.9}\n"
                            "const one : i64[] = {1}\n"
                            "y = einsum(x, w) : f64[batch, o]\n"
                            "d = sub(y, t) : f64[batch, o]\n"
                            "loss = einsum(d, d) : f64[]\n"
                            "g = einsum(x, d) : f64[f, o]\n"
                            "kept = mul(v, keep) : f64[f, o]\n"
                            "sum = add(kept, g) : f64[f, o]\n"
                            "v.new = assign(v, sum) : f64[f, o]\n"
                            "move = mul(v.new, lr) : f64[f, o]\n"
                            "moved = add(w, move) : f64[f, o]\n"
                            "w.new = assign(w, moved) : f64[f, o]\n"
                            "more = add(count, one) : i64[]\n"
                            "count.new = assign(count, more) : i64[]\n"
                            "output loss\n";

/* For plan --train: two layers, the loss written out. */
static const char layers[] = "model layers\n"
                             "dim batch = 4\ndim f = 5\ndim h = 7\ndim o = 3\n"
                             "input x : f64[batch, f]\n"
                             "input t : f64[batch, o]\n"
                             "param w1 : f64[f, h]\n"
                             "param w2 : f64[h, o]\n"
                             "z = einsum(x, w1) : f64[batch, h]\n"
                             "a = tanh(z) : f64[batch, h]\n"
                             "y = einsum(a, w2) : f64[batch, o]\n"
                             "d = sub(y, t) : f64[batch, o]\n"
                             "loss = einsum(d, d) : f64[]\n"
                             "output loss\n";

enum { EXAMPLES = 11 };

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
} fixture;

static bool shell(fixture *f, mw_shell *result, const char *format, ...)
    MW_PRINTF(3, 4);
static bool shell(fixture *f, mw_shell *result, const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return mw_shell_run(&f->arena, line, result);
}

static void write_data(fixture *f)
{
    static double x[EXAMPLES * 5], t[EXAMPLES * 3];
    char path[512];
    uint64_t random = 3;
    for (int i = 0; i < EXAMPLES * 5; i++)
        x[i] = (double)(mw_test_random(&random) >> 40) * 0x1p-23 - 1;
    for (int i = 0; i < EXAMPLES * 3; i++)
        t[i] = (double)(mw_test_random(&random) >> 40) * 0x1p-23 - 1;
    const mw_array arrays[2] = {
        {"x", MW_F64, 2, {EXAMPLES, 5}, sizeof x},
        {"t", MW_F64, 2, {EXAMPLES, 3}, sizeof t},
    };
    const void *const data[2] = {x, t};
    (void)snprintf(path, sizeof path, "%s/line.safetensors", mw_scratch_path());
    CHECK(mw_safetensors_write(&f->ctx, path, arrays, data, 2) == MW_OK, "%s",
          f->ctx.message);
    (void)snprintf(path, sizeof path, "%s/line.mw", mw_scratch_path());
    CHECK(mw_file_write(&f->ctx, path, model, strlen(model)) == MW_OK, "%s",
          f->ctx.message);
    (void)snprintf(path, sizeof path, "%s/layers.mw", mw_scratch_path());
    CHECK(mw_file_write(&f->ctx, path, layers, strlen(layers)) == MW_OK, "%s",
          f->ctx.message);
}

static void open_fixture(fixture *f)
{
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
    write_data(f);
}

static void close_fixture(fixture *f)
{
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

// $S/NAME.json: a plan by lot, so that states, updates and reductions lie in
// all sorts of ways.
static bool make_plan(fixture *f, const char *name, const char *mesh,
                      uint64_t seed)
{
    char from[512], to[512];
    (void)snprintf(from, sizeof from, "%s/line.mw", mw_scratch_path());
    (void)snprintf(to, sizeof to, "%s/%s.json", mw_scratch_path(), name);
    return CHECK(plan_file_by_lot(&f->ctx, from, NULL, mesh, seed, to) == MW_OK,
                 "%s: %s", f->ctx.where, f->ctx.message);
}

// Trains and reads the lines; options: further ones.
static bool train(fixture *f, const char *plan, int steps, const char *options,
                  step_lines *all)
{
    mw_shell got;
    if (!shell(f, &got,
               "meshwright train $S/%s.json --data $S/line.safetensors "
               "--steps %d --format json %s",
               plan, steps, options))
        return false;
    read_step_lines(&f->arena, got.out, all);
    return CHECK(got.exit_status == 0 && got.err[0] == '\0' && all->n == steps,
                 "%s: status %d, %d lines: %s", plan, got.exit_status, all->n,
                 got.err);
}

static void meshes_agree(void)
{
    static const char *const meshes[] = {"2x2", "3", "2", "2x1x2"};
    fixture f;
    step_lines want, got;
    open_fixture(&f);
    if (make_plan(&f, "one", "1", 1) && train(&f, "one", 9, "", &want)) {
        CHECK(want.loss[8] < want.loss[0], "nothing is learned: %g to %g",
              want.loss[0], want.loss[8]);
        for (uint64_t i = 0; i < 5; i++) {
            const char *mesh = meshes[i % 4];
            if (make_plan(&f, "lot", mesh, 20 + i) &&
                train(&f, "lot", 9, "", &got))
                same_losses(mesh, &got, want.loss, 0, 1e-12);
        }
    }
    close_fixture(&f);
}

/* 2x2, then 3 ranks, then 1, give what one rank gives without a break. */
static void resumed(void)
{
    static const struct {
        const char *mesh, *options;
    } rows[] = {{"2x2", "--checkpoint $S/kept"},
                {"3", "--resume $S/kept --checkpoint $S/kept"},
                {"1", "--resume $S/kept"}};
    fixture f;
    step_lines want, got;
    open_fixture(&f);
    if (make_plan(&f, "one", "1", 1) && train(&f, "one", 12, "", &want))
        for (int i = 0; i < 3; i++)
            if (make_plan(&f, "part", rows[i].mesh, 7) &&
                train(&f, "part", 4, rows[i].options, &got))
                same_losses(rows[i].mesh, &got, want.loss, 4 * i, 1e-12);
    close_fixture(&f);
}

/* In what the search picks, with memory to spare and with the least there can
 * be. */
static void memory(void)
{
    static const char *const meshes[] = {"2", "3"};
    static const char *const limits[] = {
        "", "--memory $(meshwright plan $S/layers.mw --mesh $P --train "
            "adam,lr=0.05 --loss loss --memory 1 2>&1 | "
            "awk '/would do is/ {sub(\".*would do is \", \"\"); print $1; "
            "exit}')"};
    fixture f;
    step_lines want, got;
    mw_shell planned;
    open_fixture(&f);
    bool good = shell(&f, &planned,
                      "meshwright plan $S/layers.mw --mesh 1 --train "
                      "adam,lr=0.05 --loss loss -o $S/layers.json "
                      ">$S/train.out") &&
                train(&f, "layers", 6, "", &want);
    for (int i = 0; i < 4 && good; i++)
        if (shell(&f, &planned,
                  "P=%s; meshwright plan $S/layers.mw --mesh $P --train "
                  "adam,lr=0.05 --loss loss -o $S/layers.json %s >$S/train.out",
                  meshes[i % 2], limits[i / 2]) &&
            CHECK(planned.exit_status == 0, "%s %s: %s", meshes[i % 2],
                  limits[i / 2], planned.err) &&
            train(&f, "layers", 6, "", &got))
            same_losses(meshes[i % 2], &got, want.loss, 0, 1e-9);
    close_fixture(&f);
}

/* Looking does not change what is looked at. */
static void evaluated(void)
{
    fixture f;
    step_lines want, got;
    mw_shell shown;
    open_fixture(&f);
    if (make_plan(&f, "seen", "3", 5) && train(&f, "seen", 5, "", &want) &&
        train(&f, "seen", 5, "--eval $S/line.safetensors --eval-every 1",
              &got)) {
        same_losses("evaluated", &got, want.loss, 0, 1e-12);
        /* the same batch without learning: two evaluations agree with what
         * the next step finds in the file's order */
        if (shell(&f, &shown,
                  "meshwright train $S/seen.json --data $S/line.safetensors "
                  "--steps 6 --in-order --metrics $S/metrics --eval "
                  "$S/line.safetensors --eval-every 2 >$S/table && "
                  "grep -c eval_loss $S/metrics && wc -l <$S/metrics && "
                  "grep -c planned $S/table"))
            CHECK(shown.exit_status == 0 && !strcmp(shown.out, "3\n6\n1\n"),
                  "status %d: %s%s", shown.exit_status, shown.out, shown.err);
    }
    close_fixture(&f);
}

/* ---- jobs that end early ---- */

/* Waits for a checkpoint, does something to job or rank 1, and goes on from
 * what was kept. */
#define ENDLESS                                                                \
    "rm -rf $S/ended; %s train %s/ended.json --data $S/line.safetensors "      \
    "--steps 100000000 --checkpoint $S/ended --checkpoint-every 1 >/dev/null " \
    "& job=$!; while [ ! -e $S/ended/checkpoint.safetensors ] && "             \
    "kill -0 $job; do sleep 0.05; done; rank=; "                               \
    "for e in /proc/[0-9]*/environ; do d=${e%%/environ}; "                     \
    "grep -qz '^OMPI_COMM_WORLD_RANK=1$' $e 2>/dev/null && "                   \
    "grep -qz '%s/ended.json' $d/cmdline 2>/dev/null && rank=${d#/proc/}; "    \
    "done; %s; wait $job; status=$?; "                                         \
    "%s train %s/ended.json --data $S/line.safetensors --steps 1 "             \
    "--resume $S/ended --format csv | tail -n 1 | cut -d, -f1 || exit 99; "    \
    "exit $status"

static void ended_jobs(void)
{
    static const struct {
        const char *mesh, *action, *want;
        int status;
    } rows[] = {
        {"3", "kill -TERM $job", "", 143},
        {"1", "kill -INT $job", "", 130},
        {"3", "kill -9 $rank", "rank 1: ended by signal 9", 5},
        {"2", "kill -9 $job", "", 137},
    };
    const char *m = mw_command_path(), *s = mw_scratch_path();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        mw_shell got;
        open_fixture(&f);
        if (make_plan(&f, "ended", rows[i].mesh, 9) &&
            shell(&f, &got, ENDLESS, m, s, s, rows[i].action, m, s))
            CHECK(got.exit_status == rows[i].status &&
                      strstr(got.err, rows[i].want) && atol(got.out) >= 2,
                  "%s: status %d: %s%s", rows[i].action, got.exit_status,
                  got.out, got.err);
        close_fixture(&f);
    }
}

/* An mpirun that loses the first wish to stop, as one does that still starts
 * its ranks, and ends at the second. */
#define DEAF                                                                   \
    "mkdir -p $S/deaf && printf '%%s\\n' '#!/bin/sh' 'n=0' "                   \
    "'trap \"n=\\$((n+1))\" USR1' ': >%s/deaf/started' "                       \
    "'while [ $n -lt 2 ]; do sleep 0.05; done' >$S/deaf/mpirun && "            \
    "chmod +x $S/deaf/mpirun && { PATH=$S/deaf:$PATH timeout -k 5 20 %s "      \
    "train "                                                                   \
    "$S/deaf.json --data $S/line.safetensors --steps 9 & job=$!; } && "        \
    "while [ ! -e $S/deaf/started ] && kill -0 $job; do sleep 0.05; done; "    \
    "kill -TERM $job; wait $job"

static void lost_wish(void)
{
    fixture f;
    mw_shell got;
    open_fixture(&f);
    if (make_plan(&f, "deaf", "2", 9) &&
        shell(&f, &got, DEAF, mw_scratch_path(), mw_command_path()))
        CHECK(got.exit_status == 143, "status %d: %s%s", got.exit_status,
              got.out, got.err);
    close_fixture(&f);
}

/* What was to be saved is not: that is a failure, asked to end or not. */
static void unsaved(void)
{
    static const char *const meshes[] = {"1", "2"};
    fixture f;
    mw_shell got;
    open_fixture(&f);
    for (int i = 0; i < 2; i++)
        if (make_plan(&f, "unsaved", meshes[i], 9) &&
            shell(&f, &got,
                  "%s train $S/unsaved.json --data $S/line.safetensors "
                  "--steps 100000000 --checkpoint $S/unsaved "
                  "--metrics $S/unsaved.metrics >/dev/null & job=$!; "
                  "while [ ! -s $S/unsaved.metrics ] && kill -0 $job; do "
                  "sleep 0.05; done; rm -r $S/unsaved; kill -TERM $job; "
                  "wait $job; status=$?; rm $S/unsaved.metrics; exit $status",
                  mw_command_path()))
            CHECK(got.exit_status == 5 &&
                      strstr(got.err, "checkpoint.safetensors: cannot be"),
                  "%s: status %d: %s", meshes[i], got.exit_status, got.err);
    close_fixture(&f);
}

/* ---- what is refused ---- */

static void refused(void)
{
    static const struct {
        const char *line; /* behind "meshwright train $S/no.json " */
        int status;
        const char *want;
    } rows[] = {
        {"--steps 1", 2, "--data: is missing"},
        {"--data $S/line.safetensors", 2, "--steps: is missing"},
        {"--data $S/line.safetensors --steps -1", 2, "--steps"},
        {"--data $S/line.safetensors --steps 1 --eval-every 2", 2,
         "wants --eval too"},
        {"--data $S/nothing.npz --steps 1", 3, "nothing.npz"},
        {"--data $S/line.mw --steps 1", 3, "is a list of tokens"},
        {"--data tests/data/arrays/plain.safetensors --steps 1", 3,
         "none called 'x'"},
        {"--data $S/line.safetensors --steps 1 --resume $S/never", 3,
         "never/checkpoint.safetensors"},
        {"--data $S/line.safetensors --steps 1 --checkpoint $S/line.mw", 5,
         "line.mw: cannot be written: Not a directory"},
        {"--data $S/line.safetensors --steps 1 --checkpoint $S/a/b", 5,
         "cannot be made"},
        {"--data $S/line.safetensors --steps 2 --checkpoint $S/half "
         ">/dev/null; cp $S/line.safetensors $S/half/checkpoint.safetensors; "
         "meshwright train $S/no.json --data $S/line.safetensors --steps 1 "
         "--resume $S/half",
         3, "is no checkpoint"},
        /* a header written anew, with a place that no training gets to */
        {"--data $S/line.safetensors --steps 2 --checkpoint $S/far >/dev/null; "
         "perl -0777 -i -pe 'my $n = unpack \"Q<\", $_; "
         "my $h = substr $_, 8, $n; "
         "$h =~ s/(\"position\": *\")[0-9]+/${1}99999999999999999999/; "
         "$h .= \" \" x (-length($h) % 8); "
         "$_ = pack(\"Q<\", length $h) . $h . substr $_, 8 + $n' "
         "$S/far/checkpoint.safetensors; "
         "meshwright train $S/no.json --data $S/line.safetensors --steps 1 "
         "--resume $S/far",
         3, "position or seed that can be"},
        {"--data $S/line.safetensors --steps 2 --checkpoint $S/seeded --seed 3 "
         ">/dev/null; "
         "meshwright train $S/no.json --data $S/line.safetensors --steps 1 "
         "--resume $S/seeded --seed 4",
         2, "--seed 3"},
    };
    fixture f;
    mw_shell got;
    open_fixture(&f);
    if (make_plan(&f, "no", "1", 3))
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (shell(&f, &got, "meshwright train $S/no.json %s", rows[i].line))
                CHECK(got.exit_status == rows[i].status &&
                          strstr(got.err, rows[i].want),
                      "%s: status %d: %s", rows[i].line, got.exit_status,
                      got.err);
    close_fixture(&f);
}

/* A list of tokens with one that a vocabulary of 16 does not have. */
static void tokens_out_of_range(void)
{
    static const struct {
        int token;
        const char *want;
    } rows[] = {{-1, "[40] is -1, 'ids' wants 0 to 15"},
                {16, "[40] is 16, 'ids' wants 0 to 15"}};
    fixture f;
    mw_shell got;
    open_fixture(&f);
    bool planned =
        shell(&f, &got,
              "meshwright plan gpt --set layers=1 --set d_model=8 --set d_ff=8 "
              "--set heads=2 --set seq=4 --set batch=2 --set vocab=16 --mesh 2 "
              "--train sgd --time-limit 5 -o $S/tokens.json") &&
        CHECK(got.exit_status == 0, "%s", got.err);
    for (size_t i = 0; planned && i < sizeof rows / sizeof rows[0]; i++)
        if (shell(&f, &got,
                  "perl -e 'my $h = \"{\\x27descr\\x27: \\x27<i4\\x27, "
                  "\\x27fortran_order\\x27: False, "
                  "\\x27shape\\x27: (64,)}\"; "
                  "$h .= \" \" x (63 - (10 + length $h) %% 64) . \"\\n\"; "
                  "print \"\\x93NUMPY\\x01\\x00\", pack(\"v\", length $h), $h, "
                  "pack(\"l<*\", (1) x 40, %d, (1) x 23)' > $S/tokens.npy; "
                  "meshwright train $S/tokens.json --data $S/tokens.npy "
                  "--steps 1",
                  rows[i].token))
            CHECK(got.exit_status == 3 && strstr(got.err, rows[i].want),
                  "%d: status %d: %s", rows[i].token, got.exit_status, got.err);
    close_fixture(&f);
}

// Arrays for a classifier of 5 numbers, with this label in row 3.
static bool write_labels(fixture *f, int64_t label)
{
    static const float x[6 * 5] = {0};
    const int64_t labels[6] = {0, 1, 2, label, 3, 2};
    const mw_array arrays[2] = {{"x", MW_F32, 2, {6, 5}, sizeof x},
                                {"labels", MW_I64, 1, {6}, sizeof labels}};
    const void *const data[2] = {x, labels};
    char path[512];
    (void)snprintf(path, sizeof path, "%s/labels.safetensors",
                   mw_scratch_path());
    return CHECK(mw_safetensors_write(&f->ctx, path, arrays, data, 2) == MW_OK,
                 "%s", f->ctx.message);
}

/* Labels are no indices that count from the end: only 0 to 3, and the one that
 * the loss leaves out; that holds before the first step. */
static void labels_out_of_range(void)
{
    static const struct {
        const char *ignore;
        int label;
        const char *want; /* NULL: all is well */
    } rows[] = {{"", 3, NULL},
                {"", -100, NULL},
                {"", -1, "labels[3] is -1, 'labels' wants 0 to 3, or -100"},
                {"", 4, "labels[3] is 4, 'labels' wants 0 to 3, or -100"},
                {",ignore=-1", -1, NULL},
                {",ignore=-1", -100, "is -100, 'labels' wants 0 to 3, or -1"},
                {",ignore=2", 4, "labels[3] is 4, 'labels' wants 0 to 3"}};
    fixture f;
    mw_shell got;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (write_labels(&f, rows[i].label) &&
            shell(&f, &got,
                  "meshwright plan mlp --set pixels=5 --set hidden=4 "
                  "--set classes=4 --set batch=3 --mesh 1 --train sgd "
                  "--loss cross-entropy%s -o $S/labels.json >$S/train.out && "
                  "meshwright train $S/labels.json --format json "
                  "--data $S/labels.safetensors --steps 2",
                  rows[i].ignore))
            CHECK(rows[i].want ? got.exit_status == 3 && got.out[0] == '\0' &&
                                     strstr(got.err, rows[i].want)
                               : got.exit_status == 0 && got.err[0] == '\0',
                  "%d%s: status %d: %s%s", rows[i].label, rows[i].ignore,
                  got.exit_status, got.out, got.err);
    close_fixture(&f);
}

/* An index of which the model itself makes another is no fault of the data. */
static const char chosen[] = "model chosen\n"
                             "dim batch = 4\ndim rows = 3\ndim f = 2\n"
                             "input at : i64[batch]\n"
                             "input t : f64[batch, f]\n"
                             "param w : f64[rows, f]\n"
                             "const bad : i64[] = {99}\n"
                             "const zero : i64[] = {0}\n"
                             "is = equal(at, bad) : bool[batch]\n"
                             "safe = where(is, zero, at) : i64[batch]\n"
                             "g = gather(w, safe, dim=rows) : f64[batch, f]\n"
                             "d = sub(g, t) : f64[batch, f]\n"
                             "loss = einsum(d, d) : f64[]\n"
                             "output loss\n";

static void chosen_indices(void)
{
    static const int64_t at[4] = {0, 99, 2, 1};
    static const double t[8] = {1};
    const mw_array arrays[2] = {{"at", MW_I64, 1, {4}, sizeof at},
                                {"t", MW_F64, 2, {4, 2}, sizeof t}};
    const void *const data[2] = {at, t};
    fixture f;
    mw_shell got;
    char path[512];
    open_fixture(&f);
    (void)snprintf(path, sizeof path, "%s/chosen.safetensors",
                   mw_scratch_path());
    mw_status status = mw_safetensors_write(&f.ctx, path, arrays, data, 2);
    (void)snprintf(path, sizeof path, "%s/chosen.mw", mw_scratch_path());
    if (status == MW_OK)
        status = mw_file_write(&f.ctx, path, chosen, strlen(chosen));
    if (CHECK(status == MW_OK, "%s", f.ctx.message) &&
        shell(&f, &got,
              "meshwright plan $S/chosen.mw --mesh 1 --train sgd --loss loss "
              "-o $S/chosen.json >$S/train.out && "
              "meshwright train $S/chosen.json --data $S/chosen.safetensors "
              "--steps 1 >$S/train.out"))
        CHECK(got.exit_status == 0 && got.err[0] == '\0', "status %d: %s",
              got.exit_status, got.err);
    close_fixture(&f);
}

/* What training would begin with takes no data. */
static void no_steps(void)
{
    fixture f;
    mw_shell got;
    open_fixture(&f);
    if (make_plan(&f, "none", "2", 3) &&
        shell(&f, &got,
              "meshwright train $S/none.json --steps 0 --checkpoint $S/begun "
              "--seed 4 >$S/train.out && "
              "meshwright train $S/none.json --data $S/line.safetensors "
              "--steps 3 --resume $S/begun --format csv | cut -d, -f1-2 "
              ">$S/resumed.csv && "
              "meshwright train $S/none.json --data $S/line.safetensors "
              "--steps 3 --seed 4 --format csv | cut -d, -f1-2 | "
              "cmp - $S/resumed.csv"))
        CHECK(got.exit_status == 0, "status %d: %s%s", got.exit_status, got.out,
              got.err);
    close_fixture(&f);
}

/* A learning rate that is too large ends in no number, not in a checkpoint. */
static void diverged(void)
{
    fixture f;
    mw_shell got;
    open_fixture(&f);
    if (shell(&f, &got,
              "sed 's/-0.02/-1e200/' $S/line.mw >$S/wild.mw; "
              "meshwright plan $S/wild.mw --mesh 1 -o $S/wild.json "
              ">$S/train.out && "
              "meshwright train $S/wild.json --data $S/line.safetensors "
              "--steps 9 --checkpoint $S/wild >$S/train.out; status=$?; "
              "ls $S/wild; exit $status"))
        CHECK(got.exit_status == 5 && strstr(got.err, "the loss of step") &&
                  got.out[0] == '\0',
              "status %d: %s%s", got.exit_status, got.out, got.err);
    close_fixture(&f);
}

const mw_suite mw_suite_train = {
    "train",
    {{"meshes agree", meshes_agree},
     {"resumed", resumed},
     {"memory", memory},
     {"evaluated", evaluated},
     {"ended jobs", ended_jobs},
     {"a wish to stop that is lost is said again", lost_wish},
     {"unsaved", unsaved},
     {"refused", refused},
     {"tokens out of range", tokens_out_of_range},
     {"labels out of range", labels_out_of_range},
     {"chosen indices", chosen_indices},
     {"no steps", no_steps},
     {"diverged", diverged}}};
