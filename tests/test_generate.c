/* test_generate.c - the generate command: what JAX's copy of the model goes on
 * with, the same on any mesh. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "runtime/tensor_file.h"
#include "tests/fixture.h"
#include "tests/plan_maker.h"
#include "tests/shell.h"
#include "tests/test.h"

#define DATA "tests/data/train/"

// Runs the command on a plan by lot and compares the tokens it tells.
static void compare(fixture *f, const char *mesh, const char *options,
                    const int64_t want[], int64_t n)
{
    char plan[512], line[1024];
    mw_shell got;
    (void)snprintf(plan, sizeof plan, "%s/generate.json", mw_scratch_path());
    if (!CHECK(plan_file_by_lot(&f->ctx, DATA "gpt_f64.mw", NULL, mesh, 12,
                                plan) == MW_OK,
               "%s: %s", f->ctx.where, f->ctx.message))
        return;
    (void)snprintf(line, sizeof line,
                   "meshwright generate %s --weights " DATA
                   "gpt_f64.safetensors --prompt '!+.' --format json %s",
                   plan, options);
    if (!mw_shell_run(&f->arena, line, &got))
        return;
    const mw_json *root = NULL, *tokens = NULL;
    bool same = got.exit_status == 0 && got.err[0] == '\0' &&
                mw_json_parse(&f->arena, "output", got.out, strlen(got.out),
                              &root) == MW_OK &&
                mw_json_get_array(&f->ctx, root, "tokens", &tokens) == MW_OK &&
                tokens->n == n;
    for (int64_t i = 0; same && i < n; i++)
        same = tokens->u.item[i].u.integer == want[i];
    CHECK(same, "%s %s: %s%s", mesh, options, got.out, got.err);
}

static void as_jax(void)
{
    static const char *const meshes[] = {"1", "3", "2x2"};
    fixture f;
    mw_tensor_file *file = NULL;
    const void *data = NULL;
    open_fixture(&f);
    mw_status status =
        mw_tensor_file_open(&f.ctx, &f.arena, DATA "gpt_f64_greedy.npy", &file);
    if (status == MW_OK)
        status = mw_tensor_file_data(file, 0, &data);
    for (int i = 0; i < 3 && CHECK(status == MW_OK, "%s", f.ctx.message); i++)
        compare(&f, meshes[i], "--tokens 20", data, file->array[0].size[0]);
    mw_tensor_file_close(file);
    close_fixture(&f);
}

static void by_chance(void)
{
    fixture f;
    mw_shell got;
    open_fixture(&f);
    if (mw_shell_run(&f.arena,
                     "meshwright plan " DATA "gpt_f64.mw --mesh 1 -o "
                     "$S/chance.json >$S/generate.out && for seed in 1 1 2; do "
                     "meshwright generate $S/chance.json --weights " DATA
                     "gpt_f64.safetensors --prompt '!+.' --tokens 12 "
                     "--temperature 1 --seed $seed --format csv | tail -n +2 | "
                     "tr '\\n' ' '; "
                     "echo; done",
                     &got)) {
        char line[3][512] = {""};
        int64_t want[12];
        int n = sscanf(got.out, "%511[^\n]\n%511[^\n]\n%511[^\n]", line[0],
                       line[1], line[2]);
        CHECK(got.exit_status == 0 && n == 3 && !strcmp(line[0], line[1]) &&
                  strcmp(line[0], line[2]) != 0,
              "%s%s", got.out, got.err);
        const char *at = line[2];
        for (int i = 0; i < 12; i++) {
            int used = 0;
            long long token = -1;
            (void)sscanf(at, "%lld%n", &token, &used);
            at += used;
            want[i] = token;
        }
        compare(&f, "3", "--tokens 12 --temperature 1 --seed 2", want, 12);
    }
    close_fixture(&f);
}

static void refused(void)
{
    static const struct {
        const char *line;
        int status;
        const char *want;
    } rows[] = {
        {"--weights " DATA "gpt_f64.safetensors", 2, "--prompt: is missing"},
        {"--weights " DATA "gpt_f64.safetensors --prompt ''", 2, "is empty"},
        {"--prompt !", 2, "--checkpoint or --weights"},
        {"--prompt ! --checkpoint $S/nowhere", 3, "checkpoint.safetensors"},
        {"--prompt A --weights " DATA "gpt_f64.safetensors", 3,
         "byte 0 is 65 where the model knows 50"},
        {"--prompt ! --weights " DATA "gpt_f32.safetensors", 3, "is f32"},
    };
    fixture f;
    mw_shell got;
    char line[1024];
    open_fixture(&f);
    (void)mw_shell_run(
        &f.arena,
        "meshwright plan " DATA
        "gpt_f64.mw --mesh 1 -o $S/refused.json >$S/generate.out",
        &got);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(line, sizeof line,
                       "meshwright generate $S/refused.json %s", rows[i].line);
        if (mw_shell_run(&f.arena, line, &got))
            CHECK(got.exit_status == rows[i].status &&
                      strstr(got.err, rows[i].want) && got.out[0] == '\0',
                  "%s: status %d: %s", rows[i].line, got.exit_status, got.err);
    }
    close_fixture(&f);
}

const mw_suite mw_suite_generate = {
    "generate",
    {{"as JAX", as_jax}, {"by chance", by_chance}, {"refused", refused}}};
