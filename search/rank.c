/* rank.c - the k best distinct plans: the best, then the best but for what is
 * ranked already, and so on; the plans of an order that differ only by equal
 * mesh axes or equal ops are passed over. */
#include "search/rank.h"

#include <stdlib.h>
#include <string.h>

#include "search/rank_parts.h"

// How many choices may turn up that are the same as ranked ones or do not pack.
enum { MAX_REPEATS = 512 };

// Nodes of all problems that are solved for the further ranks, and the least
// number of problems: what proves five ranks of a small model within seconds.
enum { MAX_NODES = 600000, MIN_SOLVES = 32 };

// The further ranks together get about as long as the best took. Small models
// get what their problems need, less under a limit: that takes longest to
// prove.
enum { SMALL_NODES = 1000, MORE_S = 1, MORE_FREE_S = 30, MORE_LIMITED_S = 5 };

mw_status mw_rank_make(mw_searcher *searcher, const mw_ranked *row,
                       mw_ranked **made)
{
    mw_ranked *added = MW_NEW(searcher->arena, mw_ranked);
    if (!added)
        return MW_ENOMEM;
    *added = *row;
    added->mesh = *searcher->on->mesh;
    if (!added->rule)
        added->rule = added->idle = "";
    if (added->planned) {
        MW_TRY(mw_plan_build(searcher->arena, searcher->on->graph,
                             searcher->on->resharder, searcher->on->costs,
                             &added->choices, true, &added->plan));
        added->plan.mesh = &added->mesh;
        MW_TRY(mw_rank_words(searcher->arena, searcher->on, added));
    }
    *made = added;
    return MW_OK;
}

mw_status mw_rank_add(mw_searcher *searcher, const mw_ranked *row,
                      mw_ranked **made)
{
    mw_ranking *ranking = searcher->ranking;
    mw_ranked **rows =
        mw_arena_reserve(searcher->arena, ranking->row, ranking->n_rows,
                         &ranking->cap_rows, sizeof *rows);
    if (!rows)
        return MW_ENOMEM;
    MW_TRY(mw_rank_make(searcher, row, made));
    ranking->row = rows;
    rows[ranking->n_rows++] = *made;
    return MW_OK;
}

// Among plans of one kind: by time, then by arena, or the other way round.
static int compare_figures(const mw_ranked *x, const mw_ranked *y, bool by_peak)
{
    int64_t time = x->plan.time_ps - y->plan.time_ps;
    int64_t peak = x->plan.peak_bytes - y->plan.peak_bytes;
    int64_t first = by_peak ? peak : time, second = by_peak ? time : peak;
    int64_t order = first ? first : second;
    return (order > 0) - (order < 0);
}

