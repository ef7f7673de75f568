/* shrink_reduce.c - the reductions, node by node, until nothing changes. */
#include "search/shrink_graph.h"

static bool late(const mw_shrink_graph *g)
{
    return mw_stopped(g->arena->ctx) || mw_deadline_over(g->deadline);
}

static void cut_edge(mw_shrink_graph *g, int32_t edge)
{
    mw_shrink_edge *e = &g->edge[edge];
    for (int k = 0; k < 2; k++) {
        mw_shrink_node *v = &g->node[e->end[k]];
        int32_t kept = 0;
        for (int32_t i = 0; i < v->n_edges; i++) {
            if (v->edge[i] != edge)
                v->edge[kept++] = v->edge[i];
        }
        v->n_edges = kept;
        mw_shrink_touch(g, e->end[k]);
    }
    e->end[0] = e->end[1] = MW_NOTHING;
}

static mw_status add_cost(mw_shrink_graph *g, int32_t node, int32_t cost)
{
    mw_shrink_node *v = &g->node[node];
    int32_t before = v->cost;
    MW_TRY(mw_alike_sum(g->all, v->cost, cost, &v->cost));
    if (v->cost != before)
        mw_shrink_touch(g, node);
    return MW_OK;
}

// Moves the least costs of lines to the ends.
static mw_status settle_edge(mw_shrink_graph *g, int32_t edge)
{
    mw_shrink_edge *e = &g->edge[edge];
    int32_t a = e->end[0], b = e->end[1];
    mw_made made;
    e->settled = true;
    MW_TRY(mw_alike_settled(g->all, e->matrix, g->node[a].n, &made));
    MW_TRY(add_cost(g, a, made.id[0]));
    MW_TRY(add_cost(g, b, made.id[1]));
    if (made.id[2] == MW_NOTHING)
        cut_edge(g, edge);
    else
        e->matrix = made.id[2];
    return MW_OK;
}

static mw_status pick_edges(mw_shrink_graph *g, int32_t node, int32_t numbers)
{
    const mw_shrink_node *v = &g->node[node];
    for (int32_t i = 0; i < v->n_edges; i++) {
        mw_shrink_edge *e = &g->edge[v->edge[i]];
        int32_t other = mw_shrink_other(g, v->edge[i], node);
        if (e->end[0] == node)
            MW_TRY(mw_alike_picked_rows(g->all, e->matrix, g->node[other].n,
                                        numbers, &e->matrix));
        else
            MW_TRY(mw_alike_picked_columns(g->all, e->matrix, v->n, numbers,
                                           &e->matrix));
        e->settled = false;
        mw_shrink_touch(g, other);
    }
    return MW_OK;
}

// Which strategies of the whole have gone, and who stands for them. heirs: by
// strategy as it stands; MW_NOTHING: nobody does.
static mw_status note_heirs(mw_shrink_graph *g, int32_t node, int32_t numbers,
                            int32_t heirs)
{
    mw_shrink_node *v = &g->node[node];
    int32_t n = g->shrunk->whole->node[node].n_strategies;
    const int64_t *name = mw_alike_at(g->all, v->strategy);
    if (!v->heir) {
        v->heir = MW_NEW_ARRAY(g->arena, n, int32_t);
        if (!v->heir)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++)
            v->heir[s] = s;
    }
    for (int32_t s = 0; s < v->n; s++) {
        if (mw_shrink_find(g->all, numbers, s) != MW_NOTHING)
            continue;
        int64_t heir =
            heirs == MW_NOTHING ? -1 : name[mw_alike_at(g->all, heirs)[s]];
        v->heir[name[s]] = (int32_t)heir;
    }
    return MW_OK;
}

