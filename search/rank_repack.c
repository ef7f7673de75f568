/* rank_repack.c - a choice whose plan did not pack, by other homes. Packing
 * loses bytes that live memory does not show: homes make room for what was
 * lost, until a plan packs. */
#include <string.h>

#include "search/layout_hunt.h"
#include "search/rank_parts.h"

enum { REPACKINGS = 8 };

// A byte has one price at every step that is over the limit.
static mw_status price_over(const mw_hunt *hunt, int64_t limit, mw_arena *arena,
                            mw_prices *prices)
{
    int n = hunt->space->n_steps;
    int64_t price = INT64_C(1) << MW_PRICE_SHIFT;
    prices->step = MW_NEW_ARRAY(arena, n + 1, int64_t);
    prices->total = MW_NEW_ARRAY(arena, n + 2, int64_t);
    if (!prices->step || !prices->total)
        return MW_ENOMEM;
    for (int k = 0; k < n; k++) {
        prices->step[k] = hunt->live[k] > limit ? price / n : 0;
        prices->total[k + 1] = prices->total[k] + prices->step[k];
    }
    return MW_OK;
}

// Live memory at most limit, in memory of its own.
static mw_status lower(mw_hunt *hunt, int64_t limit, int32_t *state, bool *fits)
{
    mw_space_figures figures;
    mw_prices prices;
    mw_arena arena;
    mw_arena_init(&arena, hunt->space->ctx);
    mw_space_evaluate(hunt->space, state, hunt->live, &figures);
    mw_status status = price_over(hunt, limit, &arena, &prices);
    if (status == MW_OK)
        status = mw_hunt_squeeze(hunt, limit, &prices, state, fits);
    mw_arena_free(&arena);
    return status;
}

mw_status mw_rank_repack(mw_searcher *searcher, const mw_answer *answer,
                         int64_t limit, int32_t **packed)
{
    const mw_space *space = &searcher->space;
    int32_t *state = MW_NEW_ARRAY(searcher->arena, space->n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    *packed = NULL;
    for (int i = 0; i < REPACKINGS && limit > 0; i++) {
        bool fits;
        mw_plan plan;
        mw_choices choices;
        memcpy(state, answer->state, (size_t)space->n_nodes * sizeof *state);
        MW_TRY(lower(&searcher->hunt, limit, state, &fits));
        if (!fits)
            return MW_OK;
        MW_TRY(mw_space_choices(space, searcher->arena, state, &choices));
        MW_TRY(mw_plan_build(searcher->arena, searcher->on->graph,
                             searcher->on->resharder, searcher->on->costs,
                             &choices, true, &plan));
        if (plan.peak_bytes <= searcher->limit) {
            *packed = state;
            return MW_OK;
        }
        limit = mw_rank_tighter(searcher, &plan);
    }
    return MW_OK;
}

int64_t mw_rank_tighter(const mw_searcher *searcher, const mw_plan *plan)
{
    return plan->live_peak_bytes - (plan->peak_bytes - searcher->limit);
}
