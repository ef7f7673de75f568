/* rank_least.c - what to say when the search ranked nothing: a start that fits,
 * the least memory, or how much memory would do and what takes it. */
#include "search/rank_parts.h"

#include "base/text.h"
#include "base/units.h"

// Plans a choice, and ranks it if its arena is within the limit; *over: the
// bytes beyond it, 0 when it fits.
static mw_status try_choice(mw_searcher *searcher, const int32_t *state,
                            int64_t *over)
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
    *over = made->plan.peak_bytes - searcher->limit;
    if (*over > 0) {
        searcher->ranking->n_rows--;
    } else {
        *over = 0;
        searcher->ranking->best = made;
    }
    return MW_OK;
}

enum { TIGHTENINGS = 4 };

// Live memory is limited by what packing lost, until a plan packs.
static mw_status try_tighter(mw_searcher *searcher)
{
    int64_t limit = searcher->live_limit, over = searcher->lost_bytes;
    for (int i = 0; i < TIGHTENINGS && over > 0 && limit > over; i++) {
        mw_answer answer;
        limit -= over;
        MW_TRY(mw_hunt_time(&searcher->hunt, limit, NULL, &answer));
        if (!answer.state)
            return MW_OK;
        MW_TRY(try_choice(searcher, answer.state, &over));
    }
    return MW_OK;
}

// "1234 bytes (1.21 KiB)".
static void add_bytes(mw_text *text, int64_t bytes)
{
    char units[MW_UNITS_MAX];
    mw_text_format(text, "%lld bytes (%s)", (long long)bytes,
                   mw_bytes_text(bytes, units));
}

// The homes that are live at a step, largest first.
static void add_largest(mw_text *text, const mw_space *space,
                        const int32_t *state, mw_id step)
{
    enum { SHOWN = 4 };
    mw_id shown[SHOWN];
    for (int n = 0; n < SHOWN; n++) {
        int64_t most = 0;
        shown[n] = MW_NONE;
        for (int32_t i = 0; i < space->n_nodes; i++) {
            mw_id t = space->node_tensor[i];
            if (t == MW_NONE || step < space->life[t].begin ||
                step >= space->life[t].end)
                continue;
            bool again = false;
            for (int k = 0; k < n; k++)
                again = again || shown[k] == t;
            int64_t bytes =
                space->home_class[space->node_class[i]].bytes[state[i]];
            if (!again && bytes > most) {
                most = bytes;
                shown[n] = t;
            }
        }
        if (shown[n] == MW_NONE)
            return;
        char units[MW_UNITS_MAX];
        mw_text_format(text, "%s'%s' %s", n ? ", " : "\nlargest there: ",
                       space->on.graph->tensor[shown[n]].name,
                       mw_bytes_text(most, units));
    }
}

static void add_step(mw_text *text, const mw_space *space, mw_id step)
{
    if (step < space->on.graph->n_ops)
        mw_text_format(text, ", at op '%s' (step %d of %d)",
                       space->on.graph->op[step].name, step + 1,
                       space->n_steps);
}

// What pins cost: the least memory without them.
static mw_status add_pins(mw_searcher *searcher, mw_text *text, int64_t need)
{
    const mw_search_options *options = searcher->options;
    mw_space_options free = options->space;
    mw_space space;
    mw_hunt hunt;
    mw_answer answer;
    if (free.n_fixes == 0)
        return MW_OK;
    free.n_fixes = 0;
    MW_TRY(mw_space_build(searcher->ctx, searcher->arena, searcher->on, &free,
                          &space));
    MW_TRY(mw_hunt_init(&hunt, &space, searcher->arena, &options->budget));
    mw_status status = mw_hunt_least(&hunt, &answer);
    mw_hunt_close(&hunt);
    MW_TRY(status);
    for (int i = 0; i < options->space.n_fixes; i++) {
        const mw_fix_option *fix = &options->space.fix[i];
        const mw_graph *graph = searcher->on->graph;
        const mw_tensor *tensor =
            &graph->tensor[graph->tensor[fix->tensor].root];
        char *layout = mw_layout_text(searcher->arena, graph, tensor,
                                      searcher->on->mesh, &fix->layout);
        if (!layout)
            return MW_ENOMEM;
        mw_text_format(text, "\npinned: '%s' to %s takes ",
                       graph->tensor[fix->tensor].name, layout);
        add_bytes(text, mw_aligned(mw_layout_bytes(searcher->on->mesh,
                                                   &fix->layout, tensor)));
    }
    if (!answer.state)
        return MW_OK;
    int64_t without = answer.figures.peak_bytes + options->overhead_bytes;
    mw_text_add(text, "\nwithout the pins the least is ");
    add_bytes(text, without);
    if (without < need) {
        mw_text_add(text, ": they cost ");
        add_bytes(text, need - without);
    }
    return MW_OK;
}

static mw_status explain(mw_searcher *searcher, const mw_answer *least,
                         mw_text *text)
{
    const mw_search_options *options = searcher->options;
    mw_choices choices;
    mw_plan plan;
    MW_TRY(mw_space_choices(&searcher->space, searcher->arena, least->state,
                            &choices));
    MW_TRY(mw_plan_build(searcher->arena, searcher->on->graph,
                         searcher->on->resharder, searcher->on->costs, &choices,
                         true, &plan));
    int64_t need = plan.peak_bytes + options->overhead_bytes;
    searcher->ranking->need_bytes = need;
    mw_text_format(text, "no layout of '%s' fits ", searcher->on->graph->name);
    add_bytes(text, options->memory_bytes);
    mw_text_add(text, least->status == MW_SOLVE_OPTIMAL
                          ? " a processor: the least that would do is "
                          : " a processor: what was found to do is ");
    add_bytes(text, need);
    add_step(text, &searcher->space, least->figures.peak_step);
    if (options->overhead_bytes > 0) {
        mw_text_add(text, "\nof it for libraries: ");
        add_bytes(text, options->overhead_bytes);
    }
    mw_text_add(text, "\nshort by ");
    add_bytes(text, need - options->memory_bytes);
    add_largest(text, &searcher->space, least->state, least->figures.peak_step);
    return add_pins(searcher, text, need);
}

static mw_status fail(mw_searcher *searcher, const mw_answer *last,
                      const mw_answer *least)
{
    if (!least->state || last->status == MW_SOLVE_UNKNOWN)
        return mw_fail(searcher->ctx, MW_ERUN,
                       "no layout of '%s' was found in time, nor was it proved "
                       "that there is none; a longer --time-limit may help",
                       searcher->on->graph->name);
    mw_text text;
    mw_text_init(&text, searcher->ctx);
    mw_status status = explain(searcher, least, &text);
    if (status == MW_OK)
        status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_fail(searcher->ctx, MW_EINFEASIBLE, "%s", text.data);
    mw_text_free(&text);
    return status;
}

mw_status mw_rank_fallback(mw_searcher *searcher, const mw_answer *last)
{
    int64_t over;
    mw_answer least = {0};
    if (searcher->n_cuts > 0 && !mw_rank_by_rules(searcher))
        MW_TRY(try_tighter(searcher));
    if (!searcher->ranking->best && searcher->start)
        MW_TRY(try_choice(searcher, searcher->start, &over));
    if (searcher->ranking->best)
        return MW_OK;
    MW_TRY(mw_rank_least(searcher, &least));
    if (least.state)
        MW_TRY(try_choice(searcher, least.state, &over));
    return searcher->ranking->best ? MW_OK : fail(searcher, last, &least);
}
