/* reduce_follow.c - nodes whose strategy follows from a neighbour's are merged
 * into it, with their edges and memory. */
#include <string.h>

#include "base/mem.h"
#include "search/reduce.h"

// For each strategy of the leader the only one the follower may take; false
// when there are several, or none.
static bool follows(const mw_net *net, int32_t edge, int32_t leader,
                    int32_t *map)
{
    for (int32_t s = 0; s < net->node[leader].n; s++) {
        mw_net_line line = mw_net_line_of(net, edge, leader, s);
        int32_t found = -1;
        for (int32_t t = 0; t < line.n; t++) {
            if (mw_net_forbidden(line.first[t * line.step]))
                continue;
            if (found >= 0)
                return false;
            found = t;
        }
        if (found < 0)
            return false;
        map[s] = found;
    }
    return true;
}

static mw_status move_edges(mw_net *net, int32_t node, int32_t leader,
                            const int32_t *map)
{
    const mw_net_node *v = &net->node[node], *w = &net->node[leader];
    for (int32_t i = 0; i < v->n_edges; i++) {
        int32_t other = mw_net_other(net, v->edge[i], node);
        if (other == leader)
            continue;
        int64_t n_other = net->node[other].n;
        int64_t *matrix = mw_mem_alloc(net->ctx, (size_t)w->n * (size_t)n_other,
                                       sizeof *matrix);
        if (!matrix)
            return MW_ENOMEM;
        for (int32_t s = 0; s < w->n; s++) {
            mw_net_line line = mw_net_line_of(net, v->edge[i], node, map[s]);
            for (int64_t t = 0; t < n_other; t++)
                matrix[s * n_other + t] = line.first[t * line.step];
        }
        MW_TRY(mw_net_join(net, leader, other, matrix));
    }
    return MW_OK;
}

static mw_status move_terms(mw_net *net, int32_t node, int32_t leader,
                            const int32_t *map)
{
    const mw_net_node *v = &net->node[node];
    int32_t n = net->node[leader].n;
    for (int32_t i = 0; i < v->n_terms; i++) {
        const mw_net_term *term = &v->term[i];
        int64_t *usage = mw_mem_alloc(net->ctx, (size_t)n, sizeof *usage);
        if (!usage)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++)
            usage[s] = term->usage[map[s]];
        MW_TRY(mw_net_load(net, leader, term->begin, term->end, usage));
    }
    return MW_OK;
}

// Merges the node into its leader; map is the leader's strategy to the node's.
static mw_status merge(mw_net *net, int32_t node, int32_t edge, int32_t leader,
                       const int32_t *map)
{
    mw_net_node *v = &net->node[node], *w = &net->node[leader];
    int32_t *best = mw_mem_alloc(net->ctx, (size_t)w->n, sizeof *best);
    if (!best)
        return MW_ENOMEM;
    memcpy(best, map, (size_t)w->n * sizeof *best);
    MW_TRY(mw_net_note(net, node, 1, (int32_t[2]){leader, leader}, best));
    for (int32_t s = 0; s < w->n; s++) {
        mw_net_line line = mw_net_line_of(net, edge, leader, s);
        int64_t both =
            mw_net_add(v->cost[map[s]], line.first[map[s] * line.step]);
        w->cost[s] = mw_net_add(w->cost[s], both);
    }
    MW_TRY(move_edges(net, node, leader, map));
    MW_TRY(move_terms(net, node, leader, map));
    mw_net_touch(net, leader);
    mw_net_drop_node(net, node);
    return MW_OK;
}

static bool restricted(const mw_net *net, int32_t edge)
{
    const mw_net_edge *e = &net->edge[edge];
    int64_t n = (int64_t)net->node[e->end[0]].n * net->node[e->end[1]].n;
    for (int64_t i = 0; i < n; i++) {
        if (mw_net_forbidden(e->matrix[i]))
            return true;
    }
    return false;
}

// What moving a node into another costs.
static int64_t weight(const mw_net_node *v)
{
    return (int64_t)v->n_edges * 16 + v->n_terms;
}

