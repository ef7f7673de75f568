/* rank_least.c - what is left when the search ranked nothing: a start that
 * fits, the least memory, or why there is none. */
#include "search/rank_parts.h"

#include "base/text.h"

// Plans a choice, and ranks it if its arena is within the limit; *tighter: the
// live memory that would do if not.
static mw_status try_choice(mw_searcher *searcher, const int32_t *state,
                            int64_t *tighter)
{
    mw_ranked row = {.name = "best",
                     .planned = true,
                     .feasible = true,
                     .status = MW_SOLVE_FEASIBLE,
                     .bound = searcher->bound};
    mw_ranked *made;
    MW_TRY(mw_space_choices(&searcher->space, searcher->arena, state,
                            &row.choices));
    MW_TRY(mw_rank_add(searcher, &row, &made));
    *tighter = mw_rank_tighter(searcher, &made->plan);
    if (made->plan.peak_bytes > searcher->limit)
        searcher->ranking->n_rows--;
    else
        searcher->ranking->best = made;
    return MW_OK;
}

enum { TIGHTENINGS = 4 };

// Live memory is limited by what packing lost, until a plan packs.
static mw_status try_tighter(mw_searcher *searcher)
{
    int64_t limit = searcher->tighter;
    for (int i = 0; i < TIGHTENINGS && !searcher->ranking->best && limit > 0;
         i++) {
        mw_answer answer;
        MW_TRY(mw_hunt_time(&searcher->hunt, limit, searcher->spare, &answer));
        if (!answer.state)
            return MW_OK;
        MW_TRY(try_choice(searcher, answer.state, &limit));
    }
    return MW_OK;
}

static mw_status fail(mw_searcher *searcher, const mw_answer *last,
                      const mw_answer *least)
{
    if (!least->state || last->status == MW_SOLVE_UNKNOWN)
        return mw_fail(searcher->ctx, MW_ERUN,
                       "no layout of '%s' was found %s, nor was it proved "
                       "that there is none%s",
                       searcher->on->graph->name,
                       mw_stopped(searcher->ctx)
                           ? "before the end was asked for"
                           : "in time",
                       mw_rank_longer(searcher->ctx));
    mw_text text;
    mw_text_init(&text, searcher->ctx);
    mw_status status = mw_rank_explain(searcher, least, &text);
    if (status == MW_OK)
        status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_fail(searcher->ctx, MW_EINFEASIBLE, "%s", text.data);
    mw_text_free(&text);
    return status;
}

mw_status mw_rank_fallback(mw_searcher *searcher, const mw_answer *last)
{
    int64_t tighter;
    mw_answer least = {0};
    if (searcher->n_cuts > 0 && !mw_rank_by_rules(searcher))
        MW_TRY(try_tighter(searcher));
    if (!searcher->ranking->best && searcher->spare)
        MW_TRY(try_choice(searcher, searcher->spare, &tighter));
    if (!searcher->ranking->best && searcher->start)
        MW_TRY(try_choice(searcher, searcher->start, &tighter));
    if (searcher->ranking->best)
        return MW_OK;
    MW_TRY(mw_rank_least(searcher, &least));
    if (least.state)
        MW_TRY(try_choice(searcher, least.state, &tighter));
    return searcher->ranking->best ? MW_OK : fail(searcher, last, &least);
}
