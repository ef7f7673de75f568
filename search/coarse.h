/*
 * coarse.h - the optimum of a problem that takes no memory, by problems in
 * which strategies are put together.
 *
 * Of each node the strategies that may matter stand alone; all others are one
 * more, which costs what the least of them costs, entry by entry: no choice
 * costs more than the one it becomes, so the optimum of the coarse problem is a
 * bound. It is found by elimination (bucket.h). If it uses none of what was put
 * together it is an optimum of the whole; else what it uses is set apart, and
 * again. Which strategies may matter is told by shares (kind.h): how far one is
 * from the best choices is a matter of its surroundings, not of how large the
 * problem is.
 */
#ifndef MW_SEARCH_COARSE_H
#define MW_SEARCH_COARSE_H

#include "search/clock.h"
#include "search/problem.h"

typedef struct mw_coarse_options {
    mw_deadline deadline;
    double gap;   /* stop once (cost - bound) / max(1, cost) <= gap */
    int64_t work; /* table entries of one elimination; 0: what is usual */
} mw_coarse_options;

typedef struct mw_coarse_answer {
    bool infeasible; /* proved */
    bool bounded;
    mw_int128 bound; /* no choice costs less */
    int32_t *choice; /* by node, in the arena; NULL: none found */
    mw_int128 cost;  /* of it; bound == cost: an optimum */
} mw_coarse_answer;

/* Whether the problem takes no memory that is limited. */
bool mw_coarse_can(const mw_problem *problem);

/* Ends without a proof when tables would be too large. Exact in integers. */
mw_status mw_coarse_solve(mw_arena *arena, const mw_problem *problem,
                          const mw_coarse_options *options,
                          mw_coarse_answer *answer) MW_MUST_CHECK;

#endif