static int compare_rows(const mw_ranked *x, const mw_ranked *y, bool by_peak)
{
    if (x->feasible != y->feasible)
        return x->feasible ? -1 : 1;
    if (x->planned != y->planned)
        return x->planned ? -1 : 1;
    int order = x->planned ? compare_figures(x, y, by_peak) : 0;
    if (order)
        return order;
    if (x->baseline != y->baseline)
        return x->baseline ? 1 : -1;
    if (x->mesh.n_axes != y->mesh.n_axes)
        return x->mesh.n_axes < y->mesh.n_axes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_time(const void *a, const void *b)
{
    return compare_rows(*(mw_ranked *const *)a, *(mw_ranked *const *)b, false);
}

static int by_peak(const void *a, const void *b)
{
    return compare_rows(*(mw_ranked *const *)a, *(mw_ranked *const *)b, true);
}

void mw_ranking_sort(mw_ranking *ranking)
{
    qsort(ranking->row, (size_t)ranking->n_rows, sizeof(mw_ranked *),
          ranking->by_peak ? by_peak : by_time);
    ranking->best = NULL;
    for (int i = 0; i < ranking->n_rows && !ranking->best; i++) {
        const mw_ranked *row = ranking->row[i];
        if (!row->baseline && row->feasible)
            ranking->best = row;
    }
}

// The next best choice; answer->state NULL: there is none, or none in time.
static mw_status next_choice(mw_searcher *searcher, mw_answer *answer)
{
    if (!mw_rank_by_rules(searcher))
        return mw_next_choice(&searcher->next, searcher->start, answer);
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    *answer =
        (mw_answer){.status = MW_SOLVE_INFEASIBLE, .proof = MW_PROOF_EXACT};
    if (!mw_global_next(&searcher->global, searcher->live_limit, state))
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
                     .tied_by = answer->tied_by,
                     .tied_ps = answer->tied_ps,
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

static mw_status take_row(mw_searcher *searcher, mw_ranked *made, int *n_found)
{
    bool fresh;
    int32_t id;
    if (!searcher->ranking->best)
        searcher->ranking->best = made;
    ++*n_found;
    return mw_intern_key(&searcher->known, &searcher->key, &id, &fresh);
}

// What did not pack, with other homes. Of a large space that is the answer: the
// next best choice would take as long again.
static mw_status pack_again(mw_searcher *searcher, const mw_answer *answer,
                            int *n_found)
{
    mw_answer packed = *answer;
    mw_ranked *made;
    if (!searcher->spare)
        MW_TRY(mw_rank_repack(searcher, answer, searcher->tighter,
                              &searcher->spare));
    if (!searcher->spare || searcher->space.n_nodes < SMALL_NODES)
        return mw_next_again(&searcher->next);
    packed.state = NULL;
    MW_TRY(mw_hunt_keep(&searcher->hunt, searcher->spare, &packed));
    if (packed.figures.time_ps > answer->figures.time_ps)
        packed.status = MW_SOLVE_FEASIBLE;
    searcher->spare = NULL;
    MW_TRY(plan_row(searcher, &packed, *n_found, &made));
    return take_row(searcher, made, n_found);
}

// Ranks an answer if its plan packs; else it comes again with other homes.
// Rules come once.
static mw_status pack(mw_searcher *searcher, const mw_answer *answer,
                      int *n_found)
{
    mw_ranked *made;
    MW_TRY(plan_row(searcher, answer, *n_found, &made));
    if (made->plan.peak_bytes <= searcher->limit)
        return take_row(searcher, made, n_found);
    searcher->ranking->n_rows--;
    searcher->n_cuts++;
    searcher->tighter = mw_rank_tighter(searcher, &made->plan);
    return mw_rank_by_rules(searcher) ? MW_OK
                                      : pack_again(searcher, answer, n_found);
}

static void shorten(mw_searcher *searcher, double begin_s)
{
    mw_deadline *deadline = &searcher->hunt.budget.deadline;
    double now_s = mw_clock_s();
    int more_s = MORE_S;
    if (searcher->space.n_nodes <= SMALL_NODES)
        more_s =
            searcher->next.limit == MW_NO_LIMIT ? MORE_FREE_S : MORE_LIMITED_S;
    double end_s = now_s + more_s + (now_s - begin_s);
    if (deadline->end_s > end_s)
        deadline->end_s = end_s;
}

// Plans until enough are ranked.
static mw_status rank(mw_searcher *searcher, mw_answer *last)
{
    int n_found = 0, n_tries = 0;
    int max_tries = searcher->options->top + MAX_REPEATS;
    double begin_s = mw_clock_s();
    while (n_found < searcher->options->top &&
           (n_tries++ < max_tries || mw_rank_by_rules(searcher))) {
        MW_TRY(next_choice(searcher, last));
        if (n_tries == 1)
            searcher->bound = last->bound;
        if (!last->state)
            break;
        MW_TRY(mw_plan_key(&searcher->space, last->state, searcher->order,
                           searcher->n_orders, &searcher->key));
        if (mw_intern_find(&searcher->known, &searcher->key) == MW_NONE)
            MW_TRY(pack(searcher, last, &n_found));
        if (mw_stopped(searcher->ctx))
            break;
        if (n_tries == 1)
            shorten(searcher, begin_s);
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

mw_status mw_rank_prepare(mw_searcher *searcher)
{
    const mw_search_options *options = searcher->options;
    mw_space_options space = options->space;
    space.deadline = options->budget.deadline;
    space.whole = options->global;
    MW_TRY(mw_space_build(searcher->ctx, searcher->arena, searcher->on, &space,
                          &searcher->space));
    if (searcher->space.unfinished)
        return MW_OK;
    MW_TRY(mw_hunt_init(&searcher->hunt, &searcher->space, searcher->arena,
                        &options->budget));
    MW_TRY(mw_axis_orders(searcher->arena, searcher->on->mesh,
                          searcher->on->costs, &searcher->order,
                          &searcher->n_orders));
    if (!options->global)
        return MW_OK;
    MW_TRY(mw_global_open(&searcher->global, &searcher->space, searcher->arena,
                          MW_GLOBAL_MOST, options->least_peak));
    if (!searcher->global.too_many)
        return MW_OK;
    searcher->hunt.tables.ties = &searcher->ties;
    return mw_space_ties_init(&searcher->ties, &searcher->space,
                              searcher->arena);
}

// The least arena of any recipe, when it is less than that of what was found:
// of packing the search knows nothing.
static mw_status take_recipe(mw_searcher *searcher)
{
    mw_ranking *ranking = searcher->ranking;
    mw_ranked row, *made;
    int n_found = 0, last = 0;
    mw_ranking_sort(ranking);
    const mw_ranked *best = ranking->best, *recipe = NULL;
    for (int i = 0; i < ranking->n_rows; i++) {
        bool baseline = ranking->row[i]->baseline;
        if (baseline && !recipe && ranking->row[i]->feasible)
            recipe = ranking->row[i];
        n_found += !baseline;
        last = baseline ? last : i;
    }
    if (!best || !recipe || compare_rows(recipe, best, true) >= 0 ||
        recipe->plan.peak_bytes == best->plan.peak_bytes)
        return MW_OK;
    if (n_found >= searcher->options->top) {
        ranking->n_rows--;
        memmove(ranking->row + last, ranking->row + last + 1,
                (size_t)(ranking->n_rows - last) * sizeof *ranking->row);
    }
    row = *recipe;
    row.name = "best";
    row.baseline = false;
    return mw_rank_add(searcher, &row, &made);
}

// With least_peak the best plan's gap is one of bytes. What lives at once
// bounds every arena.
static void note_peak(mw_searcher *searcher, const mw_answer *least)
{
    for (int i = 0; i < searcher->ranking->n_rows; i++) {
        mw_ranked *row = searcher->ranking->row[i];
        if (row != searcher->ranking->best)
            continue;
        bool reached = row->plan.peak_bytes <= least->bound;
        row->bound = least->bound;
        row->status = reached ? MW_SOLVE_OPTIMAL : MW_SOLVE_FEASIBLE;
        row->proof = least->proof;
    }
}

// What one processor would take, that has all to do: nothing is sent then.
static int64_t alone_ps(const mw_ranking *ranking)
{
    for (int i = 0; i < ranking->n_rows; i++) {
        const mw_ranked *row = ranking->row[i];
        if (row->baseline && row->planned &&
            strcmp(row->name, MW_BASELINE_ALONE) == 0)
            return row->plan.time_ps;
    }
    return 0;
}

// Names by order of time; the first is the best.
static mw_status name_rows(mw_searcher *searcher)
{
    mw_ranking *ranking = searcher->ranking;
    int64_t alone = alone_ps(ranking);
    int n = 0;
    mw_ranking_sort(ranking);
    for (int i = 0; i < ranking->n_rows; i++)
        ranking->row[i]->alone_ps = alone;
    for (int i = 0; i < ranking->n_rows; i++) {
        mw_ranked *row = ranking->row[i];
        if (row->baseline)
            continue;
        row->name = n == 0
                        ? "best"
                        : mw_arena_format(searcher->arena, "layout-%d", n + 1);
        if (!row->name)
            return MW_ENOMEM;
        n++;
    }
    return MW_OK;
}

static mw_status search(mw_searcher *searcher)
{
    mw_answer last = {0}, least = {0};
    searcher->live_limit = searcher->limit;
    MW_TRY(mw_rank_baselines(searcher));
    MW_TRY(mw_rank_prepare(searcher));
    if (searcher->space.unfinished) {
        MW_TRY(mw_rank_hastily(searcher));
        return name_rows(searcher);
    }
    if (!searcher->options->global)
        MW_TRY(mw_rank_one_rule(searcher));
    MW_TRY(mw_rank_starts(searcher));
    if (searcher->options->least_peak) {
        MW_TRY(mw_rank_least(searcher, &least));
        if (least.state && least.figures.peak_bytes < searcher->live_limit)
            searcher->live_limit = least.figures.peak_bytes;
        searcher->start = least.state;
    }
    if (!searcher->start && searcher->live_limit != MW_NO_LIMIT &&
        !mw_rank_by_rules(searcher)) {
        // Whatever fits is a beginning, and an answer if nothing better comes.
        mw_answer frugal;
        MW_TRY(mw_hunt_fit(&searcher->hunt, searcher->live_limit, &frugal));
        searcher->start = frugal.state;
    }
    MW_TRY(mw_next_init(&searcher->next, &searcher->hunt, searcher->arena,
                        searcher->order, searcher->n_orders));
    searcher->next.limit = searcher->live_limit;
    searcher->next.solves_left = MAX_NODES / (searcher->space.n_nodes + 1);
    if (searcher->next.solves_left < MIN_SOLVES)
        searcher->next.solves_left = MIN_SOLVES;
    MW_TRY(rank(searcher, &last));
    if (!searcher->ranking->best)
        MW_TRY(mw_rank_fallback(searcher, &last));
    if (searcher->options->least_peak)
        MW_TRY(take_recipe(searcher));
    MW_TRY(name_rows(searcher));
    if (searcher->options->least_peak)
        note_peak(searcher, &least);
    return searcher->options->pareto ? mw_rank_front(searcher) : MW_OK;
}

int64_t mw_search_room(const mw_search_options *options)
{
    int64_t limit = options->memory_bytes;
    if (limit == MW_NO_LIMIT)
        return limit;
    return limit > options->overhead_bytes ? limit - options->overhead_bytes
                                           : 0;
}

void mw_searcher_init(mw_searcher *searcher, mw_ctx *ctx, mw_arena *arena,
                      const mw_setting *on, const mw_search_options *options,
                      mw_ranking *ranking)
{
    *ranking =
        (mw_ranking){.by_peak = options->least_peak, .need_bytes = INT64_MAX};
    *searcher = (mw_searcher){.ctx = ctx,
                              .arena = arena,
                              .on = on,
                              .options = options,
                              .ranking = ranking,
                              .limit = mw_search_room(options),
                              .known = {.arena = arena},
                              .key = {.arena = arena}};
}

mw_status mw_search(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                    const mw_search_options *options, mw_ranking *ranking)
{
    mw_searcher searcher;
    mw_searcher_init(&searcher, ctx, arena, on, options, ranking);
    mw_status status = search(&searcher);
    mw_hunt_close(&searcher.hunt);
    return status;
}
