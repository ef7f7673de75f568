/* coarse_complete.c - from a choice of the coarse problem to one of the whole:
 * strategies for those that were put together. */
#include "search/coarse_part.h"

/* Entries of the tables by which it is done; strategies that are set apart of
 * what was used. */
enum { MOST_ENTRIES = 1000000, APART = 2 };

static const mw_coarse_kind *kind_of(const mw_coarse *c, int32_t node)
{
    return &c->kind[c->kinds.of_node[node]];
}

static bool is_other(const mw_coarse *c, int32_t node)
{
    return c->choice[node] >= kind_of(c, node)->n_apart;
}

// The shared matrix of an edge, seen from one of its ends: the entry of
// strategies s and t is at s * step[0] + t * step[1].
static const int64_t *facing(const mw_coarse *c, int32_t edge, int32_t node,
                             int32_t *other, int64_t step[2])
{
    int32_t end[2], kind = c->kinds.of_edge[edge];
    mw_coarse_ends(&c->problem->edge[edge], end);
    bool row = end[0] == node;
    int32_t width = c->kinds.edge[kind].n[1];
    *other = row ? end[1] : end[0];
    step[0] = row ? width : 1;
    step[1] = row ? 1 : width;
    return mw_alike_at(&c->all, c->matrix[kind]);
}

// What a strategy costs with what its neighbours became, at least.
static int64_t score(const mw_coarse *c, int32_t node, int32_t s)
{
    int64_t sum = mw_alike_at(&c->all, c->cost[c->kinds.of_node[node]])[s];
    for (int32_t k = c->first_edge[node]; k < c->first_edge[node + 1]; k++) {
        int32_t other;
        int64_t step[2], least = MW_INFINITE;
        const int64_t *entry = facing(c, c->edge_of[k], node, &other, step);
        const int32_t *map = kind_of(c, other)->map;
        for (int32_t t = 0; t < c->problem->node[other].n_strategies; t++) {
            int64_t value = entry[s * step[0] + t * step[1]];
            if (map[t] == c->choice[other] && value < least)
                least = value;
        }
        sum = sum >= MW_INFINITE || least >= MW_INFINITE ? MW_INFINITE
                                                         : sum + least;
    }
    return sum;
}

// The best strategies of those that the node's coarse one stands for, the best
// first.
static void find_members(mw_coarse *c, int32_t node)
{
    const mw_coarse_kind *k = kind_of(c, node);
    int32_t *member = c->member + (int64_t)node * MW_MEMBERS, n = 0;
    int64_t best[MW_MEMBERS + 1];
    for (int32_t s = 0; s < c->problem->node[node].n_strategies; s++) {
        if (k->map[s] != c->choice[node])
            continue;
        int64_t value = is_other(c, node) ? score(c, node, s) : 0;
        int32_t at = n < MW_MEMBERS ? n++ : MW_MEMBERS;
        for (; at > 0 && best[at - 1] > value; at--) {
            best[at] = best[at - 1];
            if (at < MW_MEMBERS)
                member[at] = member[at - 1];
        }
        best[at] = value;
        if (at < MW_MEMBERS)
            member[at] = s;
    }
    c->n_members[node] = n;
}

static mw_status add_nodes(const mw_coarse *c, mw_problem *p)
{
    for (int32_t i = 0; i < c->problem->n_nodes; i++) {
        const int32_t *member = c->member + (int64_t)i * MW_MEMBERS;
        const int64_t *from =
            mw_alike_at(&c->all, c->cost[c->kinds.of_node[i]]);
        int64_t *cost = MW_NEW_ARRAY(&p->arena, c->n_members[i], int64_t);
        if (!cost)
            return MW_ENOMEM;
        for (int32_t s = 0; s < c->n_members[i]; s++)
            cost[s] = from[member[s]];
        MW_TRY(mw_problem_add_node(p, c->n_members[i], cost));
    }
    return MW_OK;
}

// Only edges at which something is left to choose.
static mw_status add_edges(const mw_coarse *c, mw_problem *p)
{
    for (int32_t i = 0; i < c->problem->n_edges; i++) {
        int32_t end[2], other;
        int64_t step[2];
        mw_coarse_ends(&c->problem->edge[i], end);
        int32_t n[2] = {c->n_members[end[0]], c->n_members[end[1]]};
        if (n[0] == 1 && n[1] == 1)
            continue;
        const int64_t *entry = facing(c, i, end[0], &other, step);
        const int32_t *member[2] = {c->member + (int64_t)end[0] * MW_MEMBERS,
                                    c->member + (int64_t)end[1] * MW_MEMBERS};
        int64_t *matrix =
            MW_NEW_ARRAY(&p->arena, (int64_t)n[0] * n[1], int64_t);
        if (!matrix)
            return MW_ENOMEM;
        for (int32_t k = 0; k < n[0] * n[1]; k++)
            matrix[k] = entry[member[0][k / n[1]] * step[0] +
                              member[1][k % n[1]] * step[1]];
        MW_TRY(mw_problem_add_edge(p, end[0], end[1], matrix, false));
    }
    return MW_OK;
}

// Fills c->trial with the numbers of members.
static mw_status choose(mw_coarse *c, mw_problem *p, mw_bucket *bucket)
{
    mw_int128 cost;
    bool late;
    MW_TRY(add_nodes(c, p));
    MW_TRY(add_edges(c, p));
    MW_TRY(mw_bucket_open(bucket, &c->tables, p, NULL, MOST_ENTRIES));
    late = bucket->n_entries > MOST_ENTRIES;
    if (!late)
        MW_TRY(mw_bucket_run(bucket, &c->options->deadline, MOST_ENTRIES,
                             c->trial, &cost, &late));
    for (int32_t i = 0; late && i < c->problem->n_nodes; i++)
        c->trial[i] = 0;
    return MW_OK;
}

static void set_apart(mw_coarse *c)
{
    for (int32_t i = 0; i < c->problem->n_nodes; i++) {
        mw_coarse_kind *k = &c->kind[c->kinds.of_node[i]];
        const int32_t *member = c->member + (int64_t)i * MW_MEMBERS;
        int32_t chosen = member[c->trial[i]];
        c->trial[i] = chosen;
        if (!is_other(c, i))
            continue;
        k->apart[chosen] = true;
        for (int32_t m = 0; m < APART && m < c->n_members[i]; m++)
            k->apart[member[m]] = true;
    }
}

mw_status mw_coarse_complete(mw_coarse *c)
{
    mw_problem problem;
    mw_bucket bucket = {0};
    mw_problem_init(&problem, c->own.ctx);
    for (int32_t i = 0; i < c->problem->n_nodes; i++)
        find_members(c, i);
    mw_status status = choose(c, &problem, &bucket);
    mw_bucket_close(&bucket);
    mw_problem_free(&problem);
    MW_TRY(status);
    set_apart(c);
    return mw_coarse_take(c);
}
