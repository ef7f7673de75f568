/* rank_remat.c - one search over layouts and what is computed again, or one
 * under each rule; the choice is packed, and the limit lowered while packing
 * loses bytes. */
#include "search/rank_remat.h"

#include <string.h>

#include "search/global.h"
#include "search/layout_hunt.h"

/* MAX_FRUGAL: rules that are tried for the least memory, those first that take
 * little when all is kept. SHARE: of the time that is left, what one rule may
 * take. */
enum { MAX_PACKINGS = 4, MAX_SQUEEZES = 8, MAX_FRUGAL = 16, SHARE = 8 };

/* What the choice may lack: its step is searched by itself afterwards. */
static const double enough = 0.002;

typedef struct rematcher {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_search_options *options;
    mw_remat *remat;
    mw_setting on;
    mw_space space;
    mw_hunt hunt;
    /* Of the graph of pairs: op of each item, and tensors of the step. */
    int *made;
    mw_id *first, *repeated;
    mw_remat_answer *answer;
} rematcher;

static mw_status remember(rematcher *r)
{
    const mw_remat *remat = r->remat;
    int n = remat->step->n_tensors;
    r->made = MW_NEW_ARRAY(r->arena, remat->n_items, int);
    r->first = MW_NEW_ARRAY(r->arena, n, mw_id);
    r->repeated = MW_NEW_ARRAY(r->arena, n, mw_id);
    if (!r->made || !r->first || !r->repeated)
        return MW_ENOMEM;
    for (int i = 0; i < remat->n_items; i++)
        r->made[i] = remat->item[i].made;
    for (mw_id t = 0; t < n; t++) {
        r->first[t] = remat->first[t];
        r->repeated[t] = remat->repeated[t];
    }
    return MW_OK;
}

// What a choice of the space computes again.
static mw_status read_again(rematcher *r, const int32_t *state)
{
    const mw_space *space = &r->space;
    bool *again = MW_NEW_ARRAY(r->arena, r->remat->n_candidates, bool);
    if (!again)
        return MW_ENOMEM;
    for (int i = 0; i < r->on.pairs->n_pairs; i++) {
        const mw_remat_pair *pair = &r->on.pairs->pair[i];
        int32_t node = space->op_node[pair->op];
        const mw_op_class *c = &space->op_class[space->node_class[node]];
        int32_t more = state[node] - (c->n - c->n_more);
        if (pair->kind == MW_PAIR_AGAIN)
            again[pair->candidate] = more < 0;
        if (pair->kind == MW_PAIR_SELECT)
            again[pair->candidate] = more >= c->n_kept && more < c->n_more - 1;
    }
    r->answer->again = again;
    return MW_OK;
}

// The choices of the step from those of the graph of pairs.
static mw_status take_choices(rematcher *r, const mw_graph *step,
                              const mw_choices *both)
{
    const mw_remat *remat = r->remat;
    mw_choices *made = &r->answer->choices;
    made->op = MW_NEW_ARRAY(r->arena, step->n_ops + 1, mw_strategy);
    made->home = MW_NEW_ARRAY(r->arena, step->n_tensors + 1, mw_layout);
    if (!made->op || !made->home)
        return MW_ENOMEM;
    for (int i = 0; i < remat->n_items; i++)
        if (remat->item[i].made != MW_NONE)
            made->op[remat->item[i].made] = both->op[r->made[i]];
    for (mw_id t = 0; t < remat->step->n_tensors; t++) {
        if (remat->first[t] != MW_NONE)
            made->home[remat->first[t]] = both->home[r->first[t]];
        if (remat->repeated[t] != MW_NONE)
            made->home[remat->repeated[t]] = both->home[r->repeated[t]];
    }
    return MW_OK;
}

