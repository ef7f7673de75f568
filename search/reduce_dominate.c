/* reduce_dominate.c - deletes a strategy where another costs no more whatever
 * the neighbours choose, and takes no more memory anywhere.
 *
 * On settled edges every line has a zero, so that the most an edge can add for
 * the other strategy is never negative: costs alone rule out most pairs. */
#include "base/mem.h"
#include "search/reduce.h"

// The most by which strategy j can cost more than i on an edge; what i cannot
// choose does not count.
static int64_t worst_difference(const mw_net *net, int32_t edge, int32_t node,
                                int32_t j, int32_t i, int64_t allowed)
{
    mw_net_line of_j = mw_net_line_of(net, edge, node, j);
    mw_net_line of_i = mw_net_line_of(net, edge, node, i);
    int64_t worst = INT64_MIN;
    for (int32_t t = 0; t < of_j.n && worst <= allowed; t++) {
        int64_t cost_i = of_i.first[t * of_i.step];
        int64_t difference = of_j.first[t * of_j.step] - cost_i;
        if (!mw_net_forbidden(cost_i) && difference > worst)
            worst = difference;
    }
    return worst;
}

static bool dominates(const mw_net *net, int32_t node, int32_t j, int32_t i)
{
    const mw_net_node *v = &net->node[node];
    int64_t allowed = v->cost[i] - v->cost[j];
    if (allowed < 0)
        return false;
    for (int32_t k = 0; k < v->n_terms; k++) {
        if (v->term[k].usage[j] > v->term[k].usage[i])
            return false;
    }
    for (int32_t k = 0; k < v->n_edges; k++) {
        int64_t worst = worst_difference(net, v->edge[k], node, j, i, allowed);
        if (worst > allowed)
            return false;
        if (worst > INT64_MIN)
            allowed -= worst;
    }
    return true;
}

mw_status mw_reduce_dominate(mw_net *net, int32_t node, bool *changed)
{
    const mw_net_node *v = &net->node[node];
    if (v->n < 2)
        return MW_OK;
    bool *keep = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *keep);
    if (!keep)
        return MW_ENOMEM;
    for (int32_t i = 0; i < v->n; i++)
        keep[i] = true;
    int32_t *heir = net->heir + net->first_strategy[node];
    for (int32_t i = v->n; i-- > 0;) {
        for (int32_t j = 0; j < v->n && keep[i]; j++) {
            if (i == j || !keep[j] || !dominates(net, node, j, i))
                continue;
            keep[i] = false;
            heir[v->strategy[i]] = v->strategy[j];
            *changed = true;
        }
    }
    mw_status status = mw_net_keep(net, node, keep);
    mw_mem_free(keep);
    return status;
}
