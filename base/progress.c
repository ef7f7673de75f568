/* progress.c - passes progress on to whoever shows it. */
#include "base/progress.h"

void mw_progress_tell(mw_ctx *ctx, const char *what, int64_t done,
                      int64_t total)
{
    if (ctx->progress)
        ctx->progress->show(ctx->progress, what, done, total);
}
