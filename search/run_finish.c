/* run_finish.c - proving what is left, when it is small. */
#include "base/mem.h"
#include "search/frontier.h"
#include "search/net_export.h"
#include "search/staged.h"

/* What GLPK is given; what the own search is, and its labels a layer. */
enum { SMALL_NODES = 150, SMALL_ENTRIES = 60000 };
enum { FRONTIER_NODES = 4000, FRONTIER_LABELS = 50000 };

/* How often a rest is branched: branching closes what coarse memory leaves open
 * where integer programs do not, but on a large rest a branch takes long. */
enum { SMALL_BRANCHES = 2000, BRANCH_NODES = 700, FEW_BRANCHES = 40 };

/* Before the last proof. */
static const mw_ascent last_ascent = {
    .rounds = 200, .first = 0.02, .last = 0.001};

static bool small(const mw_net *net)
{
    int64_t entries = 0;
    for (int32_t i = 0; i < net->n_edges; i++) {
        const int32_t *end = net->edge[i].end;
        if (end[0] >= 0)
            entries += (int64_t)net->node[end[0]].n * net->node[end[1]].n;
    }
    return net->n_nodes_left <= SMALL_NODES && entries <= SMALL_ENTRIES;
}

// Takes the answer of a solver of the rest.
static mw_status take(mw_run *run, const int32_t *node_of,
                      const mw_solve_result *rest, bool *done)
{
    *done = rest->status == MW_SOLVE_OPTIMAL;
    if (rest->status == MW_SOLVE_INFEASIBLE) {
        run->net.infeasible = true;
        run->proof = rest->proof;
        *done = true;
    }
    if (!rest->choice)
        return MW_OK;
    int32_t *current = MW_NEW_ARRAY(run->arena, run->net.n_nodes, int32_t);
    if (!current)
        return MW_ENOMEM;
    for (int32_t i = 0; i < run->net.n_nodes_left; i++)
        current[node_of[i]] = rest->choice[i];
    return mw_incumbent_offer(&run->incumbent, &run->net, current, NULL);
}

static mw_status solve_rest(mw_run *run, mw_problem *rest, bool *done)
{
    mw_solve_result result = {0};
    mw_solve_options options = {.solver = "glpk"};
    int32_t *node_of = MW_NEW_ARRAY(run->arena, run->net.n_nodes_left, int32_t);
    if (!node_of)
        return MW_ENOMEM;
    if (run->deadline.end_s > 0)
        options.time_limit_s = run->deadline.end_s - mw_clock_s();
    MW_TRY(mw_net_export(&run->net, rest, node_of));
    MW_TRY(mw_solve(run->ctx, rest, &options, run->arena, &result));
    return take(run, node_of, &result, done);
}

mw_status mw_run_search_frontier(mw_run *run, int64_t max_labels, bool *done)
{
    mw_frontier_end end;
    int32_t *current =
        mw_mem_alloc(run->ctx, (size_t)run->net.n_nodes, sizeof *current);
    if (!current)
        return MW_ENOMEM;
    mw_status status = mw_frontier_search(
        &run->net, &run->incumbent, &run->deadline, max_labels, current, &end);
    *done = status == MW_OK && end != MW_FRONTIER_GAVE_UP;
    mw_int128 least = mw_incumbent_upper(&run->incumbent, &run->net);
    if (*done && end == MW_FRONTIER_BETTER) {
        // Where costs are rounded down the choice may cost more than this.
        least = mw_net_cost(&run->net, current);
        status = mw_incumbent_offer(&run->incumbent, &run->net, current, NULL);
    }
    if (*done && status == MW_OK && run->incumbent.found)
        mw_run_raise(run, least);
    else if (*done && status == MW_OK)
        run->net.infeasible = true;
    mw_mem_free(current);
    return status;
}

static mw_status finish_by_solver(mw_run *run, bool *done)
{
    mw_problem rest;
    mw_problem_init(&rest, run->ctx);
    mw_status status = solve_rest(run, &rest, done);
    mw_problem_free(&rest);
    return status;
}

// With the solver's optimum as incumbent the own search has far less to look
// at: a proof in integers in place of one within a tolerance.
static mw_status prove_again(mw_run *run)
{
    bool done = false;
    MW_TRY(mw_run_tighten(run, &last_ascent, 4));
    if (mw_run_proved(run))
        return MW_OK;
    MW_TRY(mw_run_search_frontier(run, FRONTIER_LABELS, &done));
    if (!done)
        MW_TRY(mw_run_branch(run, &done));
    if (done)
        return MW_OK;
    run->proof = MW_PROOF_TOLERANCE;
    mw_run_raise(run, mw_net_scaled(&run->net, run->incumbent.cost));
    return MW_OK;
}

// Some branches, in case they close: something else is tried if not.
static mw_status branch_some(mw_run *run, bool *done)
{
    int64_t budget = small(&run->net) ? SMALL_BRANCHES : FEW_BRANCHES;
    if (run->net.n_nodes_left > BRANCH_NODES)
        return MW_OK;
    run->branches = &budget;
    mw_status status = mw_run_branch(run, done);
    run->branches = NULL;
    return status;
}

mw_status mw_run_finish(mw_run *run, bool *done)
{
    *done = false;
    if (run->net.n_nodes_left == 0 || run->net.n_nodes_left > FRONTIER_NODES)
        return MW_OK;
    mw_run_report(run, "finish");
    MW_TRY(mw_run_search_frontier(run, FRONTIER_LABELS, done));
    if (*done || mw_run_over(run) || run->net.scale < 0)
        return MW_OK;
    MW_TRY(branch_some(run, done));
    if (*done || mw_run_over(run) || !small(&run->net))
        return MW_OK;
    MW_TRY(finish_by_solver(run, done));
    return *done && !run->net.infeasible ? prove_again(run) : MW_OK;
}
