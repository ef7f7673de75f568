/* rank_fit.c - a choice whose live memory is within the limit, packed; while
 * packing loses bytes the limit is lowered by them. */
#include "search/rank_fit.h"

#include "search/layout_hunt.h"
#include "search/rank_parts.h"

enum { MAX_PACKINGS = 8 };

// Bytes that the arena of a choice is over the limit; 0: it fits.
static mw_status pack(mw_searcher *searcher, const int32_t *state,
                      int64_t *over)
{
    mw_choices choices;
    mw_plan plan;
    MW_TRY(
        mw_space_choices(&searcher->space, searcher->arena, state, &choices));
    MW_TRY(mw_plan_build(searcher->arena, searcher->on->graph,
                         searcher->on->resharder, searcher->on->costs, &choices,
                         true, &plan));
    *over = plan.peak_bytes > searcher->limit
                ? plan.peak_bytes - searcher->limit
                : 0;
    return MW_OK;
}

// A rule that packs within the limit.
static mw_status fit_rules(mw_searcher *searcher, mw_fit *fit)
{
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    *fit = MW_FIT_NO;
    for (int i = 0; i < MAX_PACKINGS &&
                    mw_global_next(&searcher->global, searcher->limit, state);
         i++) {
        int64_t over;
        MW_TRY(pack(searcher, state, &over));
        *fit = over == 0 ? MW_FIT_YES : MW_FIT_UNKNOWN;
        if (*fit == MW_FIT_YES)
            break;
    }
    return MW_OK;
}

static mw_status fit_choices(mw_searcher *searcher, mw_fit *fit)
{
    int64_t limit = searcher->limit, over = 0;
    *fit = MW_FIT_UNKNOWN;
    if (mw_hunt_floor(&searcher->hunt, NULL) > limit) {
        *fit = MW_FIT_NO;
        return MW_OK;
    }
    for (int i = 0; i < MAX_PACKINGS && limit > 0; i++) {
        mw_answer answer;
        MW_TRY(mw_hunt_fit(&searcher->hunt, limit, &answer));
        if (answer.status == MW_SOLVE_INFEASIBLE && i == 0)
            *fit = MW_FIT_NO;
        if (!answer.state)
            return MW_OK;
        MW_TRY(pack(searcher, answer.state, &over));
        if (over == 0) {
            *fit = MW_FIT_YES;
            return MW_OK;
        }
        limit = answer.figures.peak_bytes < limit ? answer.figures.peak_bytes
                                                  : limit;
        limit -= over;
    }
    return MW_OK;
}

static mw_status find_fit(mw_searcher *searcher, mw_fit *fit)
{
    MW_TRY(mw_rank_prepare(searcher));
    *fit = MW_FIT_UNKNOWN;
    if (searcher->space.unfinished)
        return MW_OK;
    return mw_rank_by_rules(searcher) ? fit_rules(searcher, fit)
                                      : fit_choices(searcher, fit);
}

mw_status mw_search_fits(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                         const mw_search_options *options, mw_fit *fit)
{
    mw_search_options by_peak = *options;
    mw_ranking ranking;
    mw_searcher searcher;
    by_peak.least_peak = true;
    mw_searcher_init(&searcher, ctx, arena, on, &by_peak, &ranking);
    mw_status status = find_fit(&searcher, fit);
    mw_hunt_close(&searcher.hunt);
    return status;
}
