/*
 * staged.h - the pipeline: reduce, bound, fix, improve, finish.
 *
 * A run owns a net and the incumbent. Its stages are functions on it, in the
 * order below; each leaves the net the same problem as far as choices not
 * dearer than the incumbent are concerned.
 */
#ifndef MW_SEARCH_STAGED_H
#define MW_SEARCH_STAGED_H

#include "search/clock.h"
#include "search/dual.h"
#include "search/incumbent.h"
#include "search/solver.h"

typedef struct mw_run {
    mw_ctx *ctx;
    const mw_problem *problem;
    const mw_solve_options *options;
    mw_arena *arena;
    double begin_s;
    mw_deadline deadline;
    mw_net net;
    mw_incumbent incumbent;
    int32_t *guess; /* by node of the problem: decoded last, may not fit */
    bool bounded;
    mw_int128 bound; /* of the problem; at most the incumbent's cost */
    mw_solve_proof proof;
    uint64_t random;
    int32_t n_nodes_left, n_rows_left;
    double reduce_s;
    int64_t *branches;    /* that may still be looked at; of the whole tree */
    int64_t own_branches; /* what `branches` points at in the tree's root */
} mw_run;

/* Copies the problem into a net; the incumbent is empty. Times count from now.
 * Everything but the net and the incumbent is in the arena. */
mw_status mw_run_init(mw_run *run, mw_ctx *ctx, const mw_problem *problem,
                      const mw_solve_options *options,
                      mw_arena *arena) MW_MUST_CHECK;
void mw_run_free(mw_run *run);

/* True once nothing is left to do: proved, near enough, out of time, stopped.
 */
bool mw_run_over(const mw_run *run);

/* The bound has come to the incumbent's cost, or the net is empty. */
bool mw_run_proved(const mw_run *run);

/* Takes a bound in the net's unit. */
void mw_run_raise(mw_run *run, mw_int128 bound);

/* Tells the caller of the solver. */
void mw_run_report(mw_run *run, const char *phase);

/* Bounds, fixes and reduces until little changes, by one plan each time;
 * the first time by up to `cycles` ascents while they gain. */
mw_status mw_run_tighten(mw_run *run, const mw_ascent *plan,
                         int cycles) MW_MUST_CHECK;

/* Solves what is left to proven optimality when it is small enough for it;
 * `done` tells. */
mw_status mw_run_finish(mw_run *run, bool *done) MW_MUST_CHECK;

/* The own search of mw_run_finish() alone: see frontier.h. */
mw_status mw_run_search_frontier(mw_run *run, int64_t max_labels,
                                 bool *done) MW_MUST_CHECK;

/* Proves what is left by branching: each side is reduced, bounded and fixed
 * like the whole. `done` tells that no branch is open. */
mw_status mw_run_branch(mw_run *run, bool *done) MW_MUST_CHECK;

/* Searches neighbourhoods of the incumbent, or for a first one, and tightens
 * in between, until the time or the iterations are over, or it is proved. */
mw_status mw_run_improve(mw_run *run) MW_MUST_CHECK;

#endif
