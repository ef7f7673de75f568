/* rank.c - the k best distinct plans: the best, then the best but for what is
 * ranked already, and so on; the plans of an order that differ only by equal
 * mesh axes or equal ops are passed over. */
#include "search/rank.h"

#include <stdlib.h>
#include <string.h>

#include "search/rank_parts.h"

// How often plans that are the same as ranked ones may turn up in a row.
enum { MAX_REPEATS = 64, MAX_CUTS = 8 };

mw_status mw_rank_add(mw_searcher *searcher, const mw_ranked *row,
                      mw_ranked **made)
{
    mw_ranking *ranking = searcher->ranking;
    mw_ranked *added = MW_NEW(searcher->arena, mw_ranked);
    mw_ranked **rows =
        mw_arena_reserve(searcher->arena, ranking->row, ranking->n_rows,
                         &ranking->cap_rows, sizeof *rows);
    if (!added || !rows)
        return MW_ENOMEM;
    *added = *row;
    added->mesh = *searcher->on->mesh;
    if (!added->rule)
        added->rule = added->idle = "";
    if (added->planned) {
        MW_TRY(mw_plan_build(searcher->ctx, searcher->arena,
                             searcher->on->graph, searcher->on->resharder,
                             searcher->on->costs, &added->choices, true,
                             &added->plan));
        added->plan.mesh = &added->mesh;
        MW_TRY(mw_rank_words(searcher->arena, searcher->on, added));
    }
    ranking->row = rows;
    rows[ranking->n_rows++] = added;
    *made = added;
    return MW_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const mw_ranked *x = *(mw_ranked *const *)a, *y = *(mw_ranked *const *)b;
    if (x->feasible != y->feasible)
        return x->feasible ? -1 : 1;
    if (x->planned != y->planned)
        return x->planned ? -1 : 1;
    if (x->planned && x->plan.time_ps != y->plan.time_ps)
        return x->plan.time_ps < y->plan.time_ps ? -1 : 1;
    if (x->baseline != y->baseline)
        return x->baseline ? 1 : -1;
    return strcmp(x->name, y->name);
}

void mw_ranking_sort(mw_ranking *ranking)
{
    qsort(ranking->row, (size_t)ranking->n_rows, sizeof(mw_ranked *),
          compare_rows);
}

// Forbids the strategies of a choice, with these axes exchanged; homes too
// when `homes`. What the space does not have needs no exclusion.
static mw_status exclude_one(mw_searcher *searcher, const int32_t *state,
                             const mw_axis_order *order, bool homes)
{
    const mw_space *space = &searcher->space;
    int32_t n_exclusions = searcher->hunt.n_exclusions;
    int32_t *node = MW_NEW_ARRAY(searcher->arena, space->n_nodes + 1, int32_t);
    int32_t *strategy =
        MW_NEW_ARRAY(searcher->arena, space->n_nodes + 1, int32_t);
    mw_exclusion *all =
        mw_arena_reserve(searcher->arena, searcher->exclusion, n_exclusions,
                         &searcher->cap_exclusions, sizeof *all);
    if (!node || !strategy || !all)
        return MW_ENOMEM;
    searcher->exclusion = all;
    searcher->hunt.exclusion = all;
    int32_t n = 0;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        bool op = space->node_op[i] != MW_NONE;
        if ((!op && !homes) || mw_space_states(space, i) == 1)
            continue;
        int32_t s = state[i];
        if (op) {
            mw_strategy exchanged = mw_strategy_exchanged(
                &space->op_class[space->node_class[i]].strategy[s], order);
            s = mw_space_find_strategy(space, i, &exchanged);
        }
        if (s == MW_NONE)
            return MW_OK;
        node[n] = i;
        strategy[n++] = s;
    }
    all[n_exclusions] = (mw_exclusion){n, node, strategy};
    searcher->hunt.n_exclusions = n_exclusions + 1;
    return MW_OK;
}

static bool same_strategies(const mw_space *space, const int32_t *state,
                            const mw_axis_order *a, const mw_axis_order *b)
{
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_op[i] == MW_NONE)
            continue;
        const mw_strategy *s =
            &space->op_class[space->node_class[i]].strategy[state[i]];
        mw_strategy x = mw_strategy_exchanged(s, a);
        mw_strategy y = mw_strategy_exchanged(s, b);
        if (!mw_strategy_equal(&x, &y))
            return false;
    }
    return true;
}

