/* lns_group.c - which nodes are chosen anew, and among which strategies. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "search/lns.h"

/* Table entries that one move may fill, about; nodes of a group. */
enum { MOVE_STATES = 20000000, LARGEST_GROUP = 1500 };

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

// Nodes around one, by their distance; some edges are passed over, so that two
// balls around the same node differ.
static void gather_ball(mw_lns *lns, int32_t size)
{
    const mw_net *net = lns->base->net;
    double passed = mw_lns_below(lns, 2) ? 0 : 0.3;
    for (int tries = 0; tries < 4 && lns->n_group < size; tries++) {
        int32_t done = lns->n_group;
        join_group(lns, random_node(lns));
        for (; done < lns->n_group && lns->n_group < size; done++) {
            const mw_net_node *v = &net->node[lns->group[done]];
            int32_t first = v->n_edges ? mw_lns_below(lns, v->n_edges) : 0;
            for (int32_t k = 0; k < v->n_edges && lns->n_group < size; k++) {
                int32_t edge = v->edge[(first + k) % v->n_edges];
                if (passed == 0 || mw_lns_uniform(lns) >= passed)
                    join_group(lns, mw_net_other(net, edge, lns->group[done]));
            }
        }
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

// The `most` strategies of least excess, and the current one; all when most is
// not less than there are.
static int32_t list_strategies(mw_lns *lns, int32_t node, int32_t most,
                               int32_t *list)
{
    const mw_net_node *v = &lns->base->net->node[node];
    const int64_t *excess = lns->base->excess + lns->base->first[node];
    int32_t n = 0;
    for (int32_t s = 0; s < v->n; s++) {
        int32_t k = n;
        list[n++] = s;
        if (v->n <= most)
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

static mw_status list_all(mw_lns *lns, int32_t most)
{
    const mw_net *net = lns->base->net;
    int64_t at = 0;
    for (int32_t i = 0; i < lns->n_group; i++) {
        int32_t node = lns->group[i];
        if (at + net->node[node].n + 1 > lns->cap_list) {
            int64_t cap = 2 * lns->cap_list + net->node[node].n + 1;
            int32_t *grown =
                mw_mem_grow(lns->ctx, lns->list, (size_t)cap, sizeof *grown);
            if (!grown)
                return MW_ENOMEM;
            lns->list = grown;
            lns->cap_list = cap;
        }
        lns->first_list[i] = at;
        at += list_strategies(lns, node, most, lns->list + at);
    }
    lns->first_list[lns->n_group] = at;
    return MW_OK;
}

mw_status mw_lns_choose_group(mw_lns *lns, int64_t *max_states)
{
    for (int32_t i = 0; i < lns->n_group; i++)
        lns->place[lns->group[i]] = -1;
    lns->n_group = 0;
    int32_t n = lns->base->net->n_nodes_left;
    double largest = n < LARGEST_GROUP ? n : LARGEST_GROUP;
    int32_t size = (int32_t)(10 * pow(largest / 10 + 1, mw_lns_uniform(lns)));
    int32_t kind = mw_lns_below(lns, 10);
    if (kind < 4)
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
