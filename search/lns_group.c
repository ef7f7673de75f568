/* lns_group.c - which nodes are chosen anew, and among which strategies. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "search/lns.h"

/* Table entries that one move may fill, about; nodes of a group. */
enum { MOVE_STATES = 20000000, LARGEST_GROUP = 500 };

/* One move in so many crosses with another choice. */
enum { CROSS_ONE_IN = 10 };

static void join_group(mw_lns *lns, int32_t node)
{
    if (lns->place[node] >= 0)
        return;
    lns->place[node] = lns->n_group;
    lns->group[lns->n_group++] = node;
}

static int32_t random_node(mw_lns *lns)
{
    return lns->base->node[mw_lns_below(lns, lns->base->net->n_nodes_left)];
}

// What the current choice costs above the bound at a node, at the dual's
// prices: its own part, and half of each edge's.
static double above_at(const mw_lns *lns, int32_t node)
{
    const mw_lns_base *base = lns->base;
    const mw_net_node *v = &base->net->node[node];
    double sum = (double)base->excess[base->first[node] + lns->current[node]];
    for (int32_t k = 0; k < v->n_edges; k++) {
        int32_t other = mw_net_other(base->net, v->edge[k], node);
        int32_t width = base->net->node[other].n;
        const float *row = mw_lns_rows(lns, v->edge[k], node) +
                           (int64_t)lns->current[node] * width;
        sum += 0.5 * (double)row[lns->current[other]];
    }
    return sum;
}

void mw_lns_look(mw_lns *lns)
{
    const mw_lns_base *base = lns->base;
    double sum = 0;
    for (int32_t i = 0; i < base->net->n_nodes_left; i++) {
        double above = above_at(lns, base->node[i]);
        sum += above > 0 ? sqrt(above) : 0;
        lns->above[i] = sum;
    }
}