// Forbids a plan under every exchange of equal axes.
static mw_status exclude(mw_searcher *searcher, const int32_t *state)
{
    for (int i = 0; i < searcher->n_orders; i++) {
        bool again = false;
        for (int j = 0; j < i; j++)
            again = again ||
                    same_strategies(&searcher->space, state,
                                    &searcher->order[i], &searcher->order[j]);
        if (!again)
            MW_TRY(exclude_one(searcher, state, &searcher->order[i], false));
    }
    return MW_OK;
}

// The next best choice; answer->state NULL: there is none, or none in time.
static mw_status next_choice(mw_searcher *searcher, int64_t limit,
                             mw_answer *answer)
{
    if (!mw_rank_by_rules(searcher))
        return mw_hunt_time(&searcher->hunt, limit, searcher->start, answer);
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    *answer =
        (mw_answer){.status = MW_SOLVE_INFEASIBLE, .proof = MW_PROOF_EXACT};
    if (!mw_global_next(&searcher->global, limit, state))
        return MW_OK;
    answer->status = MW_SOLVE_OPTIMAL;
    MW_TRY(mw_hunt_keep(&searcher->hunt, state, answer));
    answer->bound = answer->figures.time_ps;
    return MW_OK;
}

static mw_status plan_row(mw_searcher *searcher, const mw_answer *answer,
                          int index, mw_ranked **made)
{
    mw_ranked row = {.planned = true,
                     .feasible = true,
                     .status = answer->status,
                     .proof = answer->proof,
                     .bound = answer->status == MW_SOLVE_OPTIMAL
                                  ? answer->figures.time_ps
                                  : answer->bound};
    row.name = index == 0
                   ? "best"
                   : mw_arena_format(searcher->arena, "layout-%d", index + 1);
    if (!row.name)
        return MW_ENOMEM;
    MW_TRY(mw_space_choices(&searcher->space, searcher->arena, answer->state,
                            &row.choices));
    return mw_rank_add(searcher, &row, made);
}

// A plan that does not pack within the limit: its choice is cut off, and after
// a few cuts the live memory is limited by what packing loses. Rules are cut
// off by coming once.
static mw_status cut(mw_searcher *searcher, const mw_answer *answer,
                     int64_t lost_bytes)
{
    if (mw_rank_by_rules(searcher))
        return MW_OK;
    if (++searcher->n_cuts <= MAX_CUTS)
        return exclude_one(searcher, answer->state, &searcher->order[0], true);
    searcher->live_limit -= lost_bytes;
    searcher->tightened = true;
    return MW_OK;
}

// Ranks an answer if its plan packs.
static mw_status pack(mw_searcher *searcher, const mw_answer *answer,
                      int *n_found)
{
    mw_ranked *made;
    MW_TRY(plan_row(searcher, answer, *n_found, &made));
    if (made->plan.peak_bytes > searcher->limit) {
        searcher->ranking->n_rows--;
        return cut(searcher, answer, made->plan.peak_bytes - searcher->limit);
    }
    if (searcher->tightened) {
        // Proved under a tighter limit than was asked for.
        made->bound = searcher->bound;
        made->status = MW_SOLVE_FEASIBLE;
    }
    if (!searcher->ranking->best)
        searcher->ranking->best = made;
    ++*n_found;
    bool fresh;
    int32_t id;
    MW_TRY(mw_intern_key(&searcher->known, &searcher->key, &id, &fresh));
    return mw_rank_by_rules(searcher) ? MW_OK
                                      : exclude(searcher, answer->state);
}

