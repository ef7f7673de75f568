/* fuzz_stablehlo.c - bytes as StableHLO text: read, placed, named, fused
 * and verified, before and after. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "ir/fuse.h"
#include "ir/import.h"
#include "ir/verify.h"

static mw_status import(mw_arena *arena, const mw_import_bytes *file)
{
    const mw_import_options options = {.assume_sizes = true};
    mw_graph placed, named, fused;
    MW_TRY(mw_graph_init(&placed, arena, "placed"));
    MW_TRY(mw_graph_init(&named, arena, "named"));
    MW_TRY(mw_graph_init(&fused, arena, "fused"));
    MW_TRY(mw_import_stablehlo_text(arena, file, &options, &placed));
    MW_TRY(mw_names(&placed, NULL, 0, &named));
    if (mw_verify(&named) != MW_OK)
        return MW_EBUG;
    MW_TRY(mw_fuse(&named, NULL, 0, &fused));
    return mw_verify(&fused) == MW_OK ? MW_OK : MW_EBUG;
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    char *text = mw_arena_alloc(&arena, size + 1, 1);
    mw_status status = MW_ENOMEM;
    if (text) {
        memcpy(text, data, size);
        const mw_import_bytes file = {
            .path = "input.mlir", .bytes = text, .size = size};
        status = import(&arena, &file);
    }
    mw_arena_free(&arena);
    return status;
}

const mw_fuzz_def mw_fuzz_stablehlo = {"stablehlo", run};
