/* rank_baseline.c - rows of the usual recipes. */
#include "search/rank_parts.h"

#include "base/units.h"

static mw_status too_large(mw_searcher *searcher, mw_ranked *row)
{
    char need[MW_UNITS_MAX], have[MW_UNITS_MAX];
    row->feasible = false;
    row->reason = mw_arena_format(searcher->arena, "needs %s where %s are left",
                                  mw_bytes_text(row->plan.peak_bytes, need),
                                  mw_bytes_text(searcher->limit, have));
    return row->reason ? MW_OK : MW_ENOMEM;
}

// The states of choices in the space; false when some are not among them.
static bool states_of(const mw_space *space, const mw_choices *choices,
                      int32_t *state)
{
    for (int32_t i = 0; i < space->n_nodes; i++) {
        mw_id k = space->node_op[i];
        state[i] = k != MW_NONE
                       ? mw_space_find_strategy(space, i, &choices->op[k])
                       : mw_space_find_layout(
                             space, i, &choices->home[space->node_tensor[i]]);
        if (state[i] == MW_NONE)
            return false;
    }
    return true;
}

static mw_status keep_start(mw_searcher *searcher, mw_ranked *row,
                            int64_t *best_ps)
{
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    if (searcher->options->global && !row->one_rule) {
        row->feasible = false;
        row->reason = "it is more than one rule for all tensors";
        return MW_OK;
    }
    if (!states_of(&searcher->space, &row->choices, state)) {
        row->feasible = false;
        row->reason = "it does not follow --fix, --rule or --even";
        return MW_OK;
    }
    if (!row->feasible || (*best_ps >= 0 && row->plan.time_ps >= *best_ps))
        return MW_OK;
    searcher->start = state;
    *best_ps = row->plan.time_ps;
    return MW_OK;
}

// The start that was given, when it is better.
static mw_status keep_given(mw_searcher *searcher, int64_t best_ps)
{
    const mw_space *space = &searcher->space;
    mw_space_figures figures;
    int32_t *state = MW_NEW_ARRAY(searcher->arena, space->n_nodes + 1, int32_t);
    int64_t *live = MW_NEW_ARRAY(searcher->arena, space->n_steps + 1, int64_t);
    if (!state || !live)
        return MW_ENOMEM;
    if (!states_of(space, searcher->options->start, state))
        return MW_OK;
    mw_space_evaluate(space, state, live, &figures);
    if (figures.forbidden || figures.peak_bytes > searcher->live_limit ||
        (best_ps >= 0 && figures.time_ps >= best_ps))
        return MW_OK;
    searcher->start = state;
    return MW_OK;
}

mw_status mw_rank_starts(mw_searcher *searcher)
{
    int64_t best_ps = -1;
    for (int i = 0; i < searcher->ranking->n_rows; i++) {
        mw_ranked *row = searcher->ranking->row[i];
        if (row->planned)
            MW_TRY(keep_start(searcher, row, &best_ps));
    }
    return searcher->options->start && !searcher->options->global
               ? keep_given(searcher, best_ps)
               : MW_OK;
}

enum { RULES_IN_PASSING = 100000 };

mw_status mw_rank_one_rule(mw_searcher *searcher)
{
    mw_global global;
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    MW_TRY(mw_global_open(&global, &searcher->space, searcher->arena,
                          RULES_IN_PASSING, searcher->options->least_peak));
    if (global.too_many || !mw_global_next(&global, searcher->limit, state))
        return MW_OK;
    mw_ranked *made;
    mw_ranked row = {.name = "one_rule",
                     .baseline = true,
                     .planned = true,
                     .status = MW_SOLVE_FEASIBLE};
    MW_TRY(mw_space_choices(&searcher->space, searcher->arena, state,
                            &row.choices));
    MW_TRY(mw_rank_add(searcher, &row, &made));
    made->feasible = made->plan.peak_bytes <= searcher->limit;
    return made->feasible ? MW_OK : too_large(searcher, made);
}

// A recipe's row. What an op does not take, or no conversion reaches, is a
// reason.
static mw_status add_baseline(mw_searcher *searcher, const mw_baseline *from,
                              mw_ranked **made)
{
    mw_ranked row = {.name = from->name,
                     .baseline = true,
                     .one_rule = from->one_rule,
                     .planned = !from->reason,
                     .reason = from->reason,
                     .choices = from->choices,
                     .status = MW_SOLVE_FEASIBLE};
    mw_status status = mw_rank_add(searcher, &row, made);
    if (status != MW_EINPUT)
        return status;
    row.planned = false;
    row.reason = mw_arena_format(searcher->arena, "%s", searcher->ctx->message);
    if (!row.reason)
        return MW_ENOMEM;
    mw_ctx_clear(searcher->ctx);
    return mw_rank_add(searcher, &row, made);
}

mw_status mw_rank_baselines(mw_searcher *searcher)
{
    mw_baseline *all;
    int n;
    MW_TRY(mw_baselines(searcher->arena, searcher->on,
                        searcher->options->space.even, &all, &n));
    for (int i = 0; i < n; i++) {
        mw_ranked *made;
        MW_TRY(add_baseline(searcher, &all[i], &made));
        made->feasible =
            made->planned && made->plan.peak_bytes <= searcher->limit;
        if (made->planned && !made->feasible)
            MW_TRY(too_large(searcher, made));
    }
    return MW_OK;
}

// Every op takes its least time at least.
static int64_t least_compute(const mw_space *space)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_op[i] == MW_NONE)
            continue;
        const mw_op_class *c = &space->op_class[space->node_class[i]];
        int64_t least = INT64_MAX;
        for (int32_t s = 0; s < c->n; s++)
            least = c->time_ps[s] < least ? c->time_ps[s] : least;
        sum += least;
    }
    return sum;
}

mw_status mw_rank_hastily(mw_searcher *searcher)
{
    const mw_ranked *best = NULL;
    const mw_space_options *pins = &searcher->options->space;
    bool free = pins->n_fixes == 0 && pins->n_rules == 0;
    for (int i = 0; free && i < searcher->ranking->n_rows; i++) {
        const mw_ranked *row = searcher->ranking->row[i];
        if (row->feasible && (!best || row->plan.time_ps < best->plan.time_ps))
            best = row;
    }
    if (!best)
        return mw_fail(
            searcher->ctx, MW_ERUN,
            "%s before the layouts of '%s' were tabulated%s",
            mw_stopped(searcher->ctx) ? "the end was asked for" : "time was up",
            searcher->on->graph->name, mw_rank_longer(searcher->ctx));
    mw_ranked row = *best;
    row.name = "best";
    row.baseline = false;
    row.bound = least_compute(&searcher->space);
    mw_ranked *made;
    MW_TRY(mw_rank_add(searcher, &row, &made));
    searcher->ranking->best = made;
    return MW_OK;
}
