/*
 * test_dropout.c - random numbers by the commands: the same bits on any mesh
 * and layout, other ones each step of training, and losses that no mesh
 * changes.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "tests/fixture.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

static const char model[] =
    "model m\ndim a = 7\ndim b = 6\ninput step : i64[]\n"
    "m = random_bernoulli(step, p=0.5, stream=1) : bool[a, b]\n"
    "u = random_uniform(step, stream=2) : f32[b, a]\n"
    "n = random_normal(step, stream=3) : f64[a, b]\n"
    "output m\noutput u\noutput n\n";

static bool command(fixture *f, mw_shell *got, const char *line)
{
    return mw_shell_run(&f->arena, line, got) &&
           CHECK(got->exit_status == 0, "%s: status %d: %s", line,
                 got->exit_status, got->err);
}

// Runs the model on a mesh into $S/drawn-NAME.
static bool draw(fixture *f, int name, const char *mesh)
{
    char line[512];
    mw_shell got;
    (void)snprintf(line, sizeof line,
                   "meshwright plan $S/drawn.mw %s -o $S/drawn.json --quiet",
                   mesh);
    if (!command(f, &got, line))
        return false;
    (void)snprintf(line, sizeof line,
                   "meshwright run $S/drawn.json --output $S/drawn-%d", name);
    return command(f, &got, line);
}

static void masks(void)
{
    static const char *const meshes[] = {
        "--mesh 1",
        "--mesh 2 --rule a=m0 --pick best",
        "--mesh 3 --rule b=m0 --pick best",
        "--mesh 2x2 --rule a=m0 --rule b=m1 --pick best",
        "--mesh 2x2 --rule a=m0,m1 --pick best",
    };
    fixture f;
    char path[512], line[512];
    mw_shell got;
    open_fixture(&f);
    (void)snprintf(path, sizeof path, "%s/drawn.mw", mw_scratch_path());
    CHECK(mw_file_write(&f.ctx, path, model, strlen(model)) == MW_OK, "%s",
          f.ctx.message);
    for (int i = 0; i < (int)(sizeof meshes / sizeof meshes[0]); i++) {
        if (!draw(&f, i, meshes[i]))
            continue;
        for (const char *name = "mun"; *name; name++) {
            (void)snprintf(line, sizeof line,
                           "cmp $S/drawn-0/%c.npy $S/drawn-%d/%c.npy", *name, i,
                           *name);
            (void)command(&f, &got, line);
        }
    }
    close_fixture(&f);
}

static bool train(fixture *f, const char *plan, step_lines *lines)
{
    char line[512];
    mw_shell got;
    (void)snprintf(line, sizeof line,
                   "meshwright plan gpt --set layers=1 --set d_model=8 "
                   "--set heads=2 --set seq=4 --set batch=6 --set vocab=256 "
                   "--set dtype=f64 %s -o $S/dropout.json --quiet",
                   plan);
    if (!command(f, &got, line) ||
        !command(f, &got,
                 "meshwright train $S/dropout.json --data $S/drawn.mw "
                 "--steps 3 --format json"))
        return false;
    read_step_lines(&f->arena, got.out, lines);
    return CHECK(lines->n == 3, "%s: %d lines", plan, lines->n);
}

static void training(void)
{
    static const char *const meshes[] = {"2", "3", "2x2"};
    fixture f;
    step_lines want, got;
    char plan[128];
    open_fixture(&f);
    if (train(&f, "--set dropout=0.3 --train adam --mesh 1", &want)) {
        for (int i = 0; i < 3; i++) {
            (void)snprintf(plan, sizeof plan,
                           "--set dropout=0.3 --train adam --mesh %s",
                           meshes[i]);
            if (train(&f, plan, &got))
                same_losses(meshes[i], &got, want.loss, 0, 1e-9);
        }
        if (train(&f, "--train adam --mesh 1", &got))
            CHECK(got.loss[0] < want.loss[0] || got.loss[0] > want.loss[0],
                  "dropout changes nothing: %g", got.loss[0]);
    }
    close_fixture(&f);
}

// Six examples that a step of six takes all of, and nothing is learned: only
// the masks differ.
static void steps(void)
{
    fixture f;
    step_lines with, without;
    char path[512];
    open_fixture(&f);
    (void)snprintf(path, sizeof path, "%s/drawn.mw", mw_scratch_path());
    CHECK(mw_file_write(&f.ctx, path, model, 25) == MW_OK, "%s", f.ctx.message);
    if (train(&f, "--set dropout=0.3 --train sgd,lr=0 --mesh 1", &with) &&
        train(&f, "--train sgd,lr=0 --mesh 1", &without)) {
        double more = without.loss[1] - without.loss[0];
        CHECK(more < 1e-12 && more > -1e-12, "without dropout %g, then %g",
              without.loss[0], without.loss[1]);
        more = with.loss[1] - with.loss[0];
        CHECK(more > 1e-6 || more < -1e-6, "with dropout %g, then %g",
              with.loss[0], with.loss[1]);
    }
    close_fixture(&f);
}

// Evaluated without dropout: what a plan without any finds with these weights.
static void evaluation(void)
{
    static const char line[] =
        "meshwright train $S/dropout.json --data $S/drawn.mw --steps 1 "
        "--eval $S/drawn.mw --quiet --format json%s";
    fixture f;
    step_lines got;
    mw_shell with, without, more;
    char plan[256];
    open_fixture(&f);
    (void)snprintf(plan, sizeof plan, line, " | sed 's/.*eval_loss//'");
    if (train(&f, "--set dropout=0.3 --train sgd,lr=0 --mesh 2", &got) &&
        command(&f, &with, plan) &&
        train(&f, "--set dropout=0 --train sgd,lr=0 --mesh 1", &got) &&
        command(&f, &without, plan) &&
        train(&f, "--set dropout=0.3 --train sgd,lr=0 --mesh 1", &got) &&
        command(&f, &more, plan)) {
        CHECK(strncmp(with.out, without.out, 14) == 0 && with.out[0],
              "with dropout %s, without %s", with.out, without.out);
        CHECK(strncmp(more.out, without.out, 14) == 0, "with dropout %s",
              more.out);
    }
    close_fixture(&f);
}

const mw_suite mw_suite_dropout = {"dropout",
                                   {{"the same bits on any mesh", masks},
                                    {"the same losses on any mesh", training},
                                    {"other masks each step", steps},
                                    {"none in evaluation", evaluation}}};
