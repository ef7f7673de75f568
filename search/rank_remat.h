/*
 * rank_remat.h - which activations of a training step are computed again.
 *
 * The step with both ways of every candidate is one space (layout_pairs.c): the
 * layouts and what is computed again are chosen together, under the limit. The
 * answer is a choice, its step, and the step's layouts, from which its own
 * search begins.
 */
#ifndef MW_SEARCH_RANK_REMAT_H
#define MW_SEARCH_RANK_REMAT_H

#include "search/rank.h"

typedef struct mw_remat_answer {
    mw_solve_status status;
    bool *again;          /* of each candidate; NULL: none found in time */
    const mw_graph *step; /* of that choice */
    mw_choices choices;   /* of the step */
    int64_t time_ps, live_peak_bytes, peak_bytes;
    int64_t bound; /* of time, whatever is computed again; 0: not known */
} mw_remat_answer;

/* on: with the pairs of remat, made last, and their graph. Infeasible: `again`
 * is the choice that takes least memory. Everything lies in the arena. */
mw_status mw_search_remat(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                          mw_remat *remat, const mw_search_options *options,
                          mw_remat_answer *answer) MW_MUST_CHECK;

#endif
