/*
 * layout_solve.h - the best choice of a space under a limit of live memory.
 *
 * Memory is lazy: a problem is solved with the few limited steps found so far,
 * its answer is walked, the steps over the limit are added, and again. Leaving
 * steps out only relaxes: every bound and every "infeasible" on the way holds.
 */
#ifndef MW_SEARCH_LAYOUT_SOLVE_H
#define MW_SEARCH_LAYOUT_SOLVE_H

#include "search/clock.h"
#include "search/layout_problem.h"
#include "search/shrink.h"
#include "search/solver.h"

/* How long a search may take, over all its problems. */
typedef struct mw_budget {
    mw_deadline deadline;
    int64_t iterations; /* 0: no such limit */
    uint64_t seed;
    const char *solver; /* of the problems; NULL: the best there is */
    double enough; /* the gap that will do under a limit, in large spaces */
} mw_budget;

/* Steps that had to be limited so far, in the order found. */
typedef struct mw_step_list {
    mw_id *step;
    int32_t n;
    bool *has; /* of each step */
} mw_step_list;

/* What one search keeps from one problem to the next. */
typedef struct mw_hunt {
    const mw_space *space;
    mw_budget budget;
    mw_space_tables tables;
    int64_t *live;                    /* by step, of the last walk */
    int32_t *scratch, *polished;      /* by node */
    mw_step_list limited[MW_N_COSTS]; /* what one goal needs helps no other */
    int32_t *home_link;               /* links of each home, by home node */
    int32_t *home_link_of;
    double gap;    /* of the problem at hand */
    double finest; /* the least that is asked for under a limit; 0: a proof */
    const mw_exclusion *exclusion; /* choices that are not wanted */
    int32_t n_exclusions;
    mw_alike alike;     /* what problems so far have shown */
    const int32_t *tie; /* by node: one that chooses alike; NULL: all free */
} mw_hunt;

typedef struct mw_answer {
    mw_solve_status status;
    mw_solve_proof proof;
    int32_t *state; /* by node of the space; NULL when there is none */
    mw_space_figures figures;
    int64_t bound; /* no choice costs less; 0 is always true */
    /* Equal layers, so many after one another, choosing alike: the least time
     * then, proved; 0: not asked, or not proved in time. */
    int32_t tied_by;
    int64_t tied_ps;
} mw_answer;

mw_status mw_hunt_init(mw_hunt *hunt, const mw_space *space, mw_arena *arena,
                       const mw_budget *budget) MW_MUST_CHECK;
void mw_hunt_close(mw_hunt *hunt);

/* The least time with live memory at most limit (MW_NO_LIMIT: whatever it
 * takes). start: a choice to begin from, which is also the answer if nothing
 * better is found in time; NULL: none. */
mw_status mw_hunt_time(mw_hunt *hunt, int64_t limit, const int32_t *start,
                       mw_answer *answer) MW_MUST_CHECK;

/* Whether any choice has live memory at most limit: optimal (with such a
 * choice), infeasible, or unknown when time was short. */
mw_status mw_hunt_fit(mw_hunt *hunt, int64_t limit,
                      mw_answer *answer) MW_MUST_CHECK;

/* The least live memory of any choice: figures.peak_bytes is it when optimal,
 * and is at least `bound` otherwise. Exclusions do not count. */
mw_status mw_hunt_least(mw_hunt *hunt, mw_answer *answer) MW_MUST_CHECK;

/* A choice of no more time that takes less memory: homes are moved one after
 * another until none moves; the same choice where that would leave the limit,
 * or homes are tied. */
void mw_hunt_polish(mw_hunt *hunt, int64_t limit, const int32_t *state,
                    int32_t *polished);

/* Copies a choice into an answer, with its figures. */
mw_status mw_hunt_keep(mw_hunt *hunt, const int32_t *state,
                       mw_answer *answer) MW_MUST_CHECK;

#endif
