/* dual.c - the vectors of the dual and its sweeps.
 *
 * At its turn a node takes back what its edges on one side can spare (the least
 * over the other end), and gives an equal part of what it has to each edge on
 * the other side. After a sweep the least of every edge is 0, so that the bound
 * is the sum of what the nodes kept. */
#include "search/dual.h"

#include <string.h>

#include "search/dual_sweep.h"
#include "search/minplus.h"

// A copy of an edge's matrix with one row for each strategy of `from`, padded.
static int64_t *copy_matrix(mw_dual *dual, const mw_dual_edge *e, int32_t from,
                            int32_t to)
{
    const mw_dual_node *v = &dual->node[from], *w = &dual->node[to];
    int64_t width = mw_padded(w->n);
    int64_t *copy = MW_NEW_ARRAY(&dual->arena, v->n * width, int64_t);
    for (int32_t s = 0; copy && s < v->n; s++) {
        mw_net_line line = mw_net_line_of(dual->net, e->edge, v->node, s);
        for (int32_t t = 0; t < w->n; t++)
            copy[s * width + t] = line.first[t * line.step];
        for (int64_t t = w->n; t < width; t++)
            copy[s * width + t] = MW_NET_INFINITE;
    }
    return copy;
}

// Matrices stand in memory as the sweeps come to them: they are far larger than
// what processors keep near.
static mw_status copy_matrices(mw_dual *dual)
{
    for (int32_t i = 0; i < dual->n_nodes; i++) {
        const mw_dual_node *v = &dual->node[i];
        for (int32_t k = 0; k < v->n_back; k++) {
            mw_dual_edge *e = &dual->edge[dual->edge_of[v->first_edge + k]];
            e->to_b = copy_matrix(dual, e, e->a, e->b);
            if (!e->to_b)
                return MW_ENOMEM;
        }
    }
    for (int32_t i = dual->n_nodes; i-- > 0;) {
        const mw_dual_node *v = &dual->node[i];
        const int32_t *ahead = dual->edge_of + v->first_edge + v->n_back;
        for (int32_t k = 0; k < v->n_ahead; k++) {
            mw_dual_edge *e = &dual->edge[ahead[k]];
            e->to_a = copy_matrix(dual, e, e->b, e->a);
            if (!e->to_a)
                return MW_ENOMEM;
        }
    }
    return MW_OK;
}

static mw_status copy_nodes(mw_dual *dual, int32_t *number)
{
    const mw_net *net = dual->net;
    int64_t at = 0, first_edge = 0;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        const mw_net_node *v = &net->node[i];
        if (v->n == 0)
            continue;
        number[i] = dual->n_nodes;
        dual->node[dual->n_nodes++] = (mw_dual_node){
            .node = i, .n = v->n, .first_edge = first_edge, .at = at};
        at += mw_padded(v->n);
        first_edge += v->n_edges;
    }
    mw_arena *arena = &dual->arena;
    dual->cost = MW_NEW_ARRAY(arena, at, int64_t);
    dual->charge = MW_NEW_ARRAY(arena, at, int64_t);
    dual->theta = MW_NEW_ARRAY(arena, at, int64_t);
    dual->rest = MW_NEW_ARRAY(arena, at, int64_t);
    dual->choice = MW_NEW_ARRAY(arena, dual->n_nodes, int32_t);
    dual->edge_of = MW_NEW_ARRAY(arena, first_edge, int32_t);
    if (!dual->cost || !dual->charge || !dual->theta || !dual->rest ||
        !dual->choice || !dual->edge_of)
        return MW_ENOMEM;
    for (int64_t i = 0; i < at; i++)
        dual->cost[i] = MW_NET_INFINITE;
    for (int32_t i = 0; i < dual->n_nodes; i++)
        memcpy(dual->cost + dual->node[i].at,
               net->node[dual->node[i].node].cost,
               (size_t)dual->node[i].n * sizeof *dual->cost);
    return MW_OK;
}

static mw_status copy_edges(mw_dual *dual, const int32_t *number)
{
    const mw_net *net = dual->net;
    for (int32_t i = 0; i < net->n_edges; i++) {
        const int32_t *end = net->edge[i].end;
        if (end[0] < 0)
            continue;
        int32_t a = number[end[0]], b = number[end[1]];
        mw_dual_edge *e = &dual->edge[dual->n_edges++];
        *e = (mw_dual_edge){.edge = i, .a = a < b ? a : b, .b = a < b ? b : a};
        e->at_a = dual->n_shares;
        e->at_b = e->at_a + mw_padded(dual->node[e->a].n);
        dual->n_shares = e->at_b + mw_padded(dual->node[e->b].n);
        dual->node[e->b].n_back++;
    }
    // Edges ahead stand behind those back; `choice` counts the latter here.
    for (int32_t i = 0; i < dual->n_edges; i++) {
        const mw_dual_edge *e = &dual->edge[i];
        mw_dual_node *a = &dual->node[e->a], *b = &dual->node[e->b];
        dual->edge_of[a->first_edge + a->n_back + a->n_ahead++] = i;
        dual->edge_of[b->first_edge + dual->choice[e->b]++] = i;
    }
    dual->share = MW_NEW_ARRAY(&dual->arena, dual->n_shares, int64_t);
    return dual->share ? copy_matrices(dual) : MW_ENOMEM;
}

static mw_status copy_rows(mw_dual *dual)
{
    const mw_net *net = dual->net;
    int64_t n = (int64_t)net->n_rows + 1;
    dual->price = MW_NEW_ARRAY(&dual->arena, n, int64_t);
    dual->best_price = MW_NEW_ARRAY(&dual->arena, n, int64_t);
    dual->total = MW_NEW_ARRAY(&dual->arena, n, int64_t);
    dual->over = MW_NEW_ARRAY(&dual->arena, n, int64_t);
    dual->step = MW_NEW_ARRAY(&dual->arena, n, double);
    dual->soft = MW_NEW_ARRAY(&dual->arena, n, double);
    int32_t widest = 1;
    for (int32_t i = 0; i < dual->n_nodes; i++)
        widest = dual->node[i].n > widest ? dual->node[i].n : widest;
    dual->weight = MW_NEW_ARRAY(&dual->arena, widest, double);
    if (!dual->soft || !dual->weight || !dual->price || !dual->best_price ||
        !dual->total || !dual->over || !dual->step)
        return MW_ENOMEM;
    for (int32_t r = 0; r < net->n_rows; r++)
        dual->price[r] = dual->best_price[r] = net->price[r];
    return MW_OK;
}

mw_status mw_dual_init(mw_dual *dual, mw_net *net)
{
    *dual = (mw_dual){.net = net};
    mw_arena_init(&dual->arena, net->ctx);
    int32_t *number = MW_NEW_ARRAY(&dual->arena, net->n_nodes, int32_t);
    dual->node = MW_NEW_ARRAY(&dual->arena, net->n_nodes_left, mw_dual_node);
    dual->edge = MW_NEW_ARRAY(&dual->arena, net->n_edges, mw_dual_edge);
    if (!number || !dual->node || !dual->edge)
        return MW_ENOMEM;
    MW_TRY(copy_nodes(dual, number));
    MW_TRY(copy_edges(dual, number));
    MW_TRY(copy_rows(dual));
    mw_dual_charge(dual);
    return MW_OK;
}

void mw_dual_free(mw_dual *dual)
{
    if (dual)
        mw_arena_free(&dual->arena);
}