// Half of the time one where the current choice is dear.
static int32_t center(mw_lns *lns)
{
    int32_t n = lns->base->net->n_nodes_left;
    if (mw_lns_below(lns, 2) || lns->above[n - 1] <= 0)
        return random_node(lns);
    double at = mw_lns_uniform(lns) * lns->above[n - 1];
    int32_t low = 0, high = n - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (lns->above[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return lns->base->node[low];
}

// Adds the nodes around those from place `done` on, by their distance; a share
// of the edges is passed over, so that two balls around the same node differ.
static void grow_ball(mw_lns *lns, int32_t done, int32_t size, double passed)
{
    const mw_net *net = lns->base->net;
    for (; done < lns->n_group && lns->n_group < size; done++) {
        const mw_net_node *v = &net->node[lns->group[done]];
        int32_t first = v->n_edges ? mw_lns_below(lns, v->n_edges) : 0;
        for (int32_t k = 0; k < v->n_edges && lns->n_group < size; k++) {
            int32_t edge = v->edge[(first + k) % v->n_edges];
            if (passed == 0 || mw_lns_uniform(lns) >= passed)
                join_group(lns, mw_net_other(net, edge, lns->group[done]));
        }
    }
}

static void gather_ball(mw_lns *lns, int32_t size)
{
    double passed = mw_lns_below(lns, 2) ? 0 : 0.3;
    for (int tries = 0; tries < 4 && lns->n_group < size; tries++) {
        int32_t done = lns->n_group;
        join_group(lns, center(lns));
        grow_ball(lns, done, size, passed);
        if (mw_lns_below(lns, 2))
            return;
    }
}

// Nodes that take memory on one row, those with a price first.
static void gather_row(mw_lns *lns, int32_t size)
{
    const mw_lns_base *base = lns->base;
    if (base->net->n_rows == 0) {
        gather_ball(lns, size);
        return;
    }
    int32_t row = base->n_priced > 0 && mw_lns_below(lns, 8) > 0
                      ? base->priced[mw_lns_below(lns, base->n_priced)]
                      : mw_lns_below(lns, base->net->n_rows);
    int32_t n =
        (int32_t)(base->first_member[row + 1] - base->first_member[row]);
    const int32_t *member = base->member + base->first_member[row];
    int32_t first = n > 0 ? mw_lns_below(lns, n) : 0;
    for (int32_t k = 0; k < n && lns->n_group < size; k++)
        join_group(lns, member[(first + k) % n]);
}

// A stretch of the program.
static void gather_window(mw_lns *lns, int32_t size)
{
    const mw_lns_base *base = lns->base;
    int32_t n = base->net->n_nodes_left;
    int32_t first = mw_lns_below(lns, n);
    for (int32_t k = first; k < n && lns->n_group < size; k++)
        join_group(lns, base->node[k]);
}

static bool before(const int64_t *value, const int32_t *list, int32_t i,
                   int32_t k)
{
    return value[list[i]] < value[list[k]] ||
           (value[list[i]] == value[list[k]] && list[i] < list[k]);
}

// The `most` strategies of least excess, and the current one; all in order when
// those are all there are.
static int32_t list_strategies(mw_lns *lns, int32_t node, int32_t most,
                               int32_t *list)
{
    const mw_net_node *v = &lns->base->net->node[node];
    const int64_t *excess = lns->base->excess + lns->base->first[node];
    int32_t n = 0;
    for (int32_t s = 0; s < v->n; s++) {
        int32_t k = n;
        list[n++] = s;
        if (v->n <= most + 1)
            continue;
        for (; k > 0 && before(excess, list, k, k - 1); k--) {
            int32_t swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
        n = n > most ? most : n;
    }
    for (int32_t k = 0; k < n; k++) {
        if (list[k] == lns->current[node])
            return n;
    }
    list[n++] = lns->current[node];
    return n;
}

static mw_status grow_list(mw_lns *lns, int64_t n)
{
    int64_t cap = 2 * lns->cap_list + n;
    int32_t *grown =
        mw_mem_grow(lns->ctx, lns->list, (size_t)cap, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    lns->list = grown;
    lns->cap_list = cap;
    return MW_OK;
}

static mw_status list_all(mw_lns *lns, int32_t most)
{
    const mw_net *net = lns->base->net;
    int64_t at = lns->forced;
    for (int32_t i = lns->forced; i < lns->n_group; i++) {
        int32_t node = lns->group[i];
        if (at + net->node[node].n + 1 > lns->cap_list)
            MW_TRY(grow_list(lns, net->node[node].n + 1));
        lns->first_list[i] = at;
        at += list_strategies(lns, node, most, lns->list + at);
    }
    lns->first_list[lns->n_group] = at;
    return MW_OK;
}

// Another strategy than the current one, by its place when they are ordered by
// excess: each place half as likely as the one before it.
static int32_t other_strategy(mw_lns *lns, int32_t node)
{
    const mw_lns_base *base = lns->base;
    const int64_t *excess = base->excess + base->first[node];
    int32_t n = base->net->node[node].n, last = lns->current[node];
    uint64_t bits = mw_lns_random(lns);
    int32_t place = 0, taken = -1;
    for (; place + 2 < n && (bits & 1) != 0; place++)
        bits >>= 1;
    for (int32_t k = 0; k <= place; k++) {
        int32_t least = -1;
        for (int32_t s = 0; s < n; s++) {
            int32_t pair[3] = {s, taken, least};
            if (s == last || (taken >= 0 && !before(excess, pair, 1, 0)))
                continue;
            if (least < 0 || before(excess, pair, 0, 2))
                least = s;
        }
        taken = least;
    }
    return taken;
}

// A node, those with many neighbours more often, takes another strategy, and a
// ball around it adapts: a hub is what elimination would hold where it is.
static mw_status force(mw_lns *lns, int32_t size)
{
    const mw_net *net = lns->base->net;
    int32_t node = center(lns);
    const mw_net_node *v = &net->node[node];
    if (v->n_edges > 0)
        node = mw_net_other(net, v->edge[mw_lns_below(lns, v->n_edges)], node);
    if (net->node[node].n < 2)
        return MW_OK;
    if (lns->cap_list < 1)
        MW_TRY(grow_list(lns, 1));
    lns->forced = true;
    lns->first_list[0] = 0;
    lns->list[0] = other_strategy(lns, node);
    join_group(lns, node);
    grow_ball(lns, 0, size, mw_lns_below(lns, 2) ? 0 : 0.3);
    return MW_OK;
}

// Nodes where another choice differs, at most `size` of them that hang together
// or, when it is not less than there are, all.
static void gather_differing(mw_lns *lns, const int32_t *other, int32_t size)
{
    const mw_lns_base *base = lns->base;
    const mw_net *net = base->net;
    int32_t n = net->n_nodes_left, first = mw_lns_below(lns, n);
    for (int32_t i = 0; i < n && lns->n_group < size; i++) {
        int32_t done = lns->n_group, node = base->node[(first + i) % n];
        if (other[node] == lns->current[node])
            continue;
        join_group(lns, node);
        for (; done < lns->n_group && lns->n_group < size; done++) {
            const mw_net_node *v = &net->node[lns->group[done]];
            for (int32_t k = 0; k < v->n_edges && lns->n_group < size; k++) {
                int32_t near = mw_net_other(net, v->edge[k], lns->group[done]);
                if (other[near] != lns->current[near])
                    join_group(lns, near);
            }
        }
    }
}

// The best of both at every node.
static mw_status cross(mw_lns *lns, int64_t *max_states)
{
    const int32_t *other = lns->other[mw_lns_below(lns, lns->n_others)];
    int32_t n = lns->base->net->n_nodes_left;
    bool all = mw_lns_below(lns, 2) == 0;
    int32_t size = (int32_t)(10 * pow((double)n / 10 + 1, mw_lns_uniform(lns)));
    gather_differing(lns, other, all ? n : size);
    if (2 * lns->n_group > lns->cap_list)
        MW_TRY(grow_list(lns, 2 * (int64_t)lns->n_group));
    for (int32_t i = 0; i < lns->n_group; i++) {
        int32_t node = lns->group[i];
        int32_t a = lns->current[node], b = other[node];
        lns->first_list[i] = 2 * i;
        lns->list[2 * i] = a < b ? a : b;
        lns->list[2 * i + 1] = a < b ? b : a;
    }
    lns->first_list[lns->n_group] = 2 * (int64_t)lns->n_group;
    *max_states = (int64_t)pow(10, 3 + 2.5 * mw_lns_uniform(lns));
    return MW_OK;
}

mw_status mw_lns_choose_group(mw_lns *lns, int64_t *max_states)
{
    for (int32_t i = 0; i < lns->n_group; i++)
        lns->place[lns->group[i]] = -1;
    lns->n_group = 0;
    lns->forced = false;
    if (lns->n_others > 0 && mw_lns_below(lns, CROSS_ONE_IN) == 0)
        return cross(lns, max_states);
    int32_t n = lns->base->net->n_nodes_left;
    double largest = n < LARGEST_GROUP ? n : LARGEST_GROUP;
    int32_t size = (int32_t)(10 * pow(largest / 10 + 1, mw_lns_uniform(lns)));
    int32_t kind = mw_lns_below(lns, 10);
    if (kind < 3)
        MW_TRY(force(lns, size));
    else if (kind < 5)
        gather_ball(lns, size);
    else if (kind < 8)
        gather_row(lns, size);
    else
        gather_window(lns, size);
    double states = pow(10, 3 + 2.5 * mw_lns_uniform(lns));
    double most = (double)MOVE_STATES / (lns->n_group + 1);
    *max_states = (int64_t)(states < most ? states : most);
    bool whole = mw_lns_below(lns, 2) == 0;
    return list_all(lns, whole ? 200 : 2 + mw_lns_below(lns, 8));
}