// Merges the two ends of a bijection; the lighter one moves.
static mw_status merge_equals(mw_net *net, int32_t node, int32_t edge,
                              int32_t leader, const int32_t *map)
{
    const mw_net_node *v = &net->node[node];
    if (weight(v) <= weight(&net->node[leader]))
        return merge(net, node, edge, leader, map);
    int32_t *inverse = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *inverse);
    if (!inverse)
        return MW_ENOMEM;
    for (int32_t s = 0; s < v->n; s++)
        inverse[map[s]] = s;
    mw_status status = merge(net, leader, edge, node, inverse);
    mw_mem_free(inverse);
    return status;
}

// On a settled edge a function between as many strategies is a bijection.
static mw_status merge_if_follower(mw_net *net, int32_t node, int32_t edge,
                                   bool *changed)
{
    const mw_net_node *v = &net->node[node];
    int32_t leader = mw_net_other(net, edge, node);
    int32_t n = net->node[leader].n;
    // Matrices grow with the leader's strategies.
    if ((n > v->n && v->n_edges > 2) || !restricted(net, edge))
        return MW_OK;
    int32_t *map = mw_mem_alloc(net->ctx, (size_t)n, sizeof *map);
    if (!map)
        return MW_ENOMEM;
    mw_status status = MW_OK;
    if (follows(net, edge, leader, map)) {
        *changed = true;
        bool bijection = n == v->n && net->edge[edge].settled;
        status = bijection ? merge_equals(net, node, edge, leader, map)
                           : merge(net, node, edge, leader, map);
    }
    mw_mem_free(map);
    return status;
}

mw_status mw_reduce_follow(mw_net *net, int32_t node, bool *changed)
{
    const mw_net_node *v = &net->node[node];
    for (int32_t i = 0; i < v->n_edges && !*changed; i++)
        MW_TRY(merge_if_follower(net, node, v->edge[i], changed));
    return MW_OK;
}

static bool uses_no_more(const mw_net_node *v, int32_t s, int32_t t)
{
    for (int32_t i = 0; i < v->n_terms; i++) {
        if (v->term[i].usage[s] > v->term[i].usage[t])
            return false;
    }
    return true;
}

// The strategy that costs least and uses least, given what the neighbour's
// strategy adds to each; -1 when no one does both.
static int32_t best_of_all(const mw_net_node *v, const mw_net_line *line)
{
    int32_t best = -1;
    int64_t least = MW_NET_INFINITE / 2;
    for (int32_t s = 0; s < v->n; s++) {
        int64_t cost = v->cost[s] + (line ? line->first[s * line->step] : 0);
        if (mw_net_forbidden(cost))
            continue;
        if (cost < least || (cost == least && uses_no_more(v, s, best))) {
            best = s;
            least = cost;
        }
    }
    for (int32_t s = 0; s < v->n && best >= 0; s++) {
        int64_t cost = v->cost[s] + (line ? line->first[s * line->step] : 0);
        if (!mw_net_forbidden(cost) && !uses_no_more(v, best, s))
            return -1;
    }
    return best;
}

static mw_status choose_alone(mw_net *net, int32_t node, bool *changed)
{
    mw_net_node *v = &net->node[node];
    int32_t best = best_of_all(v, NULL);
    if (best < 0)
        return MW_OK;
    bool *keep = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *keep);
    if (!keep)
        return MW_ENOMEM;
    int32_t *heir = net->heir + net->first_strategy[node];
    keep[best] = true;
    for (int32_t s = 0; s < v->n; s++)
        heir[v->strategy[s]] = v->strategy[best];
    *changed = v->n > 1;
    mw_status status = mw_net_keep(net, node, keep);
    mw_mem_free(keep);
    return status;
}

mw_status mw_reduce_leaf(mw_net *net, int32_t node, bool *changed)
{
    const mw_net_node *v = &net->node[node];
    if (v->n_edges == 0)
        return choose_alone(net, node, changed);
    if (v->n_edges > 1)
        return MW_OK;
    int32_t leader = mw_net_other(net, v->edge[0], node);
    int32_t n = net->node[leader].n;
    int32_t *map = mw_mem_alloc(net->ctx, (size_t)n, sizeof *map);
    if (!map)
        return MW_ENOMEM;
    bool all = true;
    for (int32_t t = 0; t < n && all; t++) {
        mw_net_line line = mw_net_line_of(net, v->edge[0], leader, t);
        map[t] = best_of_all(v, &line);
        all = map[t] >= 0;
    }
    mw_status status = MW_OK;
    if (all) {
        *changed = true;
        status = merge(net, node, v->edge[0], leader, map);
    }
    mw_mem_free(map);
    return status;
}
