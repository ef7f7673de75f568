/* progress_line.c - draws at most five times a second. */
#include "cli/progress_line.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static void show(mw_progress *progress, const char *what, int64_t done,
                 int64_t total)
{
    mw_progress_line *line = (mw_progress_line *)progress;
    double now = mw_clock_s();
    if (now - line->start_s < 1 || now - line->shown_s < 0.2)
        return;
    line->shown_s = now;
    (void)fprintf(stderr, "\r\033[K%s", what);
    if (total > 0)
        (void)fprintf(stderr, ": %lld of %lld", (long long)done,
                      (long long)total);
    (void)fprintf(stderr, " (%.0f s)", now - line->start_s);
    (void)fflush(stderr);
}

void mw_progress_line_init(mw_progress_line *line, mw_ctx *ctx, bool quiet)
{
    *line = (mw_progress_line){.progress = {show}, .start_s = mw_clock_s()};
    line->enabled = !quiet && isatty(STDERR_FILENO);
    if (line->enabled)
        ctx->progress = &line->progress;
}

void mw_progress_line_clear(mw_progress_line *line)
{
    if (line->shown_s > 0)
        (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    line->shown_s = 0;
}
