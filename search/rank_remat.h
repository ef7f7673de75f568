/*
 * rank_remat.h - which activations of a training step are computed again.
 *
 * The step with both ways of every candidate is one space (layout_pairs.c): the
 * layouts and what is computed again are chosen together, under the limit. The
 * answer is a choice, its step, and the step's layouts, from which its own
 * search begins.
 *
 * In global scope the rules of the step that keeps all come by time, and under
 * each, which forces all layouts, what is computed again is chosen, until the
 * next rule takes more time by itself than the best so far.
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
    int64_t bound; /* of time, whatever is computed again; 0: not known;
                      INT64_MAX: nothing fits */
} mw_remat_answer;

/* on: with the pairs of remat, made last, and their graph. known_ps: of a plan
 * that is there already; in global scope choices that take as long are not
 * looked for. Infeasible: `again` is the choice that takes least memory, in
 * global scope the least that was seen. Unknown: time was up, or there are more
 * than MW_GLOBAL_MOST rules. Everything lies in the arena. */
mw_status mw_search_remat(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                          mw_remat *remat, const mw_search_options *options,
                          int64_t known_ps,
                          mw_remat_answer *answer) MW_MUST_CHECK;

#endif
