/* trim.c - the dual of a net that is fixed and never reduced. */
#include "search/trim.h"

#include <stdlib.h>

#include "search/dual.h"

static const mw_ascent sweeps = {.rounds = 60};

/* Strategies that must go for another pass: one in so many. */
enum { FEW = 50 };

typedef struct placed {
    int64_t place;
    int32_t node;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

// Sweeps carry bounds along the nodes in their order: each comes just behind
// the first of its neighbours, if that is before it.
static placed *find_order(const mw_problem *problem, mw_arena *arena)
{
    int32_t n = problem->n_nodes;
    placed *order = MW_NEW_ARRAY(arena, n + 1, placed);
    for (int32_t i = 0; order && i < n; i++)
        order[i] = (placed){2 * (int64_t)i, i};
    for (int32_t i = 0; order && i < problem->n_edges; i++) {
        int32_t a = problem->edge[i].a, b = problem->edge[i].b;
        int64_t first = 2 * (int64_t)(a < b ? a : b) + 1;
        int64_t *later = &order[a < b ? b : a].place;
        *later = first < *later ? first : *later;
    }
    if (order)
        qsort(order, (size_t)n, sizeof *order, by_place);
    return order;
}

// The problem's costs with its nodes in that order.
static mw_status arrange(const mw_problem *from, const placed *order,
                         mw_problem *to)
{
    int32_t *number = MW_NEW_ARRAY(&to->arena, from->n_nodes + 1, int32_t);
    if (!number)
        return MW_ENOMEM;
    for (int32_t k = 0; k < from->n_nodes; k++) {
        const mw_problem_node *v = &from->node[order[k].node];
        number[order[k].node] = k;
        MW_TRY(mw_problem_add_node(to, v->n_strategies, v->cost));
    }
    for (int32_t i = 0; i < from->n_edges; i++) {
        const mw_problem_edge *e = &from->edge[i];
        MW_TRY(mw_problem_add_edge(to, number[e->a], number[e->b], e->matrix,
                                   e->transposed));
    }
    return MW_OK;
}

static int64_t count(const mw_net *net)
{
    int64_t n = 0;
    for (int32_t i = 0; i < net->n_nodes; i++)
        n += net->node[i].n;
    return n;
}

static mw_status fix(mw_net *net, mw_incumbent *met, mw_int128 upper,
                     const mw_deadline *deadline, int64_t *n_fixed)
{
    mw_dual dual;
    mw_status status = mw_dual_init(&dual, net);
    if (status == MW_OK)
        status = mw_dual_improve(&dual, &sweeps, deadline, met);
    if (status == MW_OK)
        status = mw_dual_fix(&dual, upper, n_fixed);
    mw_dual_free(&dual);
    return status;
}

static mw_status fix_all(mw_net *net, const mw_problem *problem,
                         mw_int128 below, const mw_deadline *deadline)
{
    mw_incumbent met;
    MW_TRY(mw_incumbent_init(&met, net->ctx, problem));
    mw_status status = MW_OK;
    mw_int128 upper = mw_net_scaled(net, below - 1);
    for (bool more = true; more && status == MW_OK;) {
        int64_t n = count(net), n_fixed = 0;
        status = fix(net, &met, upper, deadline, &n_fixed);
        more = n_fixed * FEW > n && !net->infeasible && !mw_net_late(net);
    }
    mw_incumbent_free(&met);
    return status;
}

static mw_status read_left(const mw_net *net, const placed *order,
                           mw_arena *arena, uint8_t *const *keep)
{
    const mw_problem *problem = net->problem;
    int32_t widest = 1;
    for (int32_t k = 0; k < problem->n_nodes; k++) {
        int32_t n = problem->node[k].n_strategies;
        widest = n > widest ? n : widest;
    }
    bool *left = MW_NEW_ARRAY(arena, widest, bool);
    if (!left)
        return MW_ENOMEM;
    for (int32_t k = 0; k < problem->n_nodes; k++) {
        const mw_net_node *v = &net->node[k];
        int32_t n = problem->node[k].n_strategies;
        for (int32_t s = 0; s < n; s++)
            left[s] = false;
        for (int32_t i = 0; i < v->n; i++)
            left[v->strategy[i]] = true;
        for (int32_t s = 0; s < n; s++)
            keep[order[k].node][s] &= left[s];
    }
    return MW_OK;
}

static mw_status trim(mw_net *net, const placed *order, mw_int128 below,
                      const mw_deadline *deadline, mw_problem *arranged,
                      uint8_t *const *keep, bool *none)
{
    // Costs that had to be rounded tell too little.
    if (net->scale < 0 && !net->infeasible)
        return MW_OK;
    net->deadline = *deadline;
    if (!net->infeasible)
        MW_TRY(fix_all(net, arranged, below, deadline));
    *none = net->infeasible;
    return *none ? MW_OK : read_left(net, order, &arranged->arena, keep);
}

mw_status mw_trim(mw_ctx *ctx, const mw_problem *problem, mw_int128 below,
                  const mw_deadline *deadline, uint8_t *const *keep, bool *none)
{
    mw_problem arranged;
    mw_net net = {0};
    *none = false;
    mw_problem_init(&arranged, ctx);
    const placed *order = find_order(problem, &arranged.arena);
    mw_status status = order ? arrange(problem, order, &arranged) : MW_ENOMEM;
    if (status == MW_OK)
        status = mw_net_init(&net, ctx, &arranged);
    if (status == MW_OK)
        status = trim(&net, order, below, deadline, &arranged, keep, none);
    mw_net_free(&net);
    mw_problem_free(&arranged);
    return status;
}
