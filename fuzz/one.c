/* one.c - runs a target on one input and judges its answer. */
#include "fuzz/fuzz.h"

const char *mw_fuzz_one(const mw_fuzz_def *def, mw_ctx *ctx,
                        const uint8_t *data, size_t size)
{
    mw_status status = def->run(ctx, data, size);
    if (status == MW_EBUG)
        return "an internal error";
    if (status != MW_OK && ctx->status == MW_OK)
        return "a failure that the context does not know";
    if (status == MW_OK && ctx->status != MW_OK)
        return "success with a failure in the context";
    if (status != MW_OK && ctx->message[0] == '\0')
        return "a failure without a message";
    return NULL;
}