// Leaves a node the strategies of these numbers.
static mw_status pick(mw_shrink_graph *g, int32_t node, int32_t numbers,
                      int32_t heirs)
{
    mw_shrink_node *v = &g->node[node];
    int32_t n = (int32_t)g->all->vector[numbers].n;
    if (n == v->n)
        return MW_OK;
    if (n == 0) {
        g->shrunk->infeasible = true;
        return MW_OK;
    }
    MW_TRY(note_heirs(g, node, numbers, heirs));
    MW_TRY(pick_edges(g, node, numbers));
    MW_TRY(mw_alike_picked(g->all, v->cost, numbers, &v->cost));
    MW_TRY(mw_alike_picked(g->all, v->strategy, numbers, &v->strategy));
    int32_t n_terms = v->n_terms;
    v->n = n;
    v->n_terms = 0;
    for (int32_t i = 0; i < n_terms; i++) {
        mw_shrink_term term = v->term[i];
        MW_TRY(mw_alike_picked(g->all, term.usage, numbers, &term.usage));
        MW_TRY(mw_shrink_load(g, node, term));
    }
    mw_shrink_touch(g, node);
    return MW_OK;
}

static mw_status delete_forbidden(mw_shrink_graph *g, int32_t node)
{
    const mw_shrink_node *v = &g->node[node];
    const int64_t *cost = mw_alike_at(g->all, v->cost);
    int64_t allowed = 0;
    for (int32_t s = 0; s < v->n; s++)
        allowed += cost[s] < MW_INFINITE;
    if (allowed == v->n || v->kept)
        return MW_OK;
    int64_t *number = MW_NEW_ARRAY(g->arena, v->n, int64_t), n = 0;
    int32_t numbers;
    if (!number)
        return MW_ENOMEM;
    for (int32_t s = 0; s < v->n; s++) {
        if (cost[s] < MW_INFINITE)
            number[n++] = s;
    }
    MW_TRY(mw_alike_add(g->all, number, n, &numbers));
    return pick(g, node, numbers, MW_NOTHING);
}

static mw_status settle(mw_shrink_graph *g, int32_t node)
{
    mw_shrink_node *v = &g->node[node];
    MW_TRY(delete_forbidden(g, node));
    for (int32_t i = v->n_edges; i-- > 0 && !g->shrunk->infeasible;) {
        if (!g->edge[v->edge[i]].settled)
            MW_TRY(settle_edge(g, v->edge[i]));
    }
    if (!g->shrunk->infeasible)
        MW_TRY(delete_forbidden(g, node));
    if (g->shrunk->infeasible)
        return MW_OK;
    int64_t least;
    MW_TRY(mw_alike_lowered(g->all, v->cost, &v->cost, &least));
    if (least < MW_INFINITE)
        g->constant += least;
    return MW_OK;
}

static mw_status record(mw_shrink_graph *g, mw_shrink_record made)
{
    mw_shrunk *shrunk = g->shrunk;
    made.strategy = g->node[made.node].strategy;
    for (int k = 0; k < made.n_by; k++)
        made.strategy_by[k] = g->node[made.by[k]].strategy;
    mw_shrink_record *records =
        mw_arena_reserve(g->arena, shrunk->record, shrunk->n_records,
                         &shrunk->cap_records, sizeof *records);
    if (!records)
        return MW_ENOMEM;
    shrunk->record = records;
    records[shrunk->n_records++] = made;
    return MW_OK;
}

static void drop(mw_shrink_graph *g, int32_t node)
{
    mw_shrink_node *v = &g->node[node];
    while (v->n_edges > 0)
        cut_edge(g, v->edge[v->n_edges - 1]);
    v->n = 0;
}

// The one strategy's lines are costs of the other ends.
static mw_status drop_single(mw_shrink_graph *g, int32_t node)
{
    const mw_shrink_node *v = &g->node[node];
    int64_t cost = mw_alike_at(g->all, v->cost)[0];
    MW_TRY(record(g, (mw_shrink_record){.node = node, .cost = v->cost}));
    g->constant += cost;
    for (int32_t i = 0; i < v->n_edges; i++) {
        int32_t other = mw_shrink_other(g, v->edge[i], node);
        // A matrix of one row or one column is the vector either way.
        MW_TRY(add_cost(g, other, g->edge[v->edge[i]].matrix));
    }
    drop(g, node);
    return MW_OK;
}

// A new matrix may not be much larger than what it replaces.
static bool worth_it(int64_t n, int64_t n_left, int64_t n_right)
{
    int64_t new_size = n_left * n_right, old_size = n * (n_left + n_right);
    return new_size <= 2500 || new_size <= 2 * old_size;
}

