/* fuzz_onnx.c - bytes as an ONNX file: read, placed, named, fused and verified,
 * before and after. */
#include "fuzz/fuzz.h"
#include "ir/fuse.h"
#include "ir/import.h"
#include "ir/verify.h"

static mw_status import(mw_arena *arena, const mw_import_bytes *file)
{
    const mw_import_options options = {.assume_sizes = true};
    mw_graph placed, named, fused;
    mw_import_files *files = NULL;
    MW_TRY(mw_graph_init(&placed, arena, "placed"));
    MW_TRY(mw_graph_init(&named, arena, "named"));
    MW_TRY(mw_graph_init(&fused, arena, "fused"));
    MW_TRY(mw_import_onnx_bytes(arena, file, &options, &placed, &files));
    mw_status status = mw_names(&placed, NULL, 0, &named);
    if (status == MW_OK && mw_verify(&named) != MW_OK)
        status = MW_EBUG;
    if (status == MW_OK)
        status = mw_fuse(&named, NULL, 0, &fused);
    if (status == MW_OK && mw_verify(&fused) != MW_OK)
        status = MW_EBUG;
    mw_import_close(files);
    return status;
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    const mw_import_bytes file = {
        .path = "fuzz/corpus/onnx/input.onnx", .bytes = data, .size = size};
    mw_status status = import(&arena, &file);
    mw_arena_free(&arena);
    return status;
}

const mw_fuzz_def mw_fuzz_onnx = {"onnx", run};
