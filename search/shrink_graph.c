/* shrink_graph.c - a copy of the problem in numbers of vectors. */
#include "search/shrink_graph.h"

#include "base/map.h"

void mw_shrink_touch(mw_shrink_graph *g, int32_t node)
{
    mw_shrink_node *v = &g->node[node];
    v->sifted = false;
    if (v->queued || v->n == 0)
        return;
    v->queued = true;
    g->queue[(g->head + g->n_queued++) % g->n_nodes] = node;
}

mw_status mw_shrink_facing(mw_shrink_graph *g, int32_t edge, int32_t node,
                           int32_t *matrix)
{
    const mw_shrink_edge *e = &g->edge[edge];
    *matrix = e->matrix;
    if (e->end[0] == node)
        return MW_OK;
    return mw_alike_transposed(g->all, e->matrix, g->node[e->end[0]].n, matrix);
}

static int32_t find_edge(const mw_shrink_graph *g, int32_t a, int32_t b)
{
    if (g->node[a].n_edges > g->node[b].n_edges) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    const mw_shrink_node *v = &g->node[a];
    for (int32_t i = 0; i < v->n_edges; i++) {
        if (mw_shrink_other(g, v->edge[i], a) == b)
            return v->edge[i];
    }
    return MW_NOTHING;
}

static mw_status note_edge(mw_shrink_graph *g, int32_t node, int32_t edge)
{
    mw_shrink_node *v = &g->node[node];
    int32_t *edges = mw_arena_reserve(g->arena, v->edge, v->n_edges,
                                      &v->cap_edges, sizeof *edges);
    if (!edges)
        return MW_ENOMEM;
    v->edge = edges;
    edges[v->n_edges++] = edge;
    return MW_OK;
}

mw_status mw_shrink_join(mw_shrink_graph *g, int32_t a, int32_t b,
                         int32_t matrix)
{
    int32_t found = find_edge(g, a, b);
    mw_shrink_touch(g, a);
    mw_shrink_touch(g, b);
    if (found != MW_NOTHING) {
        mw_shrink_edge *e = &g->edge[found];
        if (e->end[0] != a)
            MW_TRY(mw_alike_transposed(g->all, matrix, g->node[a].n, &matrix));
        e->settled = false;
        return mw_alike_sum(g->all, e->matrix, matrix, &e->matrix);
    }
    mw_shrink_edge *edges = mw_arena_reserve(g->arena, g->edge, g->n_edges,
                                             &g->cap_edges, sizeof *edges);
    if (!edges)
        return MW_ENOMEM;
    g->edge = edges;
    edges[g->n_edges] = (mw_shrink_edge){{a, b}, matrix, false};
    MW_TRY(note_edge(g, a, g->n_edges));
    return note_edge(g, b, g->n_edges++);
}

mw_status mw_shrink_load(mw_shrink_graph *g, int32_t node, mw_shrink_term term)
{
    mw_shrink_node *v = &g->node[node];
    int64_t least, most = 0;
    if (term.begin >= term.end)
        return MW_OK;
    MW_TRY(mw_alike_lowered(g->all, term.usage, &term.usage, &least));
    g->taken[term.begin] += least;
    g->taken[term.end] -= least;
    const int64_t *usage = mw_alike_at(g->all, term.usage);
    for (int32_t s = 0; s < v->n; s++)
        most = usage[s] > most ? usage[s] : most;
    if (most == 0)
        return MW_OK;
    for (int32_t i = 0; i < v->n_terms; i++) {
        mw_shrink_term *same = &v->term[i];
        if (same->begin == term.begin && same->end == term.end)
            return mw_alike_sum(g->all, same->usage, term.usage, &same->usage);
    }
    mw_shrink_term *terms = mw_arena_reserve(g->arena, v->term, v->n_terms,
                                             &v->cap_terms, sizeof *terms);
    if (!terms)
        return MW_ENOMEM;
    v->term = terms;
    terms[v->n_terms++] = term;
    return MW_OK;
}

/* The vectors of one problem: shared ones are looked at once. */
typedef struct reader {
    mw_shrink_graph *g;
    mw_map known; /* from a pointer to a vector */
} reader;

static mw_status read_vector(reader *r, const int64_t *value, int64_t n,
                             int32_t *id)
{
    const int64_t *found = mw_map_find(&r->known, &value, sizeof value);
    if (found && r->g->all->vector[*found].n == n) {
        *id = (int32_t)*found;
        return MW_OK;
    }
    MW_TRY(mw_alike_add(r->g->all, value, n, id));
    return mw_map_put(&r->known, &value, sizeof value, *id);
}

static mw_status read_nodes(reader *r, const bool *kept)
{
    mw_shrink_graph *g = r->g;
    const mw_problem *whole = g->shrunk->whole;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        mw_shrink_node *v = &g->node[i];
        v->n = whole->node[i].n_strategies;
        v->kept = kept && kept[i];
        MW_TRY(read_vector(r, whole->node[i].cost, v->n, &v->cost));
        MW_TRY(mw_alike_count(g->all, v->n, &v->strategy));
        mw_shrink_touch(g, i);
    }
    return MW_OK;
}

static mw_status read_edges(reader *r)
{
    mw_shrink_graph *g = r->g;
    const mw_problem *whole = g->shrunk->whole;
    for (int32_t i = 0; i < whole->n_edges; i++) {
        const mw_problem_edge *e = &whole->edge[i];
        int32_t row = e->transposed ? e->b : e->a, matrix;
        int32_t column = e->transposed ? e->a : e->b;
        MW_TRY(read_vector(r, e->matrix,
                           (int64_t)g->node[row].n * g->node[column].n,
                           &matrix));
        MW_TRY(mw_shrink_join(g, row, column, matrix));
    }
    return MW_OK;
}

static int32_t row_at(const mw_shrink_graph *g, int64_t time)
{
    int32_t low = 0, high = g->n_rows;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (g->row[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static mw_status read_terms(reader *r)
{
    mw_shrink_graph *g = r->g;
    const mw_problem *whole = g->shrunk->whole;
    MW_TRY(mw_problem_rows(whole, g->arena, &g->row, &g->n_rows));
    g->taken = MW_NEW_ARRAY(g->arena, g->n_rows + 1, int64_t);
    if (!g->taken)
        return MW_ENOMEM;
    for (int32_t i = 0; i < whole->n_terms; i++) {
        const mw_problem_term *term = &whole->term[i];
        mw_shrink_term made = {row_at(g, term->begin), row_at(g, term->end),
                               MW_NOTHING};
        if (term->begin >= term->end || made.begin >= made.end)
            continue;
        MW_TRY(read_vector(r, term->usage, g->node[term->node].n, &made.usage));
        MW_TRY(mw_shrink_load(g, term->node, made));
    }
    return MW_OK;
}

mw_status mw_shrink_open(mw_shrink_graph *g, const bool *kept)
{
    const mw_problem *whole = g->shrunk->whole;
    g->n_nodes = whole->n_nodes;
    g->node = MW_NEW_ARRAY(g->arena, g->n_nodes + 1, mw_shrink_node);
    g->queue = MW_NEW_ARRAY(g->arena, g->n_nodes + 1, int32_t);
    if (!g->node || !g->queue)
        return MW_ENOMEM;
    reader r = {.g = g};
    mw_map_init(&r.known, g->arena);
    MW_TRY(read_nodes(&r, kept));
    MW_TRY(read_edges(&r));
    return read_terms(&r);
}
