/* test_jax.c - programs of JAX, as the JAX of now prints them (tools/
 * jax_programs): imported, planned and run on one rank and on 2x2, against what
 * JAX computed. Where MW_LONG is set; tests/data/stablehlo has some for always.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/shell.h"
#include "tests/test.h"

#define SAMPLES "build/jax/samples"

enum { NAME = 256 };

static void run_lines(const char *name, const char *mesh)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    for (int i = 0; i < 2; i++) {
        mw_shell got;
        const char *line =
            i == 0
                ? mw_arena_format(&arena,
                                  "meshwright plan " SAMPLES "/%s.mlir --mesh "
                                  "%s --iterations 20 -o $S/jax.json",
                                  name, mesh)
                : mw_arena_format(&arena,
                                  "meshwright run $S/jax.json --input " SAMPLES
                                  "/%s.npz --expect " SAMPLES "/%s.npz",
                                  name, name);
        if (!line || !mw_shell_run(&arena, line, &got) ||
            !CHECK(got.exit_status == 0, "%s on %s: exit %d: %.300s%.300s",
                   name, mesh, got.exit_status, got.out, got.err))
            break;
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void programs(void)
{
    if (!getenv("MW_LONG"))
        return;
    DIR *folder = opendir(SAMPLES);
    if (!folder) {
        SKIP("programs of JAX: JAX could not be installed");
        return;
    }
    int n = 0;
    for (struct dirent *entry = readdir(folder); entry;
         entry = readdir(folder)) {
        const char *end = strstr(entry->d_name, ".mlir");
        char name[NAME];
        if (!end)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)(end - entry->d_name),
                       entry->d_name);
        run_lines(name, "1");
        run_lines(name, "2x2");
        n++;
    }
    (void)closedir(folder);
    if (n == 0)
        SKIP("programs of JAX: JAX could not be installed");
}

const mw_suite mw_suite_jax = {"jax", {{"programs", programs}}};