// Plans until enough are ranked.
static mw_status rank(mw_searcher *searcher, mw_answer *last)
{
    int n_found = 0, repeats = 0;
    while (n_found < searcher->options->top && repeats < MAX_REPEATS &&
           searcher->live_limit >= 0 && !mw_stopped(searcher->ctx)) {
        MW_TRY(next_choice(searcher, searcher->live_limit, last));
        if (!searcher->tightened)
            searcher->bound = last->bound;
        if (!last->state)
            break;
        MW_TRY(mw_plan_key(&searcher->space, last->state, searcher->order,
                           searcher->n_orders, &searcher->key));
        if (mw_intern_find(&searcher->known, &searcher->key) == MW_NONE) {
            repeats = 0;
            MW_TRY(pack(searcher, last, &n_found));
            continue;
        }
        if (mw_rank_by_rules(searcher))
            continue;
        repeats++;
        MW_TRY(exclude(searcher, last->state));
    }
    return MW_OK;
}

bool mw_rank_by_rules(const mw_searcher *searcher)
{
    return searcher->options->global && !searcher->global.too_many;
}

mw_status mw_rank_least(mw_searcher *searcher, mw_answer *answer)
{
    if (!mw_rank_by_rules(searcher))
        return mw_hunt_least(&searcher->hunt, answer);
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    *answer =
        (mw_answer){.status = MW_SOLVE_INFEASIBLE, .proof = MW_PROOF_EXACT};
    if (!mw_global_least(&searcher->global, state, &answer->bound))
        return MW_OK;
    answer->status = MW_SOLVE_OPTIMAL;
    return mw_hunt_keep(&searcher->hunt, state, answer);
}

static mw_status prepare(mw_searcher *searcher)
{
    const mw_search_options *options = searcher->options;
    MW_TRY(mw_space_build(searcher->ctx, searcher->arena, searcher->on,
                          &options->space, &searcher->space));
    MW_TRY(mw_hunt_init(&searcher->hunt, &searcher->space, searcher->arena,
                        &options->budget));
    MW_TRY(mw_axis_orders(searcher->arena, searcher->on->mesh,
                          searcher->on->costs, &searcher->order,
                          &searcher->n_orders));
    if (!options->global)
        return MW_OK;
    MW_TRY(mw_global_open(&searcher->global, &searcher->space, searcher->arena,
                          options->least_peak));
    if (!searcher->global.too_many)
        return MW_OK;
    searcher->hunt.tables.ties = &searcher->ties;
    return mw_space_ties_init(&searcher->ties, &searcher->space,
                              searcher->arena);
}

// With least_peak the best plan's gap is one of bytes.
static void note_peak(mw_searcher *searcher, const mw_answer *least)
{
    for (int i = 0; i < searcher->ranking->n_rows; i++) {
        mw_ranked *row = searcher->ranking->row[i];
        if (row != searcher->ranking->best)
            continue;
        row->bound = least->bound;
        row->status = row->plan.live_peak_bytes == least->bound
                          ? MW_SOLVE_OPTIMAL
                          : MW_SOLVE_FEASIBLE;
        row->proof = least->proof;
    }
}

static mw_status search(mw_searcher *searcher)
{
    mw_answer last = {0}, least = {0};
    searcher->live_limit = searcher->limit;
    MW_TRY(prepare(searcher));
    MW_TRY(mw_rank_baselines(searcher));
    if (searcher->options->least_peak) {
        MW_TRY(mw_rank_least(searcher, &least));
        if (least.state && least.figures.peak_bytes < searcher->live_limit)
            searcher->live_limit = least.figures.peak_bytes;
        searcher->start = least.state;
    }
    MW_TRY(rank(searcher, &last));
    if (!searcher->ranking->best)
        MW_TRY(mw_rank_fallback(searcher, &last));
    if (searcher->options->least_peak)
        note_peak(searcher, &least);
    return MW_OK;
}

mw_status mw_search(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                    const mw_search_options *options, mw_ranking *ranking)
{
    *ranking = (mw_ranking){0};
    mw_searcher searcher = {.ctx = ctx,
                            .arena = arena,
                            .on = on,
                            .options = options,
                            .ranking = ranking,
                            .limit = options->memory_bytes,
                            .known = {.arena = arena},
                            .key = {.arena = arena}};
    if (searcher.limit != MW_NO_LIMIT)
        searcher.limit = searcher.limit > options->overhead_bytes
                             ? searcher.limit - options->overhead_bytes
                             : 0;
    MW_TRY(search(&searcher));
    mw_ranking_sort(ranking);
    return MW_OK;
}
