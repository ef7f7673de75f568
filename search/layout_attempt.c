/* layout_attempt.c - one problem of a hunt: made, shrunk, solved, and its
 * choice brought back to the space. */
#include <string.h>

#include "search/layout_hunt.h"
#include "search/problem_tie.h"

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
        .solver = hunt->budget.solver,
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
    mw_problem tied;  /* the same with nodes that choose alike, when some do */
    int32_t *tied_of; /* its node of each; NULL: none do */
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
    // The first of a set speaks for it.
    for (int32_t i = a->problem.n_nodes; a->tied_of && i-- > 0;)
        small[a->tied_of[i]] = made[i];
    for (int32_t i = 0; a->tied_of && i < a->tied.n_nodes; i++)
        made[i] = small[i];
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
    const mw_problem *problem =
        a->shrunk.same ? a->shrunk.whole : &a->shrunk.small;
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
               (size_t)a->shrunk.whole->n_nodes * sizeof *whole);
    else
        mw_shrunk_expand(&a->shrunk, result->choice, whole);
    for (int32_t i = 0; i < hunt->space->n_nodes; i++)
        hunt->scratch[i] = whole[a->tied_of ? a->tied_of[i] : i];
    return MW_OK;
}

// What the space does not have, the pairs, is free.
static mw_status tie_nodes(attempt *a)
{
    mw_arena *arena = &a->problem.arena;
    int32_t n = a->problem.n_nodes, n_space = a->hunt->space->n_nodes;
    int32_t *tie = MW_NEW_ARRAY(arena, n + 1, int32_t);
    a->tied_of = MW_NEW_ARRAY(arena, n + 1, int32_t);
    if (!tie || !a->tied_of)
        return MW_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        tie[i] = i < n_space ? a->hunt->tie[i] : i;
    return mw_problem_tie(&a->problem, tie, &a->tied, a->tied_of);
}

// Solves the problem once it is there.
static mw_status finish_attempt(attempt *a, bool limited, const int32_t *state,
                                mw_solve_result *result)
{
    mw_hunt *hunt = a->hunt;
    bool *kept = NULL;
    MW_TRY(keep_excluded(a, &kept));
    if (hunt->tie)
        MW_TRY(tie_nodes(a));
    MW_TRY(mw_shrink(&a->shrunk, &hunt->alike,
                     a->tied_of ? &a->tied : &a->problem, kept,
                     &hunt->budget.deadline));
    if (!a->shrunk.same && !a->shrunk.infeasible)
        MW_TRY(rename_excluded(a));
    if (state && !a->shrunk.infeasible)
        MW_TRY(start_of(a, state));
    a->options.time_limit_s = seconds_left(hunt, limited);
    return solve_small(a, result);
}

static mw_status attempt_it(attempt *a, mw_space_cost cost, int64_t limit,
                            const int32_t *state, mw_solve_result *result)
{
    mw_hunt *hunt = a->hunt;
    const mw_step_list *list = &hunt->limited[cost];
    a->n_rows = limit == MW_NO_LIMIT ? 0 : list->n;
    a->row = MW_NEW_ARRAY(&a->problem.arena, a->n_rows + 1, mw_problem_row);
    if (!a->row)
        return MW_ENOMEM;
    for (int32_t i = 0; i < a->n_rows; i++)
        a->row[i] = (mw_problem_row){list->step[i], limit};
    MW_TRY(
        mw_space_problem(&hunt->tables, cost, a->row, a->n_rows, &a->problem));
    a->options = solve_options(hunt, cost);
    return finish_attempt(a, limit != MW_NO_LIMIT, state, result);
}

mw_status mw_hunt_solve(mw_hunt *hunt, mw_space_cost cost, int64_t limit,
                        const int32_t *state, mw_solve_result *result)
{
    attempt a = {.hunt = hunt};
    mw_problem_init(&a.problem, hunt->space->ctx);
    mw_problem_init(&a.tied, hunt->space->ctx);
    mw_status status = attempt_it(&a, cost, limit, state, result);
    mw_shrunk_free(&a.shrunk);
    mw_problem_free(&a.tied);
    mw_problem_free(&a.problem);
    return status;
}

static const double priced_gap = 1e-6;

static mw_status attempt_priced(attempt *a, const mw_prices *prices,
                                mw_solve_result *result)
{
    MW_TRY(mw_space_priced(&a->hunt->tables, prices, &a->problem));
    a->options = solve_options(a->hunt, MW_COST_TIME);
    a->options.gap = priced_gap;
    return finish_attempt(a, true, NULL, result);
}

mw_status mw_hunt_solve_priced(mw_hunt *hunt, const mw_prices *prices,
                               mw_solve_result *result)
{
    attempt a = {.hunt = hunt};
    mw_problem_init(&a.problem, hunt->space->ctx);
    mw_problem_init(&a.tied, hunt->space->ctx);
    mw_status status = attempt_priced(&a, prices, result);
    mw_shrunk_free(&a.shrunk);
    mw_problem_free(&a.tied);
    mw_problem_free(&a.problem);
    return status;
}
