/*
 * progress_line.h - one line on standard error that shows progress, when that
 * is a terminal and the work takes longer than a second.
 */
#ifndef MW_CLI_PROGRESS_LINE_H
#define MW_CLI_PROGRESS_LINE_H

#include "base/progress.h"

typedef struct mw_progress_line {
    mw_progress progress;
    double start_s, shown_s; /* of the work; of the last line, 0: none */
    bool enabled;
} mw_progress_line;

/* Made the context's unless quiet. */
void mw_progress_line_init(mw_progress_line *line, mw_ctx *ctx, bool quiet);

/* Wipes the line, before anything else is printed. */
void mw_progress_line_clear(mw_progress_line *line);

#endif
