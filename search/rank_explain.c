/* rank_explain.c - why nothing fits. Each demand of the user's (a pin, a rule,
 * even splits, one rule for all) is left out by itself and the least memory
 * found anew: that tells which of them is worth giving up. */
#include "search/rank_parts.h"

#include <string.h>

#include "base/units.h"

enum { SHOWN_TENSORS = 6, SHOWN_DEMANDS = 8 };

// "1234 bytes (1.21 KiB)".
static void add_bytes(mw_text *text, int64_t bytes)
{
    char units[MW_UNITS_MAX];
    mw_text_format(text, "%lld bytes (%s)", (long long)bytes,
                   mw_bytes_text(bytes, units));
}

/* ---- what is live at the step ---- */

static bool is_live(const mw_searcher *searcher, mw_id t, mw_id step)
{
    const mw_life *life = &searcher->space.life[t];
    return searcher->on->graph->tensor[t].root == t && step >= life->begin &&
           step < life->end;
}

static int64_t home_bytes(const mw_searcher *searcher,
                          const mw_choices *choices, mw_id t)
{
    return mw_aligned(mw_layout_bytes(searcher->on->mesh, &choices->home[t],
                                      &searcher->on->graph->tensor[t]));
}

// The largest live home but those shown already; MW_NONE: there is none.
static mw_id next_largest(const mw_searcher *searcher,
                          const mw_choices *choices, mw_id step,
                          const mw_id *shown, int n_shown)
{
    mw_id best = MW_NONE;
    int64_t most = -1;
    for (mw_id t = 0; t < searcher->on->graph->n_tensors; t++) {
        bool again = !is_live(searcher, t, step);
        for (int k = 0; k < n_shown; k++)
            again = again || shown[k] == t;
        if (again || home_bytes(searcher, choices, t) <= most)
            continue;
        most = home_bytes(searcher, choices, t);
        best = t;
    }
    return best;
}

// Homes, largest first, then what the op needs besides.
static void add_live(const mw_searcher *searcher, const mw_plan *plan,
                     mw_id step, mw_text *text)
{
    const mw_graph *graph = searcher->on->graph;
    mw_id shown[SHOWN_TENSORS];
    int n = 0;
    int64_t rest = plan->live_bytes[step], homes = 0;
    mw_text_add(text, "\nlive there:");
    for (; n < SHOWN_TENSORS; n++) {
        shown[n] = next_largest(searcher, plan->choices, step, shown, n);
        if (shown[n] == MW_NONE)
            break;
        int64_t bytes = home_bytes(searcher, plan->choices, shown[n]);
        mw_text_format(text, "%s '%s' ", n ? "," : "",
                       graph->tensor[shown[n]].name);
        add_bytes(text, bytes);
        rest -= bytes;
    }
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        bool listed = false;
        for (int k = 0; k < n; k++)
            listed = listed || shown[k] == t;
        if (!listed && is_live(searcher, t, step))
            homes += home_bytes(searcher, plan->choices, t);
    }
    if (homes > 0) {
        mw_text_add(text, ", smaller ones ");
        add_bytes(text, homes);
    }
    if (rest > homes) {
        mw_text_add(text, ", copies and workspace ");
        add_bytes(text, rest - homes);
    }
}

/* ---- what could be given up ---- */

// A demand, and the search without it.
typedef struct demand {
    const char *text; /* "--fix wte" */
    mw_search_options without;
    int64_t need; /* INT64_MAX: not known */
} demand;

static mw_status least_peak(mw_searcher *other, int64_t *need)
{
    mw_answer least;
    mw_choices choices;
    mw_plan plan;
    MW_TRY(mw_rank_prepare(other));
    if (other->space.unfinished)
        return MW_OK;
    MW_TRY(mw_rank_least(other, &least));
    if (!least.state)
        return MW_OK;
    MW_TRY(
        mw_space_choices(&other->space, other->arena, least.state, &choices));
    MW_TRY(mw_plan_build(other->arena, other->on->graph, other->on->resharder,
                         other->on->costs, &choices, true, &plan));
    *need = plan.peak_bytes + other->options->overhead_bytes;
    return MW_OK;
}

// The least that would do under other options; INT64_MAX: not found.
static mw_status find_need(mw_searcher *searcher,
                           const mw_search_options *options, int64_t *need)
{
    mw_ranking ranking;
    mw_searcher other;
    *need = INT64_MAX;
    mw_searcher_init(&other, searcher->ctx, searcher->arena, searcher->on,
                     options, &ranking);
    mw_status status = least_peak(&other, need);
    mw_hunt_close(&other.hunt);
    return status;
}

static mw_status fix_demand(mw_searcher *searcher, int i, demand *made)
{
    mw_space_options *space = &made->without.space;
    mw_fix_option *rest =
        MW_NEW_ARRAY(searcher->arena, space->n_fixes, mw_fix_option);
    if (!rest)
        return MW_ENOMEM;
    made->text =
        mw_arena_format(searcher->arena, "--fix %s",
                        searcher->on->graph->tensor[space->fix[i].tensor].name);
    int n = 0;
    for (int k = 0; k < space->n_fixes; k++) {
        if (k != i)
            rest[n++] = space->fix[k];
    }
    space->fix = rest;
    space->n_fixes = n;
    return made->text ? MW_OK : MW_ENOMEM;
}

