/*
 * least_limit.h - the least memory that a problem can be solved with.
 *
 * Asked when a limit admits no choice. A floor is what every choice takes at
 * some time; between it and the peak of the most frugal choice at hand, limits
 * are tried by halves with a problem that keeps what is forbidden and whose
 * costs are bytes: it leads to frugal choices and needs no optimum.
 */
#ifndef MW_SEARCH_LEAST_LIMIT_H
#define MW_SEARCH_LEAST_LIMIT_H

#include "search/solver.h"

typedef struct mw_least_limit {
    int64_t bound;   /* with less there is no choice */
    int64_t found;   /* with this there is one */
    bool has_found;  /* else found means nothing */
    bool impossible; /* what is forbidden leaves no choice at any limit */
} mw_least_limit;

/* Looks for it within the options' time, iterations and seed; bound == found
 * when it is proved. Only the problem's one limit is asked about: rows of their
 * own stay. */
mw_status mw_least_limit_find(mw_ctx *ctx, const mw_problem *problem,
                              const mw_solve_options *options,
                              mw_least_limit *least) MW_MUST_CHECK;

#endif
