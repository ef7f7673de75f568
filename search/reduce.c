/* reduce.c - the fixed point of all reductions; settling, single strategies,
 * elimination of nodes of degree two and less. */
#include "search/reduce.h"

#include <string.h>

#include "base/mem.h"

static int64_t line_minimum(const mw_net_line *line)
{
    int64_t least = MW_NET_INFINITE;
    for (int32_t t = 0; t < line->n; t++) {
        int64_t cost = line->first[t * line->step];
        least = cost < least ? cost : least;
    }
    return least;
}

// Moves the minima of the lines of one end into its costs.
static void settle_side(mw_net *net, int32_t edge, int32_t node)
{
    mw_net_node *v = &net->node[node];
    for (int32_t s = 0; s < v->n; s++) {
        mw_net_line line = mw_net_line_of(net, edge, node, s);
        int64_t least = line_minimum(&line);
        v->cost[s] = mw_net_add(v->cost[s], least);
        if (least == 0 || mw_net_forbidden(least))
            continue;
        for (int32_t t = 0; t < line.n; t++) {
            int64_t *cost = &line.first[t * line.step];
            if (!mw_net_forbidden(*cost))
                *cost -= least;
        }
    }
}

static bool says_nothing(const mw_net *net, int32_t edge)
{
    const mw_net_edge *e = &net->edge[edge];
    int64_t n = (int64_t)net->node[e->end[0]].n * net->node[e->end[1]].n;
    for (int64_t i = 0; i < n; i++) {
        if (e->matrix[i] != 0)
            return false;
    }
    return true;
}

static mw_status delete_forbidden(mw_net *net, int32_t node, bool *changed)
{
    const mw_net_node *v = &net->node[node];
    bool any = false;
    for (int32_t s = 0; s < v->n; s++)
        any = any || mw_net_forbidden(v->cost[s]);
    if (!any)
        return MW_OK;
    bool *keep = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *keep);
    if (!keep)
        return MW_ENOMEM;
    for (int32_t s = 0; s < v->n; s++)
        keep[s] = !mw_net_forbidden(v->cost[s]);
    mw_status status = mw_net_keep(net, node, keep);
    mw_mem_free(keep);
    *changed = true;
    return status;
}

mw_status mw_reduce_settle(mw_net *net, int32_t node, bool *changed)
{
    mw_net_node *v = &net->node[node];
    MW_TRY(delete_forbidden(net, node, changed));
    for (int32_t i = v->n_edges; i-- > 0 && !net->infeasible;) {
        int32_t edge = v->edge[i];
        mw_net_edge *e = &net->edge[edge];
        if (e->settled)
            continue;
        int32_t other = mw_net_other(net, edge, node);
        settle_side(net, edge, node);
        settle_side(net, edge, other);
        e->settled = true;
        mw_net_touch(net, other);
        if (says_nothing(net, edge))
            mw_net_cut_edge(net, edge);
    }
    MW_TRY(delete_forbidden(net, node, changed));
    int64_t least = MW_NET_INFINITE;
    for (int32_t s = 0; s < v->n; s++)
        least = v->cost[s] < least ? v->cost[s] : least;
    if (net->infeasible || least == 0)
        return MW_OK;
    for (int32_t s = 0; s < v->n; s++)
        v->cost[s] -= least;
    net->constant += least;
    return MW_OK;
}

// Adds a line of costs to those of a neighbour.
static void give_costs(mw_net *net, int32_t node, const int64_t *cost)
{
    mw_net_node *v = &net->node[node];
    for (int32_t s = 0; s < v->n; s++)
        v->cost[s] = mw_net_add(v->cost[s], cost[s]);
    mw_net_touch(net, node);
}

static mw_status note_constant(mw_net *net, int32_t node, int32_t strategy)
{
    int32_t *best = mw_mem_alloc(net->ctx, 1, sizeof *best);
    if (!best)
        return MW_ENOMEM;
    *best = strategy;
    return mw_net_note(net, node, 0, NULL, best);
}

mw_status mw_reduce_single(mw_net *net, int32_t node, bool *changed)
{
    mw_net_node *v = &net->node[node];
    if (v->n != 1)
        return MW_OK;
    if (mw_net_forbidden(v->cost[0])) {
        net->infeasible = true;
        return MW_OK;
    }
    MW_TRY(note_constant(net, node, 0));
    net->constant += v->cost[0];
    for (int32_t i = 0; i < v->n_edges; i++) {
        mw_net_line line = mw_net_line_of(net, v->edge[i], node, 0);
        int32_t other = mw_net_other(net, v->edge[i], node);
        // A line of a one-strategy end is contiguous either way.
        give_costs(net, other, line.first);
    }
    // Its terms were moved into the slack when its one usage became the least.
    mw_net_drop_node(net, node);
    *changed = true;
    return MW_OK;
}

typedef struct elimination {
    int32_t node;
    int32_t by[2];
    int32_t n[2];
    int64_t *cost; /* row-major over the neighbours' strategies */
    int32_t *best;
    int64_t *sum; /* scratch, by strategy of the node */
} elimination;

