/* lns.c - moves: prices, the group's elimination, what fits, what is taken. */
#include "search/lns.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { TRIES = 5 };

/* Moves between two looks at where the current choice is dear. */
enum { LOOK_MOVES = 32 };

uint64_t mw_lns_random(mw_lns *lns)
{
    uint64_t z = lns->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int32_t mw_lns_below(mw_lns *lns, int32_t n)
{
    return (int32_t)(((mw_lns_random(lns) >> 32) * (uint64_t)n) >> 32);
}

double mw_lns_uniform(mw_lns *lns)
{
    return (double)(mw_lns_random(lns) >> 11) * 0x1p-53;
}

mw_status mw_lns_init(mw_lns *lns, mw_ctx *ctx, const mw_lns_base *base,
                      uint64_t seed)
{
    size_t n = (size_t)base->net->n_nodes + 1;
    size_t n_rows = (size_t)base->net->n_rows + 1;
    *lns = (mw_lns){.ctx = ctx, .base = base, .random = seed};
    mw_eliminator_init(&lns->eliminator, ctx);
    lns->current = mw_mem_alloc(ctx, n, sizeof *lns->current);
    lns->best = mw_mem_alloc(ctx, n, sizeof *lns->best);
    lns->group = mw_mem_alloc(ctx, n, sizeof *lns->group);
    lns->place = mw_mem_alloc(ctx, n, sizeof *lns->place);
    lns->next = mw_mem_alloc(ctx, n, sizeof *lns->next);
    lns->first_list = mw_mem_alloc(ctx, n, sizeof *lns->first_list);
    lns->over = mw_mem_alloc(ctx, n_rows, sizeof *lns->over);
    lns->change = mw_mem_alloc(ctx, n_rows, sizeof *lns->change);
    lns->price = mw_mem_alloc(ctx, n_rows, sizeof *lns->price);
    lns->total = mw_mem_alloc(ctx, n_rows, sizeof *lns->total);
    lns->above = mw_mem_alloc(ctx, n, sizeof *lns->above);
    if (!lns->current || !lns->best || !lns->group || !lns->place ||
        !lns->next || !lns->first_list || !lns->over || !lns->change ||
        !lns->price || !lns->total || !lns->above)
        return MW_ENOMEM;
    for (size_t i = 0; i < n; i++)
        lns->place[i] = -1;
    return MW_OK;
}

void mw_lns_free(mw_lns *lns)
{
    if (!lns || !lns->ctx)
        return;
    mw_eliminator_free(&lns->eliminator);
    mw_mem_free(lns->current);
    mw_mem_free(lns->best);
    mw_mem_free(lns->group);
    mw_mem_free(lns->place);
    mw_mem_free(lns->next);
    mw_mem_free(lns->list);
    mw_mem_free(lns->first_list);
    mw_mem_free(lns->over);
    mw_mem_free(lns->change);
    mw_mem_free(lns->price);
    mw_mem_free(lns->total);
    mw_mem_free(lns->above);
    *lns = (mw_lns){0};
}

static void keep_best(mw_lns *lns)
{
    if (lns->excess > 0 || lns->cost >= MW_NET_INFINITE / 2 ||
        (lns->has_best && lns->cost >= lns->best_cost))
        return;
    lns->has_best = true;
    lns->best_cost = lns->cost;
    memcpy(lns->best, lns->current,
           (size_t)lns->base->net->n_nodes * sizeof *lns->best);
}

// Without the net's constant, at most infinite.
static int64_t whole_cost(const mw_net *net, const int32_t *current)
{
    mw_int128 cost = mw_net_cost(net, current) - net->constant;
    return (int64_t)(cost < MW_NET_INFINITE ? cost : MW_NET_INFINITE);
}

void mw_lns_start(mw_lns *lns, const int32_t *current)
{
    const mw_net *net = lns->base->net;
    memcpy(lns->current, current, (size_t)net->n_nodes * sizeof *current);
    lns->cost = whole_cost(net, current);
    memset(lns->over, 0, ((size_t)net->n_rows + 1) * sizeof *lns->over);
    for (int32_t i = 0; i < net->n_nodes_left; i++) {
        int32_t node = lns->base->node[i];
        const mw_net_node *v = &net->node[node];
        for (int32_t k = 0; k < v->n_terms; k++) {
            int64_t usage = v->term[k].usage[current[node]];
            lns->over[v->term[k].begin] += usage;
            lns->over[v->term[k].end] -= usage;
        }
    }
    int64_t usage = 0;
    lns->excess = 0;
    for (int32_t r = 0; r < net->n_rows; r++) {
        usage += lns->over[r];
        lns->over[r] = usage - net->slack[r];
        lns->excess += lns->over[r] > 0 ? lns->over[r] : 0;
    }
    keep_best(lns);
}

// The dual's prices, perturbed as a whole and row by row.
static void perturb_prices(mw_lns *lns)
{
    static const double widths[4] = {0, 0.1, 0.3, 0.8};
    const mw_net *net = lns->base->net;
    const double *noise = lns->base->noise;
    double width = widths[mw_lns_below(lns, 4)];
    double whole = pow(noise[mw_lns_below(lns, MW_NOISE)], 0.3);
    double unit = ldexp(whole, -net->price_shift);
    uint32_t at = (uint32_t)mw_lns_random(lns);
    for (int32_t r = 0; r < net->n_rows; r++) {
        lns->price[r] = unit * (double)net->price[r];
        if (net->price[r] > 0 && width > 0)
            lns->price[r] *= 1 + width * (noise[at++ % MW_NOISE] - 1);
    }
}

static void sum_prices(mw_lns *lns)
{
    double sum = 0;
    for (int32_t r = 0; r < lns->base->net->n_rows; r++) {
        lns->total[r] = sum;
        sum += lns->price[r];
    }
    lns->total[lns->base->net->n_rows] = sum;
}

static void add_charge(const mw_lns *lns, const mw_net_node *v,
                       const int32_t *list, int32_t n, float *cost)
{
    for (int32_t k = 0; k < v->n_terms; k++) {
        const mw_net_term *term = &v->term[k];
        double price = lns->total[term->end] - lns->total[term->begin];
        if (price <= 0)
            continue;
        for (int32_t s = 0; s < n; s++)
            cost[s] += (float)(price * (double)term->usage[list[s]]);
    }
}

const float *mw_lns_rows(const mw_lns *lns, int32_t edge, int32_t node)
{
    return lns->base->rows[edge][lns->base->net->edge[edge].end[1] == node];
}

// A group's node with its edges to nodes outside.
static mw_status add_variable(mw_lns *lns, int32_t i)
{
    const mw_net *net = lns->base->net;
    int32_t node = lns->group[i];
    const mw_net_node *v = &net->node[node];
    const int32_t *list = lns->list + lns->first_list[i];
    int32_t n = (int32_t)(lns->first_list[i + 1] - lns->first_list[i]);
    int32_t value = 0;
    while (value + 1 < n && list[value] != lns->current[node])
        value++;
    float *cost =
        mw_eliminator_add(&lns->eliminator, n, value, mw_lns_below(lns, 3));
    if (!cost)
        return MW_ENOMEM;
    const float *own = lns->base->cost + lns->base->first[node];
    for (int32_t s = 0; s < n; s++)
        cost[s] = own[list[s]];
    add_charge(lns, v, list, n, cost);
    for (int32_t k = 0; k < v->n_edges; k++) {
        int32_t other = mw_net_other(net, v->edge[k], node);
        if (lns->place[other] >= 0)
            continue;
        const float *row = mw_lns_rows(lns, v->edge[k], other) +
                           (int64_t)lns->current[other] * v->n;
        for (int32_t s = 0; s < n; s++)
            cost[s] += row[list[s]];
    }
    return MW_OK;
}

// The edge between two members of the group, by the strategies on their lists.
static mw_status add_edge(mw_lns *lns, int32_t edge, int32_t i, int32_t place)
{
    const mw_net *net = lns->base->net;
    int32_t node = lns->group[i], other = lns->group[place];
    const int32_t *list = lns->list + lns->first_list[i];
    const int32_t *others = lns->list + lns->first_list[place];
    int64_t n = lns->first_list[i + 1] - lns->first_list[i];
    int64_t n_others = lns->first_list[place + 1] - lns->first_list[place];
    int64_t width = net->node[other].n;
    const float *rows = mw_lns_rows(lns, edge, node);
    if (n == net->node[node].n && n_others == width)
        return mw_eliminator_join(&lns->eliminator, i, place, rows,
                                  mw_lns_rows(lns, edge, other));
    float *matrix = mw_eliminator_matrix(&lns->eliminator, n * n_others);
    if (!matrix)
        return MW_ENOMEM;
    for (int64_t s = 0; s < n; s++) {
        const float *row = rows + list[s] * width;
        for (int64_t t = 0; t < n_others; t++)
            matrix[s * n_others + t] = row[others[t]];
    }
    return mw_eliminator_join(&lns->eliminator, i, place, matrix, NULL);
}

static mw_status add_edges(mw_lns *lns, int32_t i)
{
    const mw_net *net = lns->base->net;
    const mw_net_node *v = &net->node[lns->group[i]];
    for (int32_t k = 0; k < v->n_edges; k++) {
        int32_t other = mw_net_other(net, v->edge[k], lns->group[i]);
        int32_t place = lns->place[other];
        if (place >= 0 && place < i)
            MW_TRY(add_edge(lns, v->edge[k], i, place));
    }
    return MW_OK;
}

static mw_status solve_group(mw_lns *lns, int64_t max_states)
{
    mw_eliminator_clear(&lns->eliminator);
    for (int32_t i = 0; i < lns->n_group; i++)
        MW_TRY(add_variable(lns, i));
    for (int32_t i = 0; i < lns->n_group; i++)
        MW_TRY(add_edges(lns, i));
    MW_TRY(mw_eliminator_run(&lns->eliminator, max_states));
    for (int32_t i = 0; i < lns->n_group; i++)
        lns->next[i] =
            lns->list[lns->first_list[i] + lns->eliminator.variable[i].value];
    return MW_OK;
}

static int32_t next_of(const mw_lns *lns, int32_t node)
{
    int32_t place = lns->place[node];
    return place < 0 ? lns->current[node] : lns->next[place];
}

// What the proposal costs more; more than MW_NET_FINITE when it is forbidden.
static int64_t cost_change(const mw_lns *lns)
{
    const mw_net *net = lns->base->net;
    int64_t sum = 0;
    for (int32_t i = 0; i < lns->n_group; i++) {
        int32_t node = lns->group[i], now = lns->current[node];
        const mw_net_node *v = &net->node[node];
        sum += v->cost[lns->next[i]] - v->cost[now];
        for (int32_t k = 0; k < v->n_edges; k++) {
            int32_t other = mw_net_other(net, v->edge[k], node);
            int32_t then = next_of(lns, other);
            if (lns->place[other] > i ||
                (lns->next[i] == now && then == lns->current[other]))
                continue;
            int64_t cost =
                mw_net_line_of(net, v->edge[k], node, lns->next[i])
                    .first[then *
                           mw_net_line_of(net, v->edge[k], node, 0).step];
            if (mw_net_forbidden(cost))
                return MW_NET_INFINITE;
            mw_net_line before = mw_net_line_of(net, v->edge[k], node, now);
            int64_t was = before.first[lns->current[other] * before.step];
            sum += cost - was;
        }
    }
    return sum;
}

// Fills `change`; returns the sum of overruns there would be.
static mw_int128 usage_change(mw_lns *lns)
{
    const mw_net *net = lns->base->net;
    memset(lns->change, 0, ((size_t)net->n_rows + 1) * sizeof *lns->change);
    for (int32_t i = 0; i < lns->n_group; i++) {
        int32_t now = lns->current[lns->group[i]], then = lns->next[i];
        const mw_net_node *v = &net->node[lns->group[i]];
        for (int32_t k = 0; now != then && k < v->n_terms; k++) {
            const int64_t *usage = v->term[k].usage;
            lns->change[v->term[k].begin] += usage[then] - usage[now];
            lns->change[v->term[k].end] -= usage[then] - usage[now];
        }
    }
    mw_int128 excess = 0;
    int64_t sum = 0;
    for (int32_t r = 0; r < net->n_rows; r++) {
        sum += lns->change[r];
        lns->change[r] = sum;
        int64_t over = lns->over[r] + sum;
        excess += over > 0 ? over : 0;
    }
    return excess;
}

static void raise_prices(mw_lns *lns)
{
    const mw_net *net = lns->base->net;
    double least = 0;
    for (int32_t r = 0; r < net->n_rows; r++)
        least += lns->price[r];
    least = least / (net->n_rows + 1) + 1e-9;
    for (int32_t r = 0; r < net->n_rows; r++) {
        if (lns->over[r] + lns->change[r] > 0)
            lns->price[r] = 1.5 * lns->price[r] + least;
    }
}

static bool differs(const mw_lns *lns)
{
    for (int32_t i = 0; i < lns->n_group; i++) {
        if (lns->next[i] != lns->current[lns->group[i]])
            return true;
    }
    return false;
}

static void take(mw_lns *lns, int64_t change, mw_int128 excess)
{
    for (int32_t i = 0; i < lns->n_group; i++)
        lns->current[lns->group[i]] = lns->next[i];
    for (int32_t r = 0; r < lns->base->net->n_rows; r++)
        lns->over[r] += lns->change[r];
    // While something forbidden is chosen, differences mean nothing.
    lns->cost = lns->cost < MW_NET_INFINITE / 2
                    ? lns->cost + change
                    : whole_cost(lns->base->net, lns->current);
    lns->excess = excess;
    lns->n_taken++;
    keep_best(lns);
}

// One group; true when a choice was taken.
static mw_status move(mw_lns *lns)
{
    int64_t max_states;
    MW_TRY(mw_lns_choose_group(lns, &max_states));
    perturb_prices(lns);
    double allowed = -lns->temperature * log(1 - mw_lns_uniform(lns));
    for (int k = 0; k < TRIES; k++) {
        sum_prices(lns);
        MW_TRY(solve_group(lns, max_states));
        if (!differs(lns))
            return MW_OK;
        int64_t change = cost_change(lns);
        if (change >= MW_NET_INFINITE / 2)
            return MW_OK;
        mw_int128 excess = usage_change(lns);
        if (excess == 0 || excess < lns->excess) {
            if (lns->excess > 0 || (double)change <= allowed)
                take(lns, change, excess);
            return MW_OK;
        }
        // Dearer prices only make it cost more.
        if (lns->excess == 0 && (double)change > allowed)
            return MW_OK;
        raise_prices(lns);
    }
    return MW_OK;
}

mw_status mw_lns_run(mw_lns *lns, int64_t moves, int64_t effort,
                     double temperature, const mw_deadline *deadline)
{
    lns->temperature = temperature;
    int64_t enough = lns->eliminator.effort + effort;
    for (int64_t k = 0; k < moves && lns->eliminator.effort < enough; k++) {
        if (k % LOOK_MOVES == 0)
            mw_lns_look(lns);
        MW_TRY(move(lns));
        lns->n_moves++;
        if (mw_deadline_over(deadline) || mw_stopped(lns->ctx))
            break;
    }
    return MW_OK;
}
