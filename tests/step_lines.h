/*
 * step_lines.h - what `train --format json` prints, a line a step.
 */
#ifndef MW_TESTS_STEP_LINES_H
#define MW_TESTS_STEP_LINES_H

#include "base/arena.h"

enum { MAX_STEP_LINES = 64 };

typedef struct step_lines {
    int n;
    int64_t step[MAX_STEP_LINES];
    double loss[MAX_STEP_LINES];
} step_lines;

/* A line that does not fit is a failed CHECK. */
void read_step_lines(mw_arena *arena, const char *text, step_lines *all);

/* CHECKs that step n has the loss want[n - 1], within a relative tolerance, and
 * that the first step is from + 1. */
void same_losses(const char *what, const step_lines *got, const double want[],
                 int from, double tolerance);

#endif
