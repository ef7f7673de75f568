/*
 * incumbent.h - the best choice found so far, for the problem as it was given.
 */
#ifndef MW_SEARCH_INCUMBENT_H
#define MW_SEARCH_INCUMBENT_H

#include "search/net.h"

typedef struct mw_incumbent {
    const mw_problem *problem;
    int32_t *choice; /* by node of the problem */
    int32_t *trial;
    mw_int128 cost;
    bool found;
} mw_incumbent;

mw_status mw_incumbent_init(mw_incumbent *incumbent, mw_ctx *ctx,
                            const mw_problem *problem) MW_MUST_CHECK;
void mw_incumbent_free(mw_incumbent *incumbent);

/* Takes a choice for what is left of a net when it is allowed, fits, and costs
 * less; `better` may be NULL. */
mw_status mw_incumbent_offer(mw_incumbent *incumbent, const mw_net *net,
                             const int32_t *current,
                             bool *better) MW_MUST_CHECK;

/* The same for a choice for the problem. */
mw_status mw_incumbent_offer_choice(mw_incumbent *incumbent, mw_ctx *ctx,
                                    const int32_t *choice,
                                    bool *better) MW_MUST_CHECK;

/* Its cost in the net's unit; without one, more than any choice costs. */
mw_int128 mw_incumbent_upper(const mw_incumbent *incumbent, const mw_net *net);

#endif
