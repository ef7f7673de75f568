/* net_export.c - a net's rest as a problem. */
#include "search/net_export.h"

#include <string.h>

// Costs with the problem's idea of forbidden.
static int64_t *exported(mw_problem *problem, const int64_t *cost, int64_t n)
{
    int64_t *copy = MW_NEW_ARRAY(&problem->arena, n, int64_t);
    for (int64_t i = 0; copy && i < n; i++)
        copy[i] = mw_net_forbidden(cost[i]) ? MW_INFINITE : cost[i];
    return copy;
}

static mw_status export_nodes(const mw_net *net, mw_problem *problem,
                              int32_t *node_of, int32_t *number)
{
    for (int32_t i = 0; i < net->n_nodes; i++) {
        const mw_net_node *v = &net->node[i];
        if (v->n == 0)
            continue;
        number[i] = problem->n_nodes;
        node_of[problem->n_nodes] = i;
        int64_t *cost = exported(problem, v->cost, v->n);
        if (!cost)
            return MW_ENOMEM;
        MW_TRY(mw_problem_add_node(problem, v->n, cost));
        for (int32_t k = 0; k < v->n_terms; k++)
            MW_TRY(mw_problem_add_term(problem, number[i], v->term[k].begin,
                                       v->term[k].end, v->term[k].usage));
    }
    return MW_OK;
}

static mw_status export_all(const mw_net *net, mw_problem *problem,
                            int32_t *node_of, int32_t *number)
{
    MW_TRY(export_nodes(net, problem, node_of, number));
    for (int32_t i = 0; i < net->n_edges; i++) {
        const mw_net_edge *e = &net->edge[i];
        if (e->end[0] < 0)
            continue;
        int64_t *matrix =
            exported(problem, e->matrix,
                     (int64_t)net->node[e->end[0]].n * net->node[e->end[1]].n);
        if (!matrix)
            return MW_ENOMEM;
        MW_TRY(mw_problem_add_edge(problem, number[e->end[0]],
                                   number[e->end[1]], matrix, false));
    }
    for (int32_t r = 0; r < net->n_rows; r++)
        MW_TRY(mw_problem_add_row(problem, r, net->slack[r]));
    return MW_OK;
}

mw_status mw_net_export(const mw_net *net, mw_problem *problem,
                        int32_t *node_of)
{
    mw_arena arena;
    mw_arena_init(&arena, net->ctx);
    int32_t *number = MW_NEW_ARRAY(&arena, net->n_nodes, int32_t);
    mw_status status = number ? MW_OK : MW_ENOMEM;
    if (status == MW_OK)
        status = export_all(net, problem, node_of, number);
    mw_arena_free(&arena);
    return status;
}
