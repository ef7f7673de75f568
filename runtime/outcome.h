/*
 * outcome.h - what running a plan a number of times gave, on all ranks.
 */
#ifndef MW_RUNTIME_OUTCOME_H
#define MW_RUNTIME_OUTCOME_H

#include "runtime/compare.h"
#include "runtime/exec.h"

typedef struct mw_outcome {
    int repeats;
    double *time_s; /* of each run, of the slowest rank; sorted */
    /* Of a run, on average: without a core, of the first thread that was so
     * longest. */
    double coreless_s;
    int64_t *bytes_by_rank;
    int64_t bytes_sent; /* the largest of these */
    int64_t *volume;    /* of each move, of the rank that sent most */
    int64_t n_volumes;
    int64_t peak_bytes; /* the largest arena */
} mw_outcome;

/* Puts the values and runs; what one run sends, every run must. A failure
 * within a run ends all ranks, after `tell` has told it. Collective. */
mw_status mw_outcome_run(mw_arena *arena, mw_exec *exec,
                         const mw_values *values, int repeats,
                         void (*tell)(const mw_ctx *ctx, int rank),
                         mw_outcome *outcome) MW_MUST_CHECK;

/* The middle one of the times. */
double mw_outcome_median(const mw_outcome *outcome);

#endif
