/* layout_solve.c - solving with lazily limited steps. */
#include "search/layout_solve.h"

#include <string.h>

#include "search/layout_hunt.h"

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

static const double left_whole_s = 0.5;

// What this problem finds may still overrun steps that it lacks: it gets half
// of the time that is left. 0: no limit.
static double seconds_left(const mw_hunt *hunt, bool limited)
{
    if (hunt->budget.deadline.end_s <= 0)
        return 0;
    double left = hunt->budget.deadline.end_s - mw_clock_s();
    if (limited && left > left_whole_s)
        left /= 2;
    return left > 1e-3 ? left : 1e-3;
}

static mw_solve_options solve_options(const mw_hunt *hunt, mw_space_cost cost)
{
    mw_solve_options options = {
        .iterations = hunt->budget.iterations,
        .seed = hunt->budget.seed,
        .gap = hunt->gap,
    };
    if (cost == MW_COST_TIME) {
        options.exclusion = hunt->exclusion;
        options.n_exclusions = hunt->n_exclusions;
    }
    return options;
}

/* One problem of a hunt, and the small one that is solved. */
typedef struct attempt {
    mw_hunt *hunt;
    mw_problem problem;
    mw_shrunk shrunk;
    mw_solve_options options;
    mw_problem_row *row;
    int32_t n_rows;
} attempt;

static mw_status start_of(attempt *a, const int32_t *state)
{
    const mw_hunt *hunt = a->hunt;
    mw_arena *arena = &a->problem.arena;
    int32_t *made = MW_NEW_ARRAY(arena, a->problem.n_nodes + 1, int32_t);
    int32_t *small = MW_NEW_ARRAY(arena, a->problem.n_nodes + 1, int32_t);
    if (!made || !small)
        return MW_ENOMEM;
    for (int32_t i = 0; i < hunt->space->n_nodes; i++)
        made[i] = state[i];
    mw_space_complete(&hunt->tables, a->row, a->n_rows, made);
    if (a->shrunk.same)
        a->options.start = made;
    else if (mw_shrunk_restrict(&a->shrunk, made, small))
        a->options.start = small;
    return MW_OK;
}

// Nodes of exclusions stay as they are, under their new numbers.
static mw_status keep_excluded(attempt *a, bool **kept)
{
    const mw_solve_options *options = &a->options;
    if (options->n_exclusions == 0)
        return MW_OK;
    *kept = MW_NEW_ARRAY(&a->problem.arena, a->problem.n_nodes, bool);
    if (!*kept)
        return MW_ENOMEM;
    for (int32_t i = 0; i < options->n_exclusions; i++) {
        for (int32_t k = 0; k < options->exclusion[i].n; k++)
            (*kept)[options->exclusion[i].node[k]] = true;
    }
    return MW_OK;
}

static mw_status rename_excluded(attempt *a)
{
    mw_arena *arena = &a->problem.arena;
    int32_t n = a->options.n_exclusions;
    mw_exclusion *made = MW_NEW_ARRAY(arena, n, mw_exclusion);
    if (!made)
        return MW_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        made[i] = a->options.exclusion[i];
        int32_t *node = MW_NEW_ARRAY(arena, made[i].n, int32_t);
        if (!node)
            return MW_ENOMEM;
        for (int32_t k = 0; k < made[i].n; k++)
            node[k] = a->shrunk.small_of[made[i].node[k]];
        made[i].node = node;
    }
    a->options.exclusion = made;
    return MW_OK;
}

// The small problem's choice becomes one of the whole, in scratch.
static mw_status solve_small(attempt *a, mw_solve_result *result)
{
    mw_hunt *hunt = a->hunt;
    const mw_problem *problem = a->shrunk.same ? &a->problem : &a->shrunk.small;
    if (a->shrunk.infeasible) {
        *result = (mw_solve_result){.status = MW_SOLVE_INFEASIBLE,
                                    .proof = MW_PROOF_EXACT};
        return MW_OK;
    }
    MW_TRY(mw_solve(hunt->space->ctx, problem, &a->options, &a->problem.arena,
                    result));
    if (!result->choice)
        return MW_OK;
    int32_t *whole =
        MW_NEW_ARRAY(&a->problem.arena, a->problem.n_nodes, int32_t);
    if (!whole)
        return MW_ENOMEM;
    if (a->shrunk.same)
        memcpy(whole, result->choice,
               (size_t)a->problem.n_nodes * sizeof *whole);
    else
        mw_shrunk_expand(&a->shrunk, result->choice, whole);
    memcpy(hunt->scratch, whole,
           (size_t)hunt->space->n_nodes * sizeof *hunt->scratch);
    return MW_OK;
}

