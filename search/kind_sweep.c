/* kind_sweep.c - the sweeps over kinds, and the vectors they leave. */
#include "base/mem.h"
#include "search/kind.h"
#include "search/minplus.h"

static bool forbidden(int64_t cost)
{
    return cost >= MW_INFINITE / 2;
}

static int64_t within(int64_t value, int64_t most)
{
    if (value > most)
        return most;
    return value < -most ? -most : value;
}

// What the edges of a side can spare for its node, of n strategies.
static void take(mw_kind_side *side, int32_t n, int64_t most)
{
    mw_minplus(side->share, side->facing, side->answer->share, side->facing_n,
               mw_padded(n));
    for (int32_t s = 0; s < n; s++)
        side->share[s] =
            forbidden(side->share[s]) ? 0 : within(-side->share[s], most);
    for (int32_t s = n; s < mw_padded(n); s++)
        side->share[s] = 0;
}

static void work_out(mw_kinds *kinds, const mw_kind_node *v)
{
    const int64_t *cost = mw_alike_at(kinds->all, v->cost);
    for (int32_t s = 0; s < v->n; s++)
        kinds->theta[s] = cost[s];
    for (int32_t k = 0; k < v->n_sides; k++) {
        const mw_kind_side *side = &v->side[k];
        for (int32_t s = 0; s < v->n; s++)
            kinds->theta[s] -= side->count * side->share[s];
    }
}

// Sides on which a node gives: none that is closed while mending.
static bool gives(const mw_kind_side *side, bool ahead, bool mending)
{
    return side->ahead == ahead && !(mending && side->closed);
}

static int32_t count_sides(const mw_kind_node *v, bool ahead, bool mending)
{
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_sides; k++)
        n += gives(&v->side[k], ahead, mending) ? v->side[k].count : 0;
    return n;
}

// Gives an equal part of what is there to each edge on one side.
static void give(mw_kinds *kinds, const mw_kind_node *v, bool ahead,
                 bool mending)
{
    int32_t n_ahead = count_sides(v, true, mending);
    int32_t n_back = count_sides(v, false, mending);
    int32_t parts = n_ahead > n_back ? n_ahead : n_back;
    for (int32_t k = 0; k < v->n_sides; k++) {
        const mw_kind_side *side = &v->side[k];
        if (!gives(side, ahead, mending))
            continue;
        for (int32_t s = 0; s < v->n; s++) {
            int64_t part = v->excess[s] == INT64_MAX ? 0 : v->excess[s] / parts;
            side->share[s] = within(side->share[s] + part, kinds->most_share);
        }
    }
}

static void turn(mw_kinds *kinds, int32_t node, bool ahead, bool mending)
{
    mw_kind_node *v = &kinds->node[node];
    for (int32_t k = 0; k < v->n_sides; k++) {
        if (!gives(&v->side[k], ahead, mending))
            take(&v->side[k], v->n, kinds->most_share);
    }
    work_out(kinds, v);
    int64_t least = INT64_MAX;
    for (int32_t s = 0; s < v->n; s++)
        least = kinds->theta[s] < least ? kinds->theta[s] : least;
    for (int32_t s = 0; s < v->n; s++)
        v->excess[s] =
            forbidden(kinds->theta[s]) ? INT64_MAX : kinds->theta[s] - least;
    give(kinds, v, ahead, mending);
}

static void sweep(mw_kinds *kinds, bool ahead, bool mending)
{
    for (int32_t i = 0; i < kinds->n_nodes; i++) {
        int32_t k = ahead ? i : kinds->n_nodes - 1 - i;
        if (!mending || kinds->node[k].count == 1)
            turn(kinds, k, ahead, mending);
    }
}

static bool late(const mw_kinds *kinds, const mw_deadline *deadline)
{
    return mw_stopped(kinds->arena->ctx) || mw_deadline_over(deadline);
}

void mw_kinds_sweep(mw_kinds *kinds, int n_pairs, const mw_deadline *deadline)
{
    for (int i = 0; i < n_pairs && !late(kinds, deadline); i++) {
        sweep(kinds, true, false);
        sweep(kinds, false, false);
    }
}

void mw_kinds_mend(mw_kinds *kinds, int n_pairs, const mw_deadline *deadline)
{
    int32_t n_single = 0;
    for (int32_t i = 0; i < kinds->n_nodes; i++)
        n_single += kinds->node[i].count == 1;
    if (n_single == kinds->n_nodes)
        return;
    for (int i = 0; i < n_pairs && !late(kinds, deadline); i++) {
        sweep(kinds, true, true);
        sweep(kinds, false, true);
    }
}

static int64_t added(int64_t cost, int64_t more)
{
    return cost >= MW_INFINITE ? MW_INFINITE : cost + more;
}

static mw_status share_node(mw_kinds *kinds, const mw_kind_node *v,
                            int32_t *cost)
{
    const int64_t *from = mw_alike_at(kinds->all, v->cost);
    work_out(kinds, v);
    for (int32_t s = 0; s < v->n; s++)
        kinds->theta[s] =
            from[s] >= MW_INFINITE ? MW_INFINITE : kinds->theta[s];
    return mw_alike_add(kinds->all, kinds->theta, v->n, cost);
}

static mw_status share_edge(mw_kinds *kinds, const mw_kind_edge *e,
                            int32_t *matrix)
{
    const int64_t *from = mw_alike_at(kinds->all, e->matrix);
    int64_t n = (int64_t)e->n[0] * e->n[1];
    int64_t *made = mw_mem_alloc(kinds->arena->ctx, (size_t)n, sizeof *made);
    if (!made)
        return MW_ENOMEM;
    for (int64_t i = 0, at = 0; i < e->n[0]; i++) {
        for (int64_t j = 0; j < e->n[1]; j++, at++)
            made[at] = added(from[at], e->share[0][i] + e->share[1][j]);
    }
    mw_status status = mw_alike_add(kinds->all, made, n, matrix);
    mw_mem_free(made);
    return status;
}

mw_status mw_kinds_share(mw_kinds *kinds, int32_t *cost, int32_t *matrix)
{
    for (int32_t i = 0; i < kinds->n_nodes; i++)
        MW_TRY(share_node(kinds, &kinds->node[i], &cost[i]));
    for (int32_t i = 0; i < kinds->n_edges; i++)
        MW_TRY(share_edge(kinds, &kinds->edge[i], &matrix[i]));
    return MW_OK;
}
