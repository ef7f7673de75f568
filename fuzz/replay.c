/* replay.c - runs a fuzz target over the files of its corpus. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "tests/test.h"

static void replay_file(const mw_fuzz_def *def, const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "%s: cannot be read", path);
    if (!file)
        return;
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    /* exactly as long as the input, so that the sanitizer sees an overrun */
    uint8_t *data = mw_mem_alloc(&ctx, (size_t)size, 1);
    size_t n_read = data ? fread(data, 1, (size_t)size, file) : 0;
    (void)fclose(file);
    if (CHECK(data && n_read == (size_t)size, "%s: cannot be read", path)) {
        const char *wrong = mw_fuzz_one(def, &ctx, data, n_read);
        CHECK(!wrong, "%s: %s: %s", path, wrong, ctx.message);
    }
    mw_mem_free(data);
    mw_ctx_free(&ctx);
}

void mw_fuzz_replay(const mw_fuzz_def *def)
{
    char folder[512];
    (void)snprintf(folder, sizeof folder, "fuzz/corpus/%s", def->name);
    struct dirent **entry = NULL;
    int n_entries = scandir(folder, &entry, NULL, alphasort);
    CHECK(n_entries > 2, "%s: no seeds", folder);
    for (int i = 0; i < n_entries; i++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            replay_file(def, path);
        free(entry[i]);
    }
    free(entry);
}