static mw_status attempt_it(attempt *a, mw_space_cost cost, int64_t limit,
                            const int32_t *state, mw_solve_result *result)
{
    mw_hunt *hunt = a->hunt;
    const mw_step_list *list = &hunt->limited[cost];
    bool *kept = NULL;
    a->n_rows = limit == MW_NO_LIMIT ? 0 : list->n;
    a->row = MW_NEW_ARRAY(&a->problem.arena, a->n_rows + 1, mw_problem_row);
    if (!a->row)
        return MW_ENOMEM;
    for (int32_t i = 0; i < a->n_rows; i++)
        a->row[i] = (mw_problem_row){list->step[i], limit};
    MW_TRY(
        mw_space_problem(&hunt->tables, cost, a->row, a->n_rows, &a->problem));
    a->options = solve_options(hunt, cost);
    MW_TRY(keep_excluded(a, &kept));
    MW_TRY(mw_shrink(&a->shrunk, &hunt->alike, &a->problem, kept,
                     &hunt->budget.deadline));
    if (!a->shrunk.same && !a->shrunk.infeasible)
        MW_TRY(rename_excluded(a));
    if (state && !a->shrunk.infeasible)
        MW_TRY(start_of(a, state));
    a->options.time_limit_s = seconds_left(hunt, limit != MW_NO_LIMIT);
    return solve_small(a, result);
}

// One problem with the steps limited so far; its choice goes to scratch.
static mw_status solve_once(mw_hunt *hunt, mw_space_cost cost, int64_t limit,
                            const int32_t *state, mw_solve_result *result)
{
    attempt a = {.hunt = hunt};
    mw_problem_init(&a.problem, hunt->space->ctx);
    mw_status status = attempt_it(&a, cost, limit, state, result);
    mw_shrunk_free(&a.shrunk);
    mw_problem_free(&a.problem);
    return status;
}

// A step over the limit that no neighbour exceeds.
static bool is_summit(const mw_hunt *hunt, int64_t limit, mw_id k)
{
    int n_steps = hunt->space->n_steps;
    const int64_t *live = hunt->live;
    return live[k] > limit && (k == 0 || live[k] >= live[k - 1]) &&
           (k == n_steps - 1 || live[k] > live[k + 1]);
}

enum { STEPS_A_ROUND = 16 };

// Limits the highest summits that are not limited yet, at most a round's.
// Returns how many.
static int32_t limit_summits(mw_hunt *hunt, mw_step_list *list, int64_t limit)
{
    int32_t added = 0;
    while (added < STEPS_A_ROUND) {
        mw_id best = MW_NONE;
        for (mw_id k = 0; k < hunt->space->n_steps; k++) {
            if (!list->has[k] && is_summit(hunt, limit, k) &&
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

// Takes a choice that fits and is better than the answer so far.
static mw_status offer(mw_hunt *hunt, int64_t limit, const int32_t *state,
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
        MW_TRY(offer(hunt, limit, hunt->polished, answer));
    MW_TRY(offer(hunt, limit, hunt->scratch, answer));
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
        MW_TRY(solve_once(hunt, cost, limit,
                          answer->state ? answer->state : start, &result));
        MW_TRY(take_round(hunt, limit, cost, &result, answer, &done));
        if (done && hunt->gap > 0 && answer->status == MW_SOLVE_UNKNOWN) {
            done = false;
            hunt->gap = finer(hunt->gap);
        }
        done = done || mw_hunt_over(hunt);
    }
    if (answer->status == MW_SOLVE_UNKNOWN && answer->state)
        answer->status = MW_SOLVE_FEASIBLE;
    return MW_OK;
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
        MW_TRY(offer(hunt, limit, start, &found));
    MW_TRY(chase(hunt, MW_COST_TIME, limit, start, &found));
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
