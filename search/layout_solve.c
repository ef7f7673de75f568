/* layout_solve.c - solving with lazily limited steps. */
#include "search/layout_solve.h"

#include <string.h>

#include "search/layout_hunt.h"
#include "search/layout_layers.h"

// Links of each home, as offsets and lists.
static mw_status list_home_links(mw_hunt *hunt, mw_arena *arena)
{
    const mw_space *space = hunt->space;
    hunt->home_link_of = MW_NEW_ARRAY(arena, space->n_nodes + 2, int32_t);
    hunt->home_link = MW_NEW_ARRAY(arena, space->n_links + 1, int32_t);
    if (!hunt->home_link_of || !hunt->home_link)
        return MW_ENOMEM;
    int32_t *first = hunt->home_link_of + 1;
    for (int32_t i = 0; i < space->n_links; i++)
        first[space->home_node[space->link[i].tensor]]++;
    int32_t sum = 0;
    for (int32_t i = 0; i <= space->n_nodes; i++) {
        int32_t count = first[i];
        first[i] = sum;
        sum += count;
    }
    for (int32_t i = 0; i < space->n_links; i++)
        hunt->home_link[first[space->home_node[space->link[i].tensor]]++] = i;
    return MW_OK;
}

mw_status mw_hunt_init(mw_hunt *hunt, const mw_space *space, mw_arena *arena,
                       const mw_budget *budget)
{
    int n_steps = space->n_steps;
    *hunt = (mw_hunt){.space = space, .budget = *budget};
    mw_alike_init(&hunt->alike, space->ctx);
    MW_TRY(mw_space_tables_init(space, arena, &hunt->tables));
    hunt->live = MW_NEW_ARRAY(arena, n_steps + 1, int64_t);
    hunt->scratch = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    hunt->polished = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    if (!hunt->live || !hunt->scratch || !hunt->polished)
        return MW_ENOMEM;
    for (int i = 0; i < MW_N_COSTS; i++) {
        mw_step_list *list = &hunt->limited[i];
        list->step = MW_NEW_ARRAY(arena, n_steps + 1, mw_id);
        list->has = MW_NEW_ARRAY(arena, n_steps + 1, bool);
        if (!list->step || !list->has)
            return MW_ENOMEM;
    }
    return list_home_links(hunt, arena);
}

void mw_hunt_close(mw_hunt *hunt)
{
    mw_alike_free(&hunt->alike);
}

bool mw_hunt_over(const mw_hunt *hunt)
{
    return mw_stopped(hunt->space->ctx) ||
           mw_deadline_over(&hunt->budget.deadline);
}

// A step over the limit that no neighbour exceeds.
static bool is_summit(const mw_hunt *hunt, int64_t limit, mw_id k)
{
    int n_steps = hunt->space->n_steps;
    const int64_t *live = hunt->live;
    return live[k] > limit && (k == 0 || live[k] >= live[k - 1]) &&
           (k == n_steps - 1 || live[k] > live[k + 1]);
}

enum { STEPS_A_ROUND = 16, TIED_STEPS_A_ROUND = 2 };

// Among the last steps of a list: one whose op chooses like that of step k.
// What it takes is what k takes, or nearly; k comes in a later round if not.
static bool has_alike(const mw_hunt *hunt, const mw_step_list *list, int32_t n,
                      mw_id k)
{
    const int32_t *op_node = hunt->space->op_node;
    if (!hunt->tie || op_node[k] == MW_NONE)
        return false;
    for (int32_t i = list->n - n; i < list->n; i++) {
        int32_t node = op_node[list->step[i]];
        if (node != MW_NONE && hunt->tie[node] == hunt->tie[op_node[k]])
            return true;
    }
    return false;
}

// Limits the highest summits that are not limited yet, at most a round's.
// Returns how many.
static int32_t limit_summits(mw_hunt *hunt, mw_step_list *list, int64_t limit)
{
    int32_t added = 0;
    int32_t most = hunt->tie ? TIED_STEPS_A_ROUND : STEPS_A_ROUND;
    while (added < most) {
        mw_id best = MW_NONE;
        for (mw_id k = 0; k < hunt->space->n_steps; k++) {
            if (!list->has[k] && is_summit(hunt, limit, k) &&
                !has_alike(hunt, list, added, k) &&
                (best == MW_NONE || hunt->live[k] > hunt->live[best]))
                best = k;
        }
        if (best == MW_NONE)
            break;
        list->has[best] = true;
        list->step[list->n++] = best;
        added++;
    }
    return added;
}

