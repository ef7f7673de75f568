/* solver.c - running a solver and judging its answer; exclusions become nodes:
 * a chain of four-state nodes that passes on whether some strategy differs
 * already, so that every reduction, bound and solver takes them as it takes
 * anything else. */
#include "search/solver.h"

#include <string.h>

#include "search/clock.h"

const mw_solver_def *mw_solver_find(const char *name)
{
    for (int i = 0; i < mw_solver_count; i++) {
        if (strcmp(mw_solver_table[i]->name, name) == 0)
            return mw_solver_table[i];
    }
    return NULL;
}

const char *mw_solve_status_text(mw_solve_status status)
{
    static const char *const text[] = {"unknown", "feasible", "optimal",
                                       "infeasible"};
    return text[status];
}

const char *mw_solve_proof_text(mw_solve_proof proof)
{
    static const char *const text[] = {"none", "exact", "tolerance"};
    return text[proof];
}

double mw_solve_gap(const mw_solve_result *result)
{
    if (result->status == MW_SOLVE_OPTIMAL)
        return 0;
    mw_int128 cost = result->objective > 1 ? result->objective : 1;
    return (double)(result->objective - result->bound) / (double)cost;
}

// A problem with the same content whose vectors can grow.
static mw_status copy_problem(const mw_problem *from, mw_problem *to)
{
    mw_arena *arena = &to->arena;
    mw_arena kept = *arena;
    *to = *from;
    *arena = kept;
    to->cap_nodes = from->n_nodes;
    to->cap_edges = from->n_edges;
    to->node = MW_NEW_ARRAY(arena, from->n_nodes, mw_problem_node);
    to->edge = MW_NEW_ARRAY(arena, from->n_edges, mw_problem_edge);
    if (!to->node || !to->edge)
        return MW_ENOMEM;
    for (int32_t i = 0; i < from->n_nodes; i++)
        to->node[i] = from->node[i];
    for (int32_t i = 0; i < from->n_edges; i++)
        to->edge[i] = from->edge[i];
    return MW_OK;
}

static mw_status check_exclusion(mw_ctx *ctx, const mw_problem *problem,
                                 const mw_exclusion *exclusion, int32_t index)
{
    for (int32_t i = 0; i < exclusion->n; i++) {
        int32_t node = exclusion->node[i], s = exclusion->strategy[i];
        if (node < 0 || node >= problem->n_nodes)
            return mw_fail(ctx, MW_EINPUT,
                           "exclusion %d names node %d of %d nodes", index,
                           node, problem->n_nodes);
        if (s < 0 || s >= problem->node[node].n_strategies)
            return mw_fail(ctx, MW_EINPUT,
                           "exclusion %d names strategy %d of the %d of node "
                           "%d",
                           index, s, problem->node[node].n_strategies, node);
    }
    return MW_OK;
}

// A state of a link is 2 * before + differs: whether a strategy of an earlier
// link differs, and whether that of this link's node does.
enum { LINK_STATES = 4 };

// The matrix between a link and its node: `differs` tells the truth.
static int64_t *link_truth(mw_arena *arena, int32_t n_strategies,
                           int32_t excluded)
{
    int64_t *matrix =
        MW_NEW_ARRAY(arena, (int64_t)LINK_STATES * n_strategies, int64_t);
    for (int32_t z = 0; matrix && z < LINK_STATES; z++) {
        for (int32_t s = 0; s < n_strategies; s++) {
            bool truth = ((z & 1) != 0) == (s != excluded);
            matrix[z * n_strategies + s] = truth ? 0 : MW_INFINITE;
        }
    }
    return matrix;
}

static const int64_t link_step[LINK_STATES * LINK_STATES] = {
    0,           0,           MW_INFINITE, MW_INFINITE,
    MW_INFINITE, MW_INFINITE, 0,           0,
    MW_INFINITE, MW_INFINITE, 0,           0,
    MW_INFINITE, MW_INFINITE, 0,           0,
};
static const int64_t link_cost[LINK_STATES] = {0, 0, 0, 0};
static const int64_t link_first[LINK_STATES] = {0, 0, MW_INFINITE, MW_INFINITE};
static const int64_t link_last[LINK_STATES] = {MW_INFINITE, 0, 0, 0};
static const int64_t link_only[LINK_STATES] = {MW_INFINITE, 0, MW_INFINITE,
                                               MW_INFINITE};
static const int64_t nothing_left[1] = {MW_INFINITE};

static const int64_t *cost_of_link(int32_t i, int32_t n)
{
    if (n == 1)
        return link_only;
    if (i == 0)
        return link_first;
    return i == n - 1 ? link_last : link_cost;
}

static mw_status exclude(mw_problem *problem, const mw_exclusion *exclusion)
{
    if (exclusion->n == 0)
        return mw_problem_add_node(problem, 1, nothing_left);
    for (int32_t i = 0; i < exclusion->n; i++) {
        int32_t node = exclusion->node[i], link = problem->n_nodes;
        const int64_t *truth =
            link_truth(&problem->arena, problem->node[node].n_strategies,
                       exclusion->strategy[i]);
        if (!truth)
            return MW_ENOMEM;
        MW_TRY(mw_problem_add_node(problem, LINK_STATES,
                                   cost_of_link(i, exclusion->n)));
        MW_TRY(mw_problem_add_edge(problem, link, node, truth, false));
        if (i > 0)
            MW_TRY(
                mw_problem_add_edge(problem, link - 1, link, link_step, false));
    }
    return MW_OK;
}