// The least of the node's costs for each pair of strategies of its neighbours;
// a missing neighbour has one.
static void minimise(const mw_net *net, elimination *e)
{
    const mw_net_node *v = &net->node[e->node];
    for (int32_t i = 0; i < e->n[0]; i++) {
        for (int32_t s = 0; s < v->n; s++) {
            e->sum[s] = v->cost[s];
            if (v->n_edges > 0)
                e->sum[s] +=
                    mw_net_line_of(net, v->edge[0], e->by[0], i)
                        .first[s * mw_net_line_of(net, v->edge[0], e->by[0], i)
                                       .step];
        }
        for (int32_t j = 0; j < e->n[1]; j++) {
            mw_net_line line = {e->sum, 1, v->n};
            if (v->n_edges > 1)
                line = mw_net_line_of(net, v->edge[1], e->by[1], j);
            int64_t least = INT64_MAX;
            int32_t at = 0;
            for (int32_t s = 0; s < v->n; s++) {
                int64_t cost = e->sum[s];
                if (v->n_edges > 1)
                    cost += line.first[s * line.step];
                if (cost < least) {
                    least = cost;
                    at = s;
                }
            }
            bool forbidden = mw_net_forbidden(least);
            int64_t k = (int64_t)i * e->n[1] + j;
            e->cost[k] = forbidden ? MW_NET_INFINITE : least;
            e->best[k] = at;
        }
    }
}

static mw_status finish_elimination(mw_net *net, elimination *e)
{
    int32_t degree = net->node[e->node].n_edges;
    int32_t *best = e->best;
    e->best = NULL;
    MW_TRY(mw_net_note(net, e->node, degree, e->by, best));
    mw_net_drop_node(net, e->node);
    if (degree == 2) {
        int64_t *matrix = e->cost;
        e->cost = NULL;
        return mw_net_join(net, e->by[0], e->by[1], matrix);
    }
    if (degree == 1)
        give_costs(net, e->by[0], e->cost);
    else if (mw_net_forbidden(e->cost[0]))
        net->infeasible = true;
    else
        net->constant += e->cost[0];
    return MW_OK;
}

// A new matrix may not be much larger than what it replaces.
static bool worth_eliminating(const elimination *e, int32_t n)
{
    int64_t new_size = (int64_t)e->n[0] * e->n[1];
    int64_t old_size = (int64_t)n * (e->n[0] + e->n[1]);
    return new_size <= 2500 || new_size <= 2 * old_size;
}

mw_status mw_reduce_eliminate(mw_net *net, int32_t node, bool *changed)
{
    const mw_net_node *v = &net->node[node];
    if (v->n_edges > 2 || v->n_terms > 0)
        return MW_OK;
    elimination e = {.node = node, .n = {1, 1}};
    for (int32_t i = 0; i < v->n_edges; i++) {
        e.by[i] = mw_net_other(net, v->edge[i], node);
        e.n[i] = net->node[e.by[i]].n;
    }
    if (!worth_eliminating(&e, v->n))
        return MW_OK;
    size_t size = (size_t)e.n[0] * (size_t)e.n[1];
    e.cost = mw_mem_alloc(net->ctx, size, sizeof *e.cost);
    e.best = mw_mem_alloc(net->ctx, size, sizeof *e.best);
    e.sum = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *e.sum);
    mw_status status = e.cost && e.best && e.sum ? MW_OK : MW_ENOMEM;
    if (status == MW_OK) {
        minimise(net, &e);
        status = finish_elimination(net, &e);
    }
    mw_mem_free(e.sum);
    mw_mem_free(e.best);
    mw_mem_free(e.cost);
    *changed = true;
    return status;
}

static mw_status reduce_node(mw_net *net, int32_t node, unsigned which)
{
    static const struct {
        unsigned reduction;
        mw_status (*run)(mw_net *net, int32_t node, bool *changed);
    } steps[] = {
        {MW_REDUCE_SETTLE, mw_reduce_settle},
        {MW_REDUCE_SINGLE, mw_reduce_single},
        {MW_REDUCE_ELIMINATE, mw_reduce_eliminate},
        {MW_REDUCE_FOLLOW, mw_reduce_follow},
        {MW_REDUCE_LEAF, mw_reduce_leaf},
        {MW_REDUCE_DOMINATE, mw_reduce_dominate},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        bool changed = false;
        if ((which & steps[i].reduction) == 0)
            continue;
        MW_TRY(steps[i].run(net, node, &changed));
        if (net->infeasible)
            return MW_OK;
        if (changed) {
            mw_net_touch(net, node);
            return MW_OK;
        }
    }
    return MW_OK;
}

static mw_status empty_queue(mw_net *net, unsigned which)
{
    for (int64_t k = 1; net->n_queued > 0 && !net->infeasible; k++) {
        int32_t node = net->queue[net->queue_head];
        net->queue_head = (net->queue_head + 1) % net->n_nodes;
        net->n_queued--;
        net->node[node].queued = false;
        if (net->node[node].n == 0)
            continue;
        MW_TRY(reduce_node(net, node, which));
        if (k % 256 == 0 && mw_net_late(net))
            break;
    }
    return MW_OK;
}

mw_status mw_reduce(mw_net *net, unsigned which)
{
    bool changed = true;
    while (changed && !net->infeasible && !mw_net_late(net)) {
        changed = false;
        MW_TRY(empty_queue(net, which));
        mw_net_settle_rows(net);
        if ((which & MW_REDUCE_ROWS) != 0 && !net->infeasible)
            MW_TRY(mw_reduce_rows(net, &changed));
    }
    return MW_OK;
}