// The step and its plan; over: bytes that its arena is over the limit.
static mw_status take_state(rematcher *r, const int32_t *state, int64_t limit,
                            int64_t *over)
{
    mw_graph *step = MW_NEW(r->arena, mw_graph);
    mw_choices both;
    mw_plan plan;
    if (!step)
        return MW_ENOMEM;
    MW_TRY(read_again(r, state));
    MW_TRY(mw_space_choices(&r->space, r->arena, state, &both));
    MW_TRY(mw_graph_init(step, r->arena, r->remat->step->name));
    MW_TRY(mw_remat_step(r->remat, r->answer->again, step));
    MW_TRY(take_choices(r, step, &both));
    MW_TRY(mw_plan_build(r->arena, step, r->on.resharder, r->on.costs,
                         &r->answer->choices, true, &plan));
    r->answer->step = step;
    r->answer->time_ps = plan.time_ps;
    r->answer->live_peak_bytes = plan.live_peak_bytes;
    r->answer->peak_bytes = plan.peak_bytes;
    *over = plan.peak_bytes > limit ? plan.peak_bytes - limit : 0;
    return MW_OK;
}

// Other homes that take less, until the plan packs; the choice as it was where
// there are none.
static mw_status squeeze(rematcher *r, int32_t *state, int64_t limit,
                         int64_t live, int64_t *over)
{
    const mw_space *space = &r->space;
    mw_prices even = {
        .step = MW_NEW_ARRAY(r->arena, space->n_steps + 1, int64_t),
        .total = MW_NEW_ARRAY(r->arena, space->n_steps + 2, int64_t)};
    int32_t *tried = MW_NEW_ARRAY(r->arena, space->n_nodes + 1, int32_t);
    if (!even.step || !even.total || !tried)
        return MW_ENOMEM;
    for (int k = 0; k < space->n_steps; k++) {
        even.step[k] = INT64_C(1) << MW_PRICE_SHIFT;
        even.total[k + 1] = even.total[k] + even.step[k];
    }
    for (int i = 0; i<MAX_SQUEEZES && * over> 0 && *over < live; i++) {
        bool fits;
        live -= *over;
        memcpy(tried, state, (size_t)space->n_nodes * sizeof *tried);
        MW_TRY(mw_hunt_squeeze(&r->hunt, live, &even, tried, &fits));
        if (!fits)
            break;
        MW_TRY(take_state(r, tried, limit, over));
    }
    return *over > 0 ? take_state(r, state, limit, over) : MW_OK;
}

static mw_status take_least(rematcher *r)
{
    mw_answer least;
    int64_t over;
    MW_TRY(mw_hunt_least(&r->hunt, &least));
    if (r->answer->status != MW_SOLVE_INFEASIBLE)
        r->answer->status = least.status;
    return least.state ? take_state(r, least.state, MW_NO_LIMIT, &over) : MW_OK;
}

static mw_status take_fastest(rematcher *r, int64_t limit)
{
    int64_t live = limit, over = 0;
    for (int i = 0; i < MAX_PACKINGS && live > 0; i++) {
        mw_answer frugal = {0}, found;
        if (live != MW_NO_LIMIT)
            MW_TRY(mw_hunt_fit(&r->hunt, live, &frugal));
        MW_TRY(mw_hunt_time(&r->hunt, live, frugal.state, &found));
        if (i == 0) {
            r->answer->status = found.status;
            r->answer->bound = found.bound;
        }
        if (!found.state)
            return MW_OK;
        MW_TRY(take_state(r, found.state, limit, &over));
        MW_TRY(squeeze(r, found.state, limit, found.figures.peak_bytes, &over));
        if (over == 0 || mw_hunt_over(&r->hunt))
            return MW_OK;
        if (found.figures.peak_bytes < live)
            live = found.figures.peak_bytes;
        live -= over;
    }
    return MW_OK;
}

// The graph of pairs under these options, tabulated in an arena of its own.
static mw_status open_space(rematcher *r, mw_arena *arena,
                            const mw_space_options *space)
{
    mw_budget budget = r->options->budget;
    budget.deadline = space->deadline;
    budget.enough = enough;
    MW_TRY(mw_space_build(r->ctx, arena, &r->on, space, &r->space));
    return r->space.unfinished
               ? MW_OK
               : mw_hunt_init(&r->hunt, &r->space, arena, &budget);
}