mw_status mw_hunt_keep(mw_hunt *hunt, const int32_t *state, mw_answer *answer)
{
    if (!answer->state) {
        answer->state =
            MW_NEW_ARRAY(hunt->tables.arena, hunt->space->n_nodes + 1, int32_t);
        if (!answer->state)
            return MW_ENOMEM;
    }
    if (state != answer->state)
        memcpy(answer->state, state,
               (size_t)hunt->space->n_nodes * sizeof *state);
    mw_space_evaluate(hunt->space, answer->state, hunt->live, &answer->figures);
    return MW_OK;
}

static bool excluded(const mw_hunt *hunt, const int32_t *state)
{
    const uint8_t *const *allowed = hunt->tables.allowed;
    for (int32_t i = 0; allowed && i < hunt->space->n_nodes; i++) {
        if (allowed[i] && !allowed[i][state[i]])
            return true;
    }
    for (int32_t i = 0; i < hunt->n_exclusions; i++) {
        const mw_exclusion *e = &hunt->exclusion[i];
        int32_t same = 0;
        while (same < e->n && state[e->node[same]] == e->strategy[same])
            same++;
        if (same == e->n)
            return true;
    }
    return false;
}

mw_status mw_hunt_offer(mw_hunt *hunt, int64_t limit, const int32_t *state,
                        mw_answer *answer)
{
    mw_space_figures figures;
    mw_space_evaluate(hunt->space, state, hunt->live, &figures);
    if (figures.forbidden || figures.peak_bytes > limit ||
        excluded(hunt, state))
        return MW_OK;
    if (answer->state && answer->figures.time_ps <= figures.time_ps)
        return MW_OK;
    return mw_hunt_keep(hunt, state, answer);
}

