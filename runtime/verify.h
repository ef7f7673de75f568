/*
 * verify.h - split execution against one processor's.
 *
 * Of a model every rank computes the whole by the reference kernels and keeps
 * all values. Then each distinct op (same kind, attributes, letters and types)
 * is run under each of its strategies, its blocks cut out of those values, and
 * every block of every result is compared with the slice of the whole.
 *
 * A plan is run op by op. Every rank puts the op's operands together as the
 * ranks have them, makes the op's results of these whole by the reference
 * kernel, and compares its blocks. So an op answers for its own error alone:
 * what is nothing but rounding, as the gradient of a bias that changes nothing,
 * may be made a step of any direction by an optimizer that divides it by its
 * size, and all that follows would differ.
 */
#ifndef MW_RUNTIME_VERIFY_H
#define MW_RUNTIME_VERIFY_H

#include "runtime/compare.h"
#include "runtime/exec.h"
#include "runtime/values.h"

/* A strategy that is not offered, and why; or a result that differs. */
typedef struct mw_verify_note {
    struct mw_verify_note *next;
    char text[];
} mw_verify_note;

typedef struct mw_verify_report {
    mw_ctx *ctx;       /* borrowed */
    int64_t n_ops;     /* distinct */
    int64_t n_offered; /* (unpinned letters + 1) ^ axes longer than 1 */
    int64_t n_checked; /* of these */
    int64_t n_refused; /* of these, each with a note */
    int64_t n_partial; /* checked besides: partial sums passed through */
    int64_t n_blocks;  /* compared, on this rank */
    int64_t n_differ;  /* of them */
    double worst;      /* error as a part of what is tolerated */
    mw_verify_note *refusal, *difference; /* in the order met */
    mw_verify_note *last_refusal, *last_difference;
} mw_verify_report;

/* What both kinds of verifying need. */
typedef struct mw_verify {
    mw_arena *arena;
    mw_team *team;
    const mw_graph *graph;
    const void **whole; /* of each tensor */
    int threads;
    mw_tolerance tolerance;
    mw_verify_report report;
} mw_verify_run;

/* Reads the values that no op makes. MW_EINPUT: some are missing. */
mw_status mw_verify_open(mw_arena *arena, mw_team *team, mw_values *values,
                         int threads, mw_verify_run *verify) MW_MUST_CHECK;

/* Every strategy of every distinct op on a mesh of as many ranks as the team
 * has. Collective. */
mw_status mw_verify_strategies(mw_verify_run *verify,
                               const mw_mesh *mesh) MW_MUST_CHECK;

/* Every home of a plan, after the op that made it. Collective. */
mw_status mw_verify_plan(mw_verify_run *verify, mw_values *values,
                         mw_exec *exec) MW_MUST_CHECK;

#endif