static mw_status rule_demand(mw_searcher *searcher, int i, demand *made)
{
    mw_space_options *space = &made->without.space;
    mw_rule_option *rest =
        MW_NEW_ARRAY(searcher->arena, space->n_rules, mw_rule_option);
    if (!rest)
        return MW_ENOMEM;
    made->text =
        mw_arena_format(searcher->arena, "--rule %s",
                        searcher->on->graph->dim[space->rule[i].dim].name);
    int n = 0;
    for (int k = 0; k < space->n_rules; k++) {
        if (k != i)
            rest[n++] = space->rule[k];
    }
    space->rule = rest;
    space->n_rules = n;
    return made->text ? MW_OK : MW_ENOMEM;
}

// The demands that were made, the first few of them.
static mw_status find_demands(mw_searcher *searcher, demand made[SHOWN_DEMANDS],
                              int *n)
{
    const mw_search_options *options = searcher->options;
    const mw_space_options *space = &options->space;
    int count = 0;
    for (int i = 0; i < SHOWN_DEMANDS; i++)
        made[i] = (demand){.without = *options, .need = INT64_MAX};
    for (int i = 0; i < space->n_fixes && count < SHOWN_DEMANDS; i++)
        MW_TRY(fix_demand(searcher, i, &made[count++]));
    for (int i = 0; i < space->n_rules && count < SHOWN_DEMANDS; i++)
        MW_TRY(rule_demand(searcher, i, &made[count++]));
    if (space->even && count < SHOWN_DEMANDS) {
        made[count].text = "--even";
        made[count++].without.space.even = false;
    }
    if (options->global && count < SHOWN_DEMANDS) {
        made[count].text = "--scope global";
        made[count++].without.global = false;
    }
    *n = count;
    return MW_OK;
}

static void add_pins(const mw_searcher *searcher, mw_text *text)
{
    const mw_space_options *space = &searcher->options->space;
    const mw_graph *graph = searcher->on->graph;
    for (int i = 0; i < space->n_fixes && i < SHOWN_DEMANDS; i++) {
        const mw_fix_option *fix = &space->fix[i];
        const mw_tensor *tensor =
            &graph->tensor[graph->tensor[fix->tensor].root];
        char *layout = mw_layout_text(searcher->arena, graph, tensor,
                                      searcher->on->mesh, &fix->layout);
        mw_text_format(text, "\npinned: '%s' to %s takes ",
                       graph->tensor[fix->tensor].name, layout ? layout : "");
        add_bytes(text, mw_aligned(mw_layout_bytes(searcher->on->mesh,
                                                   &fix->layout, tensor)));
    }
}

// What each demand costs, and the cheapest way out.
static void add_ways(const mw_searcher *searcher, const demand *all, int n,
                     int64_t need, mw_text *text)
{
    const demand *best = NULL;
    int64_t have = searcher->options->memory_bytes;
    for (int i = 0; i < n; i++) {
        if (all[i].need == INT64_MAX)
            continue;
        mw_text_format(text, "\nwithout %s the least is ", all[i].text);
        add_bytes(text, all[i].need);
        if (all[i].need < need) {
            mw_text_add(text, ": it costs ");
            add_bytes(text, need - all[i].need);
        }
        if (all[i].need <= have && (!best || all[i].need < best->need))
            best = &all[i];
    }
    if (best) {
        mw_text_format(text, "\ncheapest relaxation: drop %s", best->text);
        return;
    }
    mw_text_add(text, "\ncheapest relaxation: ");
    add_bytes(text, need - have);
    mw_text_format(text, " more, --memory %lld", (long long)need);
    if (n > 0)
        mw_text_add(text, "; to drop one demand alone is not enough");
}

// Each question gets an equal share of the time that is left, or a little.
static mw_status add_demands(mw_searcher *searcher, int64_t need, mw_text *text)
{
    static const double least_s = 0.5;
    demand all[SHOWN_DEMANDS];
    double end_s = searcher->options->budget.deadline.end_s;
    int n;
    MW_TRY(find_demands(searcher, all, &n));
    add_pins(searcher, text);
    for (int i = 0; i < n && !mw_stopped(searcher->ctx); i++) {
        double share_s = (end_s - mw_clock_s()) / (n - i);
        if (end_s > 0)
            all[i].without.budget.deadline =
                mw_deadline_in(share_s > least_s ? share_s : least_s);
        MW_TRY(find_need(searcher, &all[i].without, &all[i].need));
    }
    add_ways(searcher, all, n, need, text);
    return MW_OK;
}

mw_status mw_rank_explain(mw_searcher *searcher, const mw_answer *least,
                          mw_text *text)
{
    const mw_search_options *options = searcher->options;
    const mw_graph *graph = searcher->on->graph;
    mw_choices choices;
    mw_plan plan;
    MW_TRY(mw_space_choices(&searcher->space, searcher->arena, least->state,
                            &choices));
    MW_TRY(mw_plan_build(searcher->arena, graph, searcher->on->resharder,
                         searcher->on->costs, &choices, true, &plan));
    int64_t need = plan.peak_bytes + options->overhead_bytes;
    mw_id step = least->figures.peak_step;
    searcher->ranking->need_bytes = need;
    mw_text_format(text, "no layout of '%s' fits ", graph->name);
    add_bytes(text, options->memory_bytes);
    mw_text_add(text, least->status == MW_SOLVE_OPTIMAL
                          ? " a processor: the least that would do is "
                          : " a processor: what was found to do is ");
    add_bytes(text, need);
    if (step < graph->n_ops)
        mw_text_format(text, ", at op '%s' (step %d of %d)",
                       graph->op[step].name, step + 1, searcher->space.n_steps);
    if (options->overhead_bytes > 0) {
        mw_text_add(text, "\nof it for libraries: ");
        add_bytes(text, options->overhead_bytes);
    }
    mw_text_add(text, "\nshort by ");
    add_bytes(text, need - options->memory_bytes);
    add_live(searcher, &plan, step, text);
    return add_demands(searcher, need, text);
}
