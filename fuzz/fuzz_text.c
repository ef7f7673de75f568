/* fuzz_text.c - .mw text that is read can be printed, and is read to itself. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "ir/text.h"
#include "ir/verify.h"

static mw_status parse(mw_arena *arena, const char *text, mw_graph *graph)
{
    MW_TRY(mw_graph_init(graph, arena, "m"));
    MW_TRY(mw_text_parse(graph, "input", text));
    return mw_verify(graph);
}

static mw_status again(mw_ctx *ctx, mw_arena *arena, const mw_graph *graph)
{
    mw_graph second;
    const char *once = mw_text_print(graph);
    if (!once)
        return MW_ENOMEM;
    mw_status status = parse(arena, once, &second);
    if (status == MW_ENOMEM)
        return status;
    const char *twice = status == MW_OK ? mw_text_print(&second) : NULL;
    if (twice && strcmp(once, twice) == 0)
        return MW_OK;
    mw_ctx_clear(ctx);
    return mw_fail(ctx, MW_EBUG, "printed text changes: %s", once);
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_graph graph;
    mw_status status = MW_ENOMEM;
    char *text = mw_arena_alloc(&arena, size + 1, 1);
    if (text) {
        if (size)
            memcpy(text, data, size);
        status = parse(&arena, text, &graph);
    }
    if (status == MW_OK)
        status = again(ctx, &arena, &graph);
    mw_arena_free(&arena);
    return status;
}

const mw_fuzz_def mw_fuzz_text = {"text", run};
