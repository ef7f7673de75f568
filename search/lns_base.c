/* lns_base.c - what all workers of a neighbourhood search read: members of
 * rows, least excess by strategy, noise. */
#include <math.h>

#include "search/dual_sweep.h"
#include "search/lns.h"
#include "search/minplus.h"

static mw_status list_members(mw_lns_base *base, mw_arena *arena)
{
    const mw_net *net = base->net;
    base->first_member = MW_NEW_ARRAY(arena, (int64_t)net->n_rows + 2, int64_t);
    base->priced = MW_NEW_ARRAY(arena, net->n_rows, int32_t);
    if (!base->first_member || !base->priced)
        return MW_ENOMEM;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        const mw_net_node *v = &net->node[i];
        for (int32_t k = 0; k < v->n_terms; k++) {
            for (int32_t r = v->term[k].begin; r < v->term[k].end; r++)
                base->first_member[r + 2]++;
        }
    }
    for (int32_t r = 0; r < net->n_rows; r++) {
        base->first_member[r + 2] += base->first_member[r + 1];
        if (net->price[r] > 0)
            base->priced[base->n_priced++] = r;
    }
    base->member =
        MW_NEW_ARRAY(arena, base->first_member[net->n_rows + 1], int32_t);
    if (!base->member)
        return MW_ENOMEM;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        const mw_net_node *v = &net->node[i];
        for (int32_t k = 0; k < v->n_terms; k++) {
            for (int32_t r = v->term[k].begin; r < v->term[k].end; r++)
                base->member[base->first_member[r + 1]++] = i;
        }
    }
    return MW_OK;
}

// What each strategy costs without the shares of edges; theta at each node's
// turn, above its least: by that much the bound would rise.
static void measure_nodes(mw_lns_base *base, mw_dual *dual)
{
    for (int k = 0; k < 4; k++)
        mw_dual_sweep(dual, k % 2 == 0);
    mw_dual_sweep(dual, true);
    mw_dual_sweep(dual, false);
    for (int32_t i = 0; i < dual->n_nodes; i++) {
        const mw_dual_node *v = &dual->node[i];
        const int64_t *theta = dual->theta + v->at;
        int64_t *excess = base->excess + base->first[v->node];
        float *cost = base->cost + base->first[v->node];
        int64_t least = INT64_MAX;
        for (int32_t s = 0; s < v->n; s++)
            least = theta[s] < least ? theta[s] : least;
        for (int32_t s = 0; s < v->n; s++) {
            int64_t own = dual->cost[v->at + s];
            int64_t rest = dual->rest[v->at + s] - dual->charge[v->at + s];
            excess[s] = theta[s] - least;
            cost[s] =
                mw_net_forbidden(own) ? MW_ELIMINATE_INFINITE : (float)rest;
        }
    }
}

// The edge's matrix with the shares, by the strategies of one end.
static float *share_rows(mw_arena *arena, const mw_dual *dual,
                         const mw_dual_edge *e, bool from_b)
{
    int32_t n = dual->node[from_b ? e->b : e->a].n;
    int32_t width = dual->node[from_b ? e->a : e->b].n;
    const int64_t *share = dual->share + (from_b ? e->at_b : e->at_a);
    const int64_t *others = dual->share + (from_b ? e->at_a : e->at_b);
    const int64_t *matrix = from_b ? e->to_a : e->to_b;
    float *rows = MW_NEW_ARRAY(arena, (int64_t)n * width, float);
    for (int64_t s = 0; rows && s < n; s++) {
        const int64_t *row = matrix + s * mw_padded(width);
        for (int64_t t = 0; t < width; t++)
            rows[s * width + t] = mw_net_forbidden(row[t])
                                      ? MW_ELIMINATE_INFINITE
                                      : (float)(row[t] + share[s] + others[t]);
    }
    return rows;
}

static mw_status measure_edges(mw_lns_base *base, mw_arena *arena,
                               const mw_dual *dual)
{
    for (int32_t i = 0; i < dual->n_edges; i++) {
        const mw_dual_edge *e = &dual->edge[i];
        bool turned = base->net->edge[e->edge].end[0] == dual->node[e->b].node;
        for (int end = 0; end < 2; end++) {
            float *rows = share_rows(arena, dual, e, (end != 0) != turned);
            if (!rows)
                return MW_ENOMEM;
            base->rows[e->edge][end] = rows;
        }
    }
    return MW_OK;
}

static mw_status measure(mw_lns_base *base, mw_arena *arena, mw_net *net)
{
    mw_dual dual;
    mw_status status = mw_dual_init(&dual, net);
    if (status == MW_OK) {
        measure_nodes(base, &dual);
        status = measure_edges(base, arena, &dual);
    }
    mw_dual_free(&dual);
    return status;
}

// Sums of twelve uniform numbers are normal enough.
static void make_noise(double *noise)
{
    uint64_t state = 12345;
    for (int i = 0; i < MW_NOISE; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * UINT64_C(6364136223846793005) +
                    UINT64_C(1442695040888963407);
            sum += (double)(state >> 11) * 0x1p-53;
        }
        noise[i] = exp(sum);
    }
}

mw_status mw_lns_base_init(mw_lns_base *base, mw_arena *arena, mw_net *net)
{
    *base = (mw_lns_base){.net = net};
    base->node = MW_NEW_ARRAY(arena, net->n_nodes_left, int32_t);
    base->first = MW_NEW_ARRAY(arena, net->n_nodes, int64_t);
    base->noise = MW_NEW_ARRAY(arena, MW_NOISE, double);
    if (!base->node || !base->first || !base->noise)
        return MW_ENOMEM;
    int64_t n_strategies = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        base->first[i] = n_strategies;
        n_strategies += net->node[i].n;
        if (net->node[i].n > 0)
            base->node[n++] = i;
    }
    base->excess = MW_NEW_ARRAY(arena, n_strategies, int64_t);
    base->cost = MW_NEW_ARRAY(arena, n_strategies, float);
    base->rows =
        mw_arena_alloc(arena, (size_t)net->n_edges, sizeof *base->rows);
    if (!base->excess || !base->cost || !base->rows)
        return MW_ENOMEM;
    make_noise(base->noise);
    MW_TRY(list_members(base, arena));
    return measure(base, arena, net);
}
