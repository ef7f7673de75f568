/* test_model_runs.c - every model that has arrays beside it: planned and run on
 * ranks, with the outputs of ONNX Runtime. All of them on every mesh when
 * MW_LONG is set, else a few. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char *const meshes[] = {"1", "2", "3", "4", "2x2"};

/* What is run each time: one a kind, on a mesh that divides nothing or on two
 * axes. */
static const struct few {
    const char *model, *mesh;
} few[] = {
    {"exports/lstm_lm", "2x2"}, {"exports/resnet_tiny", "3"},
    {"names/window", "2x2"},    {"real/silero_if", "2"},
    {"real/slovorez", "3"},
};

static const char *options_of(mw_arena *arena, const char *base)
{
    char path[1024], *text;
    size_t size;
    (void)snprintf(path, sizeof path, "%s.args", base);
    if (access(path, R_OK) != 0 || mw_file_read(arena, path, &text, &size))
        return "";
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void run_model(const char *base, const char *mesh)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    const char *plan = mw_arena_format(
        &arena,
        "meshwright plan %s.onnx --sizes-from %s.npz %s --mesh %s "
        "--time-limit 10 -o $S/model_run.json >/dev/null",
        base, base, options_of(&arena, base), mesh);
    const char *run = mw_arena_format(
        &arena,
        "meshwright run $S/model_run.json --input %s.npz --expect %s.npz", base,
        base);
    if (CHECK(plan && run, "%s: %s", base, ctx.message) &&
        mw_shell_run(&arena, plan, &got) &&
        CHECK(got.exit_status == 0, "%s on %s: planning ends with %d: %s", base,
              mesh, got.exit_status, got.err) &&
        mw_shell_run(&arena, run, &got))
        CHECK(got.exit_status == 0, "%s on %s: the run ends with %d: %s%s",
              base, mesh, got.exit_status, got.out, got.err);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* Every model of a folder that has arrays. */
static void run_folder(const char *name)
{
    char folder[700];
    struct dirent **entry = NULL;
    (void)snprintf(folder, sizeof folder, "%s/models/%s", mw_shared_path(),
                   name);
    int n_entries = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < n_entries; i++) {
        char *end = strstr(entry[i]->d_name, ".npz");
        if (end && end[4] == '\0') {
            char base[1000];
            *end = '\0';
            (void)snprintf(base, sizeof base, "%s/%s", folder,
                           entry[i]->d_name);
            for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++)
                run_model(base, meshes[m]);
        }
        free(entry[i]);
    }
    free(entry);
    if (n_entries < 0)
        SKIP("%s: not there", folder);
}

static void all_models(void)
{
    static const char *const folders[] = {"exports", "names", "real", "edge"};
    if (!getenv("MW_LONG"))
        return;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        run_folder(folders[i]);
}

static void some_models(void)
{
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        char base[1000], path[1100];
        (void)snprintf(base, sizeof base, "%s/models/%s", mw_shared_path(),
                       few[i].model);
        (void)snprintf(path, sizeof path, "%s.onnx", base);
        if (access(path, R_OK) == 0)
            run_model(base, few[i].mesh);
        else
            SKIP("%s: not there", path);
    }
}

const mw_suite mw_suite_model_runs = {
    "model_runs", {{"some models", some_models}, {"all models", all_models}}};