static mw_status search_all(rematcher *r, int64_t limit)
{
    mw_space_options space = r->options->space;
    space.deadline = r->options->budget.deadline;
    MW_TRY(open_space(r, r->arena, &space));
    if (r->space.unfinished)
        return MW_OK;
    if (r->options->least_peak)
        return take_least(r);
    MW_TRY(take_fastest(r, limit));
    return r->answer->status == MW_SOLVE_INFEASIBLE ? take_least(r) : MW_OK;
}

/* ---- rules ---- */

/* The step that keeps all, under rules. */
typedef struct ruler {
    rematcher *r;
    mw_arena arena;
    mw_space space;
    mw_global global;
    int32_t *state;
    int64_t limit;
} ruler;

// Pins as the step has them: its tensors are numbered otherwise.
static mw_status plain_pins(const ruler *u, mw_space_options *space)
{
    const mw_remat *remat = u->r->remat;
    mw_fix_option *fix =
        MW_NEW_ARRAY(u->r->arena, space->n_fixes + 1, mw_fix_option);
    if (!fix)
        return MW_ENOMEM;
    int n = 0;
    for (int i = 0; i < space->n_fixes; i++)
        for (mw_id t = 0; t < remat->step->n_tensors; t++)
            if (u->r->first[t] == space->fix[i].tensor)
                fix[n++] = (mw_fix_option){t, space->fix[i].layout};
    space->fix = fix;
    space->n_fixes = n;
    return MW_OK;
}

static mw_status open_rules(ruler *u, bool by_peak)
{
    rematcher *r = u->r;
    const mw_setting on = {.graph = r->remat->step,
                           .mesh = r->on.mesh,
                           .costs = r->on.costs,
                           .resharder = r->on.resharder};
    mw_space_options space = r->options->space;
    space.deadline = r->options->budget.deadline;
    space.whole = true;
    mw_arena_free(&u->arena);
    mw_arena_init(&u->arena, r->ctx);
    MW_TRY(plain_pins(u, &space));
    MW_TRY(mw_space_build(r->ctx, &u->arena, &on, &space, &u->space));
    u->global = (mw_global){.too_many = true};
    u->state = MW_NEW_ARRAY(&u->arena, u->space.n_nodes + 1, int32_t);
    if (!u->state)
        return MW_ENOMEM;
    return u->space.unfinished
               ? MW_OK
               : mw_global_open(&u->global, &u->space, &u->arena,
                                MW_GLOBAL_MOST, by_peak);
}

// The rule that was taken last, for every dimension.
static mw_status pin_rule(const ruler *u, mw_arena *arena,
                          mw_space_options *space)
{
    const mw_graph *graph = u->space.on.graph;
    mw_rule_option *rule =
        MW_NEW_ARRAY(arena, graph->n_dims + 1, mw_rule_option);
    if (!rule)
        return MW_ENOMEM;
    for (mw_id d = 0; d < graph->n_dims; d++)
        rule[d] =
            (mw_rule_option){.dim = d, .axes = mw_global_axes(&u->global, d)};
    *space = u->r->options->space;
    space->deadline = mw_deadline_part(&u->r->options->budget.deadline, SHARE);
    space->whole = true;
    space->rule = rule;
    space->n_rules = graph->n_dims;
    return MW_OK;
}

// What is best computed again under the rule taken last; or takes least.
static mw_status try_rule(ruler *u, bool least, mw_remat_answer *one)
{
    rematcher *r = u->r;
    mw_arena arena;
    mw_space_options space;
    *one = (mw_remat_answer){.status = MW_SOLVE_UNKNOWN};
    r->answer = one;
    mw_arena_init(&arena, r->ctx);
    mw_status status = pin_rule(u, &arena, &space);
    if (status == MW_OK)
        status = open_space(r, &arena, &space);
    if (status == MW_OK && !r->space.unfinished) {
        if (least)
            status = take_least(r);
        else if (mw_hunt_floor(&r->hunt, NULL) > u->limit)
            one->status = MW_SOLVE_INFEASIBLE;
        else
            status = take_fastest(r, u->limit);
    }
    mw_hunt_close(&r->hunt);
    r->hunt = (mw_hunt){.space = NULL};
    mw_arena_free(&arena);
    return status;
}