// With one neighbour or none: its least cost for each of the other's.
static mw_status eliminate_leaf(mw_shrink_graph *g, int32_t node)
{
    const mw_shrink_node *v = &g->node[node];
    mw_shrink_record made = {
        .node = node, .n_by = v->n_edges, .cost = v->cost, .right = MW_NOTHING};
    int32_t cost = MW_NOTHING;
    if (v->n_edges == 1) {
        made.by[0] = mw_shrink_other(g, v->edge[0], node);
        MW_TRY(mw_shrink_facing(g, v->edge[0], made.by[0], &made.left));
        MW_TRY(mw_alike_between(g->all, made.left, v->cost, MW_NOTHING, &cost));
    }
    MW_TRY(record(g, made));
    drop(g, node);
    return made.n_by == 1 ? add_cost(g, made.by[0], cost) : MW_OK;
}

static mw_status eliminate(mw_shrink_graph *g, int32_t node, bool *changed)
{
    const mw_shrink_node *v = &g->node[node];
    if (v->n_edges > 2 || v->n_terms > 0 || v->kept)
        return MW_OK;
    if (v->n_edges < 2) {
        *changed = true;
        return eliminate_leaf(g, node);
    }
    mw_shrink_record made = {.node = node, .n_by = 2, .cost = v->cost};
    for (int k = 0; k < 2; k++)
        made.by[k] = mw_shrink_other(g, v->edge[k], node);
    if (!worth_it(v->n, g->node[made.by[0]].n, g->node[made.by[1]].n))
        return MW_OK;
    int32_t matrix;
    MW_TRY(mw_shrink_facing(g, v->edge[0], made.by[0], &made.left));
    MW_TRY(mw_shrink_facing(g, v->edge[1], node, &made.right));
    MW_TRY(mw_alike_between(g->all, made.left, v->cost, made.right, &matrix));
    MW_TRY(record(g, made));
    drop(g, node);
    *changed = true;
    return mw_shrink_join(g, made.by[0], made.by[1], matrix);
}

enum { FEW_EDGES = 64 };

// Deletes what another strategy makes needless.
static mw_status sift(mw_shrink_graph *g, int32_t node)
{
    mw_shrink_node *v = &g->node[node];
    int32_t matrix[FEW_EDGES], usage[FEW_EDGES];
    if (v->kept || v->sifted || v->n_edges > FEW_EDGES ||
        v->n_terms > FEW_EDGES)
        return MW_OK;
    for (int32_t i = 0; i < v->n_edges; i++)
        MW_TRY(mw_shrink_facing(g, v->edge[i], node, &matrix[i]));
    for (int32_t i = 0; i < v->n_terms; i++)
        usage[i] = v->term[i].usage;
    mw_alike_node asked = {.cost = v->cost,
                           .matrix = matrix,
                           .usage = usage,
                           .n_matrices = v->n_edges,
                           .n_usages = v->n_terms};
    mw_made made;
    v->sifted = true;
    MW_TRY(mw_alike_worthy(g->all, &asked, &made));
    return pick(g, node, made.id[0], made.id[1]);
}

static mw_status reduce_node(mw_shrink_graph *g, int32_t node)
{
    const mw_shrink_node *v = &g->node[node];
    bool changed = false;
    MW_TRY(settle(g, node));
    if (g->shrunk->infeasible)
        return MW_OK;
    if (v->n == 1 && !v->kept)
        return drop_single(g, node);
    MW_TRY(eliminate(g, node, &changed));
    return changed ? MW_OK : sift(g, node);
}

mw_status mw_shrink_reduce(mw_shrink_graph *g)
{
    while (g->n_queued > 0 && !g->shrunk->infeasible && !late(g)) {
        int32_t node = g->queue[g->head];
        g->head = (g->head + 1) % g->n_nodes;
        g->n_queued--;
        g->node[node].queued = false;
        if (g->node[node].n > 0)
            MW_TRY(reduce_node(g, node));
    }
    return MW_OK;
}
