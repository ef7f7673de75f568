/* golden.c - compares with a stored text, or stores it. */
#include "tests/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "tests/test.h"

static void store(const char *path, const mw_text *text)
{
    FILE *file = fopen(path, "w");
    bool done =
        file && fwrite(text->data, 1, text->length, file) == text->length;
    if (file)
        done = fclose(file) == 0 && done;
    CHECK(done, "%s cannot be written", path);
}

// The number of the first line in which two texts differ, and that line of
// each.
static int first_difference(const char *a, const char *b, const char **line_a,
                            const char **line_b)
{
    int number = 1;
    *line_a = a;
    *line_b = b;
    for (; *a && *a == *b; a++, b++) {
        if (*a != '\n')
            continue;
        number++;
        *line_a = a + 1;
        *line_b = b + 1;
    }
    return number;
}

void golden_compare(const char *name, const mw_text *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "tests/golden/%s", name);
    const char *wish = getenv("MW_GOLDEN");
    if (wish && strcmp(wish, "rewrite") == 0) {
        store(path, text);
        return;
    }
    mw_arena arena;
    char *stored = NULL;
    size_t size = 0;
    mw_arena_init(&arena, text->ctx);
    mw_status status = mw_file_read(&arena, path, &stored, &size);
    if (CHECK(status == MW_OK && mw_text_status(text) == MW_OK, "%s: %s", name,
              text->ctx->message)) {
        const char *got, *want;
        int line = first_difference(text->data, stored, &got, &want);
        CHECK(strcmp(text->data, stored) == 0,
              "%s:%d: is '%.*s', want '%.*s'; `make golden` rewrites it", path,
              line, (int)strcspn(got, "\n"), got, (int)strcspn(want, "\n"),
              want);
    }
    mw_arena_free(&arena);
}