static int64_t narrow(mw_int128 value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

// What a round's result says of the whole question. True ends the rounds.
static mw_status take_round(mw_hunt *hunt, int64_t limit, mw_space_cost cost,
                            const mw_solve_result *result, mw_answer *answer,
                            bool *done)
{
    *done = true;
    if (result->bounded && cost == MW_COST_TIME &&
        narrow(result->bound) > answer->bound)
        answer->bound = narrow(result->bound);
    if (result->status == MW_SOLVE_INFEASIBLE) {
        answer->status = MW_SOLVE_INFEASIBLE;
        answer->proof = result->proof;
        return MW_OK;
    }
    if (!result->choice)
        return MW_OK;
    mw_space_figures figures;
    mw_space_evaluate(hunt->space, hunt->scratch, hunt->live, &figures);
    if (figures.peak_bytes > limit) {
        *done = limit_summits(hunt, &hunt->limited[cost], limit) == 0;
        return MW_OK;
    }
    if (cost == MW_COST_TIME)
        mw_hunt_polish(hunt, limit, hunt->scratch, hunt->polished);
    if (cost == MW_COST_TIME)
        MW_TRY(mw_hunt_offer(hunt, limit, hunt->polished, answer));
    MW_TRY(mw_hunt_offer(hunt, limit, hunt->scratch, answer));
    if (cost == MW_COST_MEMORY || result->status == MW_SOLVE_OPTIMAL) {
        answer->status = MW_SOLVE_OPTIMAL;
        answer->proof = result->proof;
    } else if (hunt->gap <= 0 && hunt->budget.deadline.end_s > 0) {
        // It was cut short, and has the rest of the time.
        *done = false;
    }
    return MW_OK;
}

// The gap after this one: steps to limit are found with rough answers, which
// cost little, and each answer that fits is where the next begins.
static double finer(double gap)
{
    static const double finest = 1e-4;
    return gap > finest ? gap / 10 : 0;
}

// The last gap but for none.
static const double nearly = 2e-4;

static mw_status chase(mw_hunt *hunt, mw_space_cost cost, int64_t limit,
                       const int32_t *start, mw_answer *answer)
{
    static const double rough = 0.01, any = 1;
    hunt->gap = 0;
    if (cost == MW_COST_MEMORY)
        hunt->gap = any;
    else if (limit != MW_NO_LIMIT)
        hunt->gap = rough;
    for (bool done = false; !done;) {
        mw_solve_result result;
        MW_TRY(mw_hunt_solve(hunt, cost, limit,
                             answer->state ? answer->state : start, &result));
        MW_TRY(take_round(hunt, limit, cost, &result, answer, &done));
        if (done && hunt->gap > hunt->finest &&
            answer->status == MW_SOLVE_UNKNOWN) {
            done = false;
            hunt->gap = finer(hunt->gap);
        }
        done = done || mw_hunt_over(hunt);
    }
    if (answer->status == MW_SOLVE_UNKNOWN && answer->state)
        answer->status = MW_SOLVE_FEASIBLE;
    return MW_OK;
}

/* Smaller spaces are solved sooner than priced; larger ones, in entries of
 * their matrices, are not solved whole under a limit: copies of them would not
 * fit, nor end in time. */
enum { PRICED_NODES = 40, MOST_ENTRIES = 20000000 };

static bool few_entries(const mw_hunt *hunt)
{
    const mw_space *space = hunt->space;
    int64_t n = 0;
    for (int32_t i = 0; i < space->n_links; i++) {
        const mw_link_class *c = &space->link_class[space->link[i].link_class];
        n += (int64_t)space->op_class[c->op_class].n * c->n_homes;
    }
    return n <= MOST_ENTRIES;
}

// The best of what choices met at good prices have: a small problem, whose
// optimum is a choice and no bound.
static mw_status solve_seen(mw_hunt *hunt, int64_t limit, const mw_seen *seen,
                            mw_answer *answer)
{
    mw_answer found = {.status = MW_SOLVE_UNKNOWN};
    const uint8_t *const *allowed = hunt->tables.allowed;
    mw_budget budget = hunt->budget;
    const uint8_t **both =
        MW_NEW_ARRAY(hunt->tables.arena, hunt->space->n_nodes, const uint8_t *);
    if (!both)
        return MW_ENOMEM;
    for (int32_t i = 0; i < hunt->space->n_nodes; i++) {
        both[i] = seen->state[i];
        if (answer->state)
            seen->state[i][answer->state[i]] = 1;
        for (int32_t s = 0;
             allowed && allowed[i] && s < mw_space_states(hunt->space, i); s++)
            seen->state[i][s] &= allowed[i][s];
    }
    if (budget.deadline.end_s > 0)
        hunt->budget.deadline.end_s -=
            (budget.deadline.end_s - mw_clock_s()) / 2;
    hunt->tables.allowed = both;
    mw_status status = chase(hunt, MW_COST_TIME, limit, answer->state, &found);
    hunt->tables.allowed = allowed;
    hunt->budget = budget;
    if (status == MW_OK && found.state)
        status = mw_hunt_offer(hunt, limit, found.state, answer);
    return status;
}

// What is left of the question once the bound at the prices has ruled out what
// takes more time than the answer so far; solved whole.
static mw_status chase_trimmed(mw_hunt *hunt, int64_t limit,
                               const mw_seen *seen, mw_answer *answer)
{
    mw_answer found = {.status = MW_SOLVE_UNKNOWN, .bound = answer->bound};
    const uint8_t *const *allowed = hunt->tables.allowed;
    const uint8_t **left = NULL;
    bool none = false;
    // The answer itself stays, to begin from.
    if (answer->state && !mw_hunt_over(hunt))
        MW_TRY(mw_hunt_trim(hunt, limit, &seen->prices,
                            answer->figures.time_ps + 1, &left, &none));
    if (left && !none)
        hunt->tables.allowed = left;
    mw_status status = chase(hunt, MW_COST_TIME, limit, answer->state, &found);
    hunt->tables.allowed = allowed;
    if (status != MW_OK)
        return status;
    if (found.bound > answer->bound)
        answer->bound = found.bound;
    answer->status = found.status;
    answer->proof = found.proof;
    if (!found.state)
        return MW_OK;
    mw_hunt_polish(hunt, limit, found.state, hunt->polished);
    MW_TRY(mw_hunt_offer(hunt, limit, hunt->polished, answer));
    return mw_hunt_offer(hunt, limit, found.state, answer);
}

static bool met(const mw_answer *answer)
{
    return answer->state && answer->bound >= answer->figures.time_ps;
}

// As near as is asked for.
static bool near(const mw_hunt *hunt, const mw_answer *answer)
{
    return answer->state &&
           (double)answer->bound >=
               (1 - hunt->budget.enough) * (double)answer->figures.time_ps;
}

// The best choice in which nodes are tied.
static mw_status solve_run(mw_hunt *hunt, int64_t limit, mw_answer *found)
{
    mw_seen seen;
    MW_TRY(mw_hunt_price(hunt, limit, &seen, found));
    if (!met(found))
        return chase_trimmed(hunt, limit, &seen, found);
    found->status = MW_SOLVE_OPTIMAL;
    found->proof = MW_PROOF_EXACT;
    return MW_OK;
}

/* Equal layers tied in runs; each a good start for the next. */
typedef struct tying {
    mw_arena arena;
    mw_layers layers[MW_MOST_LAYERS];
    int n;
    int32_t runs; /* of the next: 1, 2, 4, 8 */
    int32_t *tie;
    const int32_t *start;
} tying;

/* Smaller spaces than these are soon solved with all layers free. */
enum { MOST_RUNS = 8, MANY_NODES = 1000 };

static mw_status open_tying(const mw_hunt *hunt, tying *t)
{
    mw_arena_init(&t->arena, hunt->space->ctx);
    t->tie = MW_NEW_ARRAY(&t->arena, hunt->space->n_nodes + 1, int32_t);
    t->runs = 1;
    return t->tie ? mw_layers_find(hunt->space, &t->arena, t->layers, &t->n)
                  : MW_ENOMEM;
}

// So many runs, as far as a third of the time goes.
static mw_status solve_tied(mw_hunt *hunt, int64_t limit, tying *t,
                            int32_t groups, mw_answer *answer, mw_answer *found)
{
    mw_budget budget = hunt->budget;
    MW_TRY(
        mw_layers_tie(hunt->space, &t->arena, t->layers, t->n, groups, t->tie));
    if (t->start)
        MW_TRY(mw_hunt_offer(hunt, limit, t->start, found));
    if (budget.deadline.end_s > 0)
        hunt->budget.deadline.end_s -=
            (budget.deadline.end_s - mw_clock_s()) * 2 / 3;
    hunt->tie = t->tie;
    mw_status status = solve_run(hunt, limit, found);
    hunt->tie = NULL;
    hunt->budget = budget;
    if (status == MW_OK && found->state)
        status = mw_hunt_offer(hunt, limit, found->state, answer);
    return status;
}

// The next runs; the last ones when they are not proved.
static mw_status solve_runs(mw_hunt *hunt, int64_t limit, tying *t,
                            mw_answer *answer)
{
    mw_answer found = {.status = MW_SOLVE_UNKNOWN};
    int32_t runs = t->runs, count = t->n > 0 ? t->layers[0].count : 0;
    if (runs >= count || runs > MOST_RUNS || mw_hunt_over(hunt))
        return MW_OK;
    MW_TRY(solve_tied(hunt, limit, t, runs, answer, &found));
    t->start = found.state;
    t->runs = found.status == MW_SOLVE_OPTIMAL ? 2 * runs : count;
    if (found.status != MW_SOLVE_OPTIMAL)
        return MW_OK;
    answer->tied_by = (count + runs - 1) / runs;
    answer->tied_ps = found.figures.time_ps;
    return MW_OK;
}

// Ever more runs, then runs that let any number of layers choose alike: how
// many do is what the best choice is about.
static mw_status solve_all_runs(mw_hunt *hunt, int64_t limit, tying *t,
                                mw_answer *answer)
{
    mw_answer found = {.status = MW_SOLVE_UNKNOWN};
    for (int32_t runs = 0;
         runs < t->runs && !near(hunt, answer) && !mw_hunt_over(hunt);) {
        runs = t->runs;
        MW_TRY(solve_runs(hunt, limit, t, answer));
    }
    if (t->n == 0 || near(hunt, answer) || mw_hunt_over(hunt))
        return MW_OK;
    t->start = NULL;
    return solve_tied(hunt, limit, t, MW_LAYERS_DOUBLING, answer, &found);
}

// A bound and a good choice from prices; often they meet.
static mw_status price_and_tie(mw_hunt *hunt, int64_t limit, tying *t,
                               mw_answer *answer)
{
    mw_seen seen;
    // Layers are tied where the whole question is asked, and all of it.
    bool whole = !hunt->tables.allowed && hunt->budget.enough <= 0;
    // In the largest ones a bound comes first: runs might take all the time.
    if (whole && few_entries(hunt))
        MW_TRY(solve_runs(hunt, limit, t, answer));
    MW_TRY(mw_hunt_price(hunt, limit, &seen, answer));
    bool large = hunt->space->n_nodes >= MANY_NODES;
    // What was seen soon makes a good choice; the last word comes later.
    if (large && whole && !near(hunt, answer) && !mw_hunt_over(hunt)) {
        hunt->finest = nearly;
        MW_TRY(solve_seen(hunt, limit, &seen, answer));
        hunt->finest = 0;
    }
    if (large && whole)
        MW_TRY(solve_all_runs(hunt, limit, t, answer));
    if (!near(hunt, answer) && !mw_hunt_over(hunt))
        MW_TRY(solve_seen(hunt, limit, &seen, answer));
    if (!near(hunt, answer) && !mw_hunt_over(hunt) && few_entries(hunt))
        return chase_trimmed(hunt, limit, &seen, answer);
    if (met(answer)) {
        answer->status = MW_SOLVE_OPTIMAL;
        answer->proof = MW_PROOF_EXACT;
    }
    return MW_OK;
}

static mw_status price_first(mw_hunt *hunt, int64_t limit, mw_answer *answer)
{
    tying t = {0};
    mw_status status = open_tying(hunt, &t);
    if (status == MW_OK)
        status = price_and_tie(hunt, limit, &t, answer);
    mw_arena_free(&t.arena);
    return status;
}

mw_status mw_hunt_time(mw_hunt *hunt, int64_t limit, const int32_t *start,
                       mw_answer *answer)
{
    mw_answer found = {.status = MW_SOLVE_UNKNOWN};
    if (limit != MW_NO_LIMIT && mw_hunt_floor(hunt, NULL) > limit) {
        found.status = MW_SOLVE_INFEASIBLE;
        found.proof = MW_PROOF_EXACT;
        *answer = found;
        return MW_OK;
    }
    if (start)
        MW_TRY(mw_hunt_offer(hunt, limit, start, &found));
    bool priced = limit != MW_NO_LIMIT && !hunt->tables.ties &&
                  hunt->n_exclusions == 0 &&
                  hunt->space->n_nodes >= PRICED_NODES;
    if (priced)
        MW_TRY(price_first(hunt, limit, &found));
    if (!priced)
        MW_TRY(chase(hunt, MW_COST_TIME, limit, start, &found));
    if (found.status == MW_SOLVE_UNKNOWN && found.state)
        found.status = MW_SOLVE_FEASIBLE;
    *answer = found;
    return MW_OK;
}

mw_status mw_hunt_fit(mw_hunt *hunt, int64_t limit, mw_answer *answer)
{
    mw_answer found = {.status = MW_SOLVE_UNKNOWN};
    const mw_exclusion *exclusion = hunt->exclusion;
    int32_t n_exclusions = hunt->n_exclusions;
    const uint8_t *const *allowed = hunt->tables.allowed;
    hunt->n_exclusions = 0;
    hunt->tables.allowed = NULL;
    mw_status status = chase(hunt, MW_COST_MEMORY, limit, NULL, &found);
    hunt->exclusion = exclusion;
    hunt->n_exclusions = n_exclusions;
    hunt->tables.allowed = allowed;
    if (status == MW_OK)
        *answer = found;
    return status;
}