static bool excluded(const mw_exclusion *exclusion, const int32_t *choice)
{
    for (int32_t i = 0; i < exclusion->n; i++) {
        if (choice[exclusion->node[i]] != exclusion->strategy[i])
            return false;
    }
    return true;
}

// The start with the states of the links behind it.
static int32_t *start_with_links(mw_arena *arena, const mw_problem *problem,
                                 const mw_solve_options *options)
{
    int64_t n = problem->n_nodes;
    for (int32_t i = 0; i < options->n_exclusions; i++)
        n += options->exclusion[i].n ? options->exclusion[i].n : 1;
    int32_t *start = MW_NEW_ARRAY(arena, n, int32_t);
    if (!start)
        return NULL;
    int64_t next = 0;
    for (; next < problem->n_nodes; next++)
        start[next] = options->start[next];
    for (int32_t i = 0; i < options->n_exclusions; i++) {
        const mw_exclusion *exclusion = &options->exclusion[i];
        int32_t before = 0;
        for (int32_t k = 0; k < exclusion->n; k++) {
            int32_t differs =
                start[exclusion->node[k]] != exclusion->strategy[k];
            start[next++] = 2 * before + differs;
            before |= differs;
        }
        if (exclusion->n == 0)
            start[next++] = 0;
    }
    return start;
}

static mw_status check_start(mw_ctx *ctx, const mw_problem *problem,
                             const int32_t *start)
{
    for (int32_t i = 0; start && i < problem->n_nodes; i++) {
        if (start[i] < 0 || start[i] >= problem->node[i].n_strategies)
            return mw_fail(ctx, MW_EINPUT,
                           "the start names strategy %d of the %d of node %d",
                           start[i], problem->node[i].n_strategies, i);
    }
    return MW_OK;
}

static mw_status run_excluding(mw_ctx *ctx, const mw_solver_def *solver,
                               const mw_problem *problem,
                               const mw_solve_options *options, mw_arena *arena,
                               mw_solve_result *result)
{
    if (options->n_exclusions == 0)
        return solver->run(ctx, problem, options, arena, result);
    mw_problem with_links;
    mw_problem_init(&with_links, ctx);
    mw_solve_options inner = *options;
    mw_status status = copy_problem(problem, &with_links);
    if (status == MW_OK && options->start) {
        inner.start = start_with_links(arena, problem, options);
        status = inner.start ? MW_OK : MW_ENOMEM;
    }
    for (int32_t i = 0; status == MW_OK && i < options->n_exclusions; i++) {
        status = check_exclusion(ctx, problem, &options->exclusion[i], i);
        if (status == MW_OK)
            status = exclude(&with_links, &options->exclusion[i]);
    }
    inner.n_exclusions = 0;
    if (status == MW_OK)
        status = solver->run(ctx, &with_links, &inner, arena, result);
    mw_problem_free(&with_links);
    return status;
}

// Believes no solver: what it claims is worked out again from the problem.
static mw_status judge(mw_ctx *ctx, const mw_solver_def *solver,
                       const mw_problem *problem,
                       const mw_solve_options *options, mw_solve_result *result)
{
    if (result->status != MW_SOLVE_OPTIMAL &&
        result->status != MW_SOLVE_FEASIBLE)
        return MW_OK;
    mw_evaluation found;
    char excess[48], bound[48];
    MW_TRY(mw_problem_evaluate(problem, ctx, result->choice, &found));
    if (found.forbidden || found.excess > 0)
        return mw_fail(ctx, MW_EBUG,
                       "solver %s: its choice is %s, %s over the limit at time "
                       "%lld",
                       solver->name, found.forbidden ? "forbidden" : "allowed",
                       mw_int128_text(found.excess, excess),
                       (long long)found.time);
    for (int32_t i = 0; i < options->n_exclusions; i++) {
        if (excluded(&options->exclusion[i], result->choice))
            return mw_fail(ctx, MW_EBUG,
                           "solver %s: its choice is excluded by exclusion %d",
                           solver->name, i);
    }
    result->objective = found.cost;
    if (result->status == MW_SOLVE_OPTIMAL && !result->bounded) {
        result->bound = found.cost;
        result->bounded = true;
    }
    if (result->bounded && result->bound > found.cost)
        return mw_fail(ctx, MW_EBUG,
                       "solver %s: its bound %s is above its cost %s",
                       solver->name, mw_int128_text(result->bound, bound),
                       mw_int128_text(found.cost, excess));
    if (result->bounded && result->bound == found.cost &&
        result->status == MW_SOLVE_FEASIBLE)
        result->status = MW_SOLVE_OPTIMAL;
    return MW_OK;
}

mw_status mw_solve(mw_ctx *ctx, const mw_problem *problem,
                   const mw_solve_options *options, mw_arena *arena,
                   mw_solve_result *result)
{
    double begin_s = mw_clock_s();
    const char *name = options->solver ? options->solver : "staged";
    const mw_solver_def *solver = mw_solver_find(name);
    if (!solver)
        return mw_fail(ctx, MW_EINPUT,
                       "there is no solver '%s'; see 'meshwright ops'", name);
    MW_TRY(check_start(ctx, problem, options->start));
    mw_solve_result found = {.n_nodes_left = problem->n_nodes,
                             .n_rows_left = problem->n_rows};
    MW_TRY(run_excluding(ctx, solver, problem, options, arena, &found));
    MW_TRY(judge(ctx, solver, problem, options, &found));
    found.time_s = mw_clock_s() - begin_s;
    *result = found;
    return MW_OK;
}
