/* run_finish.c - proving what is left, when it is small. */
#include "search/net_export.h"
#include "search/staged.h"

enum { SMALL_NODES = 150, SMALL_ENTRIES = 60000 };

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
    MW_TRY(mw_incumbent_offer(&run->incumbent, &run->net, current, NULL));
    if (*done) {
        run->proof = rest->proof;
        mw_run_raise(run, mw_net_cost(&run->net, current));
    }
    return MW_OK;
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

mw_status mw_run_finish(mw_run *run, bool *done)
{
    *done = false;
    if (run->net.n_nodes_left == 0 || !small(&run->net))
        return MW_OK;
    mw_run_report(run, "finish");
    mw_problem rest;
    mw_problem_init(&rest, run->ctx);
    mw_status status = solve_rest(run, &rest, done);
    mw_problem_free(&rest);
    return status;
}
