/* fuzz_json.c - what is read has a canonical form that is read to itself. */
#include <string.h>

#include "base/json.h"
#include "fuzz/fuzz.h"

static mw_status canonical(mw_arena *arena, const char *text, size_t size,
                           mw_text *out)
{
    const mw_json *root = NULL;
    MW_TRY(mw_json_parse(arena, "input", text, size, &root));
    mw_json_canonical(out, root, NULL);
    return mw_text_status(out);
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_text once, twice;
    mw_text_init(&once, ctx);
    mw_text_init(&twice, ctx);
    mw_status status = canonical(&arena, (const char *)data, size, &once);
    if (status == MW_OK &&
        (canonical(&arena, once.data, once.length, &twice) != MW_OK ||
         strcmp(once.data, twice.data) != 0))
        status = mw_fail(ctx, MW_EBUG, "canonical form changes: %s", once.data);
    mw_text_free(&twice);
    mw_text_free(&once);
    mw_arena_free(&arena);
    return status;
}

const mw_fuzz_def mw_fuzz_json = {"json", run};
