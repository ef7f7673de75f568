/*
 * progress.h - how far long work has come.
 *
 * The library only tells; whoever set ctx->progress shows it (the command: one
 * line on a terminal, once a second of work has passed).
 */
#ifndef MW_BASE_PROGRESS_H
#define MW_BASE_PROGRESS_H

#include "base/status.h"

typedef struct mw_progress {
    /* what is being done, and how much of total (0: unknown) is done */
    void (*show)(struct mw_progress *progress, const char *what, int64_t done,
                 int64_t total);
} mw_progress;

/* Cheap; call it as often as is convenient. */
void mw_progress_tell(mw_ctx *ctx, const char *what, int64_t done,
                      int64_t total);

#endif
