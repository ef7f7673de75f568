/* reduce_dominate.c - deletes a strategy where another costs no more whatever
 * the neighbours choose, and takes no more memory anywhere.
 *
 * On settled edges every line has a zero, so that the most an edge can add for
 * the other strategy is never negative: costs alone rule out most pairs. */
#include <stdlib.h>

#include "base/mem.h"
#include "search/reduce.h"

/* Nodes with more strategies are not looked at pair by pair; comparisons that
 * are made for one of them. */
enum { MANY = 1000, EFFORT = 20000000 };

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

typedef struct candidate {
    int64_t cost;
    mw_int128 usage; /* of all terms */
    int32_t strategy;
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->usage != y->usage)
        return x->usage < y->usage ? -1 : 1;
    return x->strategy < y->strategy ? -1 : x->strategy > y->strategy;
}

// Strategy i goes; j is never worse.
static void succeed(mw_net *net, int32_t node, int32_t i, int32_t j, bool *keep)
{
    const int32_t *strategy = net->node[node].strategy;
    int32_t *heir = net->heir + net->first_strategy[node];
    keep[i] = false;
    heir[strategy[i]] = strategy[j];
}

// All pairs.
static bool compare_all(mw_net *net, int32_t node, bool *keep)
{
    int32_t n = net->node[node].n;
    bool any = false;
    for (int32_t i = n; i-- > 0;) {
        for (int32_t j = 0; j < n && keep[i]; j++) {
            if (i == j || !keep[j] || !dominates(net, node, j, i))
                continue;
            succeed(net, node, i, j, keep);
            any = true;
        }
    }
    return any;
}

// Each with the cheaper ones that are kept, the cheapest first: those succeed
// most, so that few are kept; up to a fixed effort.
static mw_status compare_with_cheaper(mw_net *net, int32_t node, bool *keep,
                                      bool *any)
{
    const mw_net_node *v = &net->node[node];
    candidate *order = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *order);
    if (!order)
        return MW_ENOMEM;
    for (int32_t s = 0; s < v->n; s++) {
        order[s] = (candidate){v->cost[s], 0, s};
        for (int32_t k = 0; k < v->n_terms; k++)
            order[s].usage += v->term[k].usage[s];
    }
    qsort(order, (size_t)v->n, sizeof *order, compare_candidates);
    int64_t effort = EFFORT;
    int32_t n_kept = 0;
    for (int32_t i = 0; i < v->n && effort > 0; i++) {
        int32_t s = order[i].strategy, k = 0;
        while (k < n_kept && !dominates(net, node, order[k].strategy, s))
            k++;
        effort -= k + 1;
        if (k == n_kept) {
            order[n_kept++] = order[i];
            continue;
        }
        succeed(net, node, s, order[k].strategy, keep);
        *any = true;
    }
    mw_mem_free(order);
    return MW_OK;
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
    bool any = false;
    mw_status status = MW_OK;
    if (v->n > MANY)
        status = compare_with_cheaper(net, node, keep, &any);
    else
        any = compare_all(net, node, keep);
    if (status == MW_OK && any) {
        *changed = true;
        status = mw_net_keep(net, node, keep);
    }
    mw_mem_free(keep);
    return status;
}
