/* dual_fix.c - what the bound says no choice as good as the incumbent takes.
 *
 * After a sweep ahead every node holds its rest and every edge spares nothing.
 * During the sweep back, at a node's turn, the bound with one of its strategies
 * is: the rests of the nodes behind, the new rests of those ahead, and theta of
 * the strategy; no edge's least is below 0. For a pair on an edge ahead, theta
 * is taken without what that edge gave, plus the pair itself. */
#include <string.h>

#include "base/mem.h"
#include "search/dual_sweep.h"
#include "search/minplus.h"

typedef struct fixing {
    mw_dual *dual;
    mw_int128 upper;
    mw_int128 others; /* least rests of all nodes but the one at its turn */
    int64_t *least;   /* by node, of its rest after the sweep ahead */
    bool *keep;       /* by padded strategy */
} fixing;

static int64_t least_of(const int64_t *value, int32_t n)
{
    int64_t least = INT64_MAX;
    for (int32_t s = 0; s < n; s++)
        least = value[s] < least ? value[s] : least;
    return least;
}

static int64_t room(const fixing *f, mw_int128 lower)
{
    mw_int128 left = f->upper - lower;
    if (left >= MW_NET_INFINITE)
        return MW_NET_INFINITE - 1;
    return left < -MW_NET_INFINITE ? -MW_NET_INFINITE : (int64_t)left;
}

// Forbids in the net the pairs of an edge ahead of the node that are too dear.
// theta holds what the edge spared for each strategy, which is taken out; the
// rest of the other end counts for its strategy instead of its least.
static void forbid_pairs(fixing *f, int32_t node, const mw_dual_edge *e)
{
    mw_dual *dual = f->dual;
    const mw_dual_node *v = &dual->node[node], *w = &dual->node[e->b];
    const int64_t *theta = dual->theta + v->at;
    const int64_t *spared = dual->share + e->at_a;
    const int64_t *given = dual->share + e->at_b;
    const int64_t *rest = dual->rest + w->at;
    int64_t least_rest = least_of(rest, w->n);
    int64_t left = room(f, f->others);
    bool any = false;
    for (int32_t s = 0; s < v->n; s++) {
        mw_net_line line = mw_net_line_of(dual->net, e->edge, v->node, s);
        int64_t base = theta[s] + spared[s] - least_rest;
        for (int32_t t = 0; t < line.n; t++) {
            int64_t *cost = &line.first[t * line.step];
            if (mw_net_forbidden(*cost))
                continue;
            int64_t pair = e->to_a[(int64_t)t * mw_padded(v->n) + s];
            if (base + pair + given[t] + rest[t] > left) {
                *cost = MW_NET_INFINITE;
                any = true;
            }
        }
    }
    if (any)
        dual->net->edge[e->edge].settled = false;
}

static void look_at(fixing *f, int32_t node)
{
    mw_dual *dual = f->dual;
    const mw_dual_node *v = &dual->node[node];
    f->others -= f->least[node];
    mw_dual_take(dual, node, false);
    int64_t left = room(f, f->others);
    for (int32_t s = 0; s < v->n; s++)
        f->keep[v->at + s] = dual->theta[v->at + s] <= left;
    const int32_t *ahead = dual->edge_of + v->first_edge + v->n_back;
    for (int32_t k = 0; k < v->n_ahead; k++)
        forbid_pairs(f, node, &dual->edge[ahead[k]]);
    f->others += mw_dual_give(dual, node, false);
}

static mw_status delete_fixed(fixing *f, int64_t *n_fixed)
{
    mw_dual *dual = f->dual;
    int64_t n = 0;
    for (int32_t i = 0; i < dual->n_nodes && !dual->net->infeasible; i++) {
        const mw_dual_node *v = &dual->node[i];
        for (int32_t s = 0; s < v->n; s++)
            n += !f->keep[v->at + s];
        MW_TRY(mw_net_keep(dual->net, v->node, f->keep + v->at));
    }
    *n_fixed = n;
    return MW_OK;
}

static mw_status fix(fixing *f, int64_t *n_fixed)
{
    mw_dual *dual = f->dual;
    memcpy(dual->price, dual->best_price,
           (size_t)dual->net->n_rows * sizeof *dual->price);
    mw_dual_charge(dual);
    for (int k = 0; k < 2; k++) {
        mw_dual_sweep(dual, true);
        mw_dual_sweep(dual, false);
    }
    mw_dual_sweep(dual, true);
    f->others = dual->bound;
    for (int32_t i = 0; i < dual->n_nodes; i++)
        f->least[i] = least_of(dual->rest + dual->node[i].at, dual->node[i].n);
    for (int32_t i = dual->n_nodes; i-- > 0;)
        look_at(f, i);
    if (!dual->has_best || f->others > dual->best)
        dual->best = f->others;
    dual->has_best = true;
    mw_dual_bake(dual);
    return delete_fixed(f, n_fixed);
}

mw_status mw_dual_fix(mw_dual *dual, mw_int128 upper, int64_t *n_fixed)
{
    mw_ctx *ctx = dual->net->ctx;
    fixing f = {.dual = dual, .upper = upper};
    int64_t n_strategies = 0;
    for (int32_t i = 0; i < dual->n_nodes; i++)
        n_strategies += mw_padded(dual->node[i].n);
    f.least = mw_mem_alloc(ctx, (size_t)dual->n_nodes, sizeof *f.least);
    f.keep = mw_mem_alloc(ctx, (size_t)n_strategies, sizeof *f.keep);
    mw_status status = f.least && f.keep ? MW_OK : MW_ENOMEM;
    if (status == MW_OK)
        status = fix(&f, n_fixed);
    mw_mem_free(f.least);
    mw_mem_free(f.keep);
    return status;
}