// All rules that may be better than what is known; bound: of all.
static mw_status take_rules(ruler *u, int64_t known_ps, mw_remat_answer *best)
{
    int64_t bound = INT64_MAX;
    while (mw_global_next(&u->global, MW_NO_LIMIT, u->state)) {
        int64_t time_ps = u->global.rule[u->global.next - 1].time_ps;
        mw_remat_answer one = {.status = MW_SOLVE_UNKNOWN};
        bool over = mw_stopped(u->r->ctx) ||
                    mw_deadline_over(&u->r->options->budget.deadline);
        if (time_ps >= known_ps || over) {
            bound = time_ps < bound ? time_ps : bound;
            break;
        }
        MW_TRY(try_rule(u, false, &one));
        bool fits = one.again && one.peak_bytes <= u->limit;
        if (one.status != MW_SOLVE_INFEASIBLE) {
            int64_t least = one.bound > time_ps ? one.bound : time_ps;
            bound = least < bound ? least : bound;
        }
        if (!fits || one.time_ps >= known_ps)
            continue;
        known_ps = one.time_ps;
        *best = one;
    }
    best->bound = bound;
    if (!best->again && bound == INT64_MAX)
        best->status = MW_SOLVE_INFEASIBLE;
    else if (best->again)
        best->status = bound >= known_ps ? MW_SOLVE_OPTIMAL : MW_SOLVE_FEASIBLE;
    return MW_OK;
}

static mw_status take_frugal(ruler *u, mw_remat_answer *best)
{
    for (int i = 0; i < MAX_FRUGAL; i++) {
        mw_remat_answer one;
        if (!mw_global_next(&u->global, MW_NO_LIMIT, u->state) ||
            mw_stopped(u->r->ctx))
            return MW_OK;
        MW_TRY(try_rule(u, true, &one));
        if (!one.again ||
            (best->again && one.live_peak_bytes >= best->live_peak_bytes))
            continue;
        one.status = best->status;
        one.bound = best->bound;
        *best = one;
    }
    return MW_OK;
}

static mw_status search_rules(rematcher *r, int64_t limit, int64_t known_ps)
{
    mw_remat_answer *answer = r->answer;
    mw_remat_answer best = {.status = MW_SOLVE_UNKNOWN};
    ruler u = {.r = r, .limit = limit};
    mw_arena_init(&u.arena, r->ctx);
    mw_status status = MW_OK;
    bool frugal = r->options->least_peak;
    if (!frugal) {
        status = open_rules(&u, false);
        if (status == MW_OK && !u.global.too_many)
            status = take_rules(&u, known_ps, &best);
        frugal = best.status == MW_SOLVE_INFEASIBLE;
    }
    if (status == MW_OK && frugal) {
        status = open_rules(&u, true);
        if (status == MW_OK && !u.global.too_many)
            status = take_frugal(&u, &best);
    }
    mw_arena_free(&u.arena);
    if (status == MW_OK)
        *answer = best;
    return status;
}

mw_status mw_search_remat(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                          mw_remat *remat, const mw_search_options *options,
                          int64_t known_ps, mw_remat_answer *answer)
{
    mw_remat_answer made = {.status = MW_SOLVE_UNKNOWN};
    rematcher r = {.ctx = ctx,
                   .arena = arena,
                   .options = options,
                   .remat = remat,
                   .on = *on,
                   .answer = &made};
    int64_t limit = mw_search_room(options);
    MW_TRY(remember(&r));
    mw_status status = options->global ? search_rules(&r, limit, known_ps)
                                       : search_all(&r, limit);
    mw_hunt_close(&r.hunt);
    if (status == MW_OK)
        *answer = made;
    return status;
}
