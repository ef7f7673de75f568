/* net.c - the edits that every reduction is made of, and the way back. */
#include "search/net.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void *copy_of(mw_ctx *ctx, const void *from, int64_t n, size_t size)
{
    void *to = mw_mem_alloc(ctx, (size_t)n, size);
    if (to && n > 0)
        memcpy(to, from, (size_t)n * size);
    return to;
}

// Room for one more in a vector of its own.
static mw_status reserve(mw_ctx *ctx, void **items, int32_t n, int32_t *cap,
                         size_t size)
{
    if (n < *cap)
        return MW_OK;
    int32_t wanted = *cap ? *cap * 2 : 4;
    void *grown = mw_mem_grow(ctx, *items, (size_t)wanted, size);
    if (!grown)
        return MW_ENOMEM;
    *items = grown;
    *cap = wanted;
    return MW_OK;
}

bool mw_net_late(const mw_net *net)
{
    return mw_stopped(net->ctx) || mw_deadline_over(&net->deadline);
}

void mw_net_touch(mw_net *net, int32_t node)
{
    mw_net_node *v = &net->node[node];
    if (v->queued || v->n == 0)
        return;
    v->queued = true;
    int32_t tail = net->queue_head + net->n_queued;
    net->queue[tail % net->n_nodes] = node;
    net->n_queued++;
}

mw_net_line mw_net_line_of(const mw_net *net, int32_t edge, int32_t node,
                           int32_t s)
{
    const mw_net_edge *e = &net->edge[edge];
    int64_t n_a = net->node[e->end[0]].n, n_b = net->node[e->end[1]].n;
    if (e->end[0] == node)
        return (mw_net_line){e->matrix + s * n_b, 1, (int32_t)n_b};
    return (mw_net_line){e->matrix + s, n_b, (int32_t)n_a};
}

static int32_t find_edge(const mw_net *net, int32_t a, int32_t b)
{
    if (net->node[a].n_edges > net->node[b].n_edges) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    const mw_net_node *v = &net->node[a];
    for (int32_t i = 0; i < v->n_edges; i++) {
        if (mw_net_other(net, v->edge[i], a) == b)
            return v->edge[i];
    }
    return -1;
}

static void add_matrix(mw_net *net, int32_t edge, int32_t a, int32_t b,
                       const int64_t *matrix)
{
    int64_t n_a = net->node[a].n, n_b = net->node[b].n;
    mw_net_edge *e = &net->edge[edge];
    bool same = e->end[0] == a;
    for (int64_t i = 0; i < n_a; i++) {
        for (int64_t j = 0; j < n_b; j++) {
            int64_t *entry = &e->matrix[same ? i * n_b + j : j * n_a + i];
            *entry = mw_net_add(*entry, matrix[i * n_b + j]);
        }
    }
    e->settled = false;
}

mw_status mw_net_join(mw_net *net, int32_t a, int32_t b, int64_t *matrix)
{
    int32_t found = find_edge(net, a, b);
    mw_net_touch(net, a);
    mw_net_touch(net, b);
    if (found >= 0) {
        add_matrix(net, found, a, b, matrix);
        mw_mem_free(matrix);
        return MW_OK;
    }
    mw_status status = reserve(net->ctx, (void **)&net->edge, net->n_edges,
                               &net->cap_edges, sizeof *net->edge);
    for (int k = 0; k < 2 && status == MW_OK; k++) {
        mw_net_node *v = &net->node[k ? b : a];
        status = reserve(net->ctx, (void **)&v->edge, v->n_edges, &v->cap_edges,
                         sizeof *v->edge);
    }
    if (status != MW_OK) {
        mw_mem_free(matrix);
        return status;
    }
    int32_t edge = net->n_edges++;
    net->edge[edge] = (mw_net_edge){{a, b}, matrix, false};
    net->node[a].edge[net->node[a].n_edges++] = edge;
    net->node[b].edge[net->node[b].n_edges++] = edge;
    return MW_OK;
}

static void forget_edge(mw_net_node *v, int32_t edge)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < v->n_edges; i++) {
        if (v->edge[i] != edge)
            v->edge[kept++] = v->edge[i];
    }
    v->n_edges = kept;
}

void mw_net_cut_edge(mw_net *net, int32_t edge)
{
    mw_net_edge *e = &net->edge[edge];
    for (int k = 0; k < 2; k++) {
        forget_edge(&net->node[e->end[k]], edge);
        mw_net_touch(net, e->end[k]);
    }
    mw_mem_free(e->matrix);
    *e = (mw_net_edge){.end = {-1, -1}};
}

void mw_net_node_free(mw_net_node *v)
{
    for (int32_t i = 0; i < v->n_terms; i++)
        mw_mem_free(v->term[i].usage);
    mw_mem_free(v->term);
    mw_mem_free(v->edge);
    mw_mem_free(v->cost);
    mw_mem_free(v->strategy);
    *v = (mw_net_node){.queued = v->queued};
}

void mw_net_drop_node(mw_net *net, int32_t node)
{
    mw_net_node *v = &net->node[node];
    while (v->n_edges > 0)
        mw_net_cut_edge(net, v->edge[v->n_edges - 1]);
    mw_net_node_free(v);
    net->n_nodes_left--;
}

static void compact_rows(int64_t *matrix, int32_t n, int64_t width,
                         const bool *keep)
{
    int64_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!keep[i])
            continue;
        if (kept != i)
            memmove(matrix + kept * width, matrix + i * width,
                    (size_t)width * sizeof *matrix);
        kept++;
    }
}

static void compact_columns(int64_t *matrix, int64_t height, int32_t n,
                            const bool *keep)
{
    int64_t next = 0;
    for (int64_t i = 0; i < height; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (keep[j])
                matrix[next++] = matrix[i * n + j];
        }
    }
}

static void compact_edges(mw_net *net, int32_t node, const bool *keep)
{
    const mw_net_node *v = &net->node[node];
    for (int32_t i = 0; i < v->n_edges; i++) {
        mw_net_edge *e = &net->edge[v->edge[i]];
        int32_t other = mw_net_other(net, v->edge[i], node);
        int64_t n_other = net->node[other].n;
        if (e->end[0] == node)
            compact_rows(e->matrix, v->n, n_other, keep);
        else
            compact_columns(e->matrix, n_other, v->n, keep);
        e->settled = false;
        mw_net_touch(net, other);
    }
}

// Moves the least usage of a term into the slack; true when nothing is left.
static bool settle_term(mw_net *net, mw_net_term *term, int32_t n)
{
    int64_t least = INT64_MAX, most = 0;
    for (int32_t s = 0; s < n; s++) {
        least = term->usage[s] < least ? term->usage[s] : least;
        most = term->usage[s] > most ? term->usage[s] : most;
    }
    for (int32_t s = 0; least > 0 && s < n; s++)
        term->usage[s] -= least;
    net->pending[term->begin] -= least;
    net->pending[term->end] += least;
    return most == least;
}

static void drop_term(mw_net_node *v, int32_t i)
{
    mw_mem_free(v->term[i].usage);
    v->term[i] = v->term[--v->n_terms];
}

mw_status mw_net_keep(mw_net *net, int32_t node, const bool *keep)
{
    mw_net_node *v = &net->node[node];
    int32_t kept = 0;
    for (int32_t s = 0; s < v->n; s++)
        kept += keep[s];
    if (kept == v->n)
        return MW_OK;
    if (kept == 0) {
        net->infeasible = true;
        return MW_OK;
    }
    compact_edges(net, node, keep);
    for (int32_t i = 0; i < v->n_terms; i++)
        compact_columns(v->term[i].usage, 1, v->n, keep);
    kept = 0;
    int32_t *heir = net->heir + net->first_strategy[node];
    for (int32_t s = 0; s < v->n; s++) {
        if (keep[s]) {
            v->cost[kept] = v->cost[s];
            v->strategy[kept++] = v->strategy[s];
        } else if (heir[v->strategy[s]] == v->strategy[s]) {
            heir[v->strategy[s]] = -1;
        }
    }
    v->n = kept;
    for (int32_t i = v->n_terms; i-- > 0;) {
        if (settle_term(net, &v->term[i], v->n))
            drop_term(v, i);
    }
    mw_net_touch(net, node);
    return MW_OK;
}

mw_status mw_net_load(mw_net *net, int32_t node, int32_t begin, int32_t end,
                      int64_t *usage)
{
    mw_net_node *v = &net->node[node];
    mw_net_term term = {begin, end, usage};
    if (begin >= end || settle_term(net, &term, v->n)) {
        mw_mem_free(usage);
        return MW_OK;
    }
    mw_net_touch(net, node);
    mw_status status = reserve(net->ctx, (void **)&v->term, v->n_terms,
                               &v->cap_terms, sizeof *v->term);
    if (status != MW_OK) {
        mw_mem_free(usage);
        return status;
    }
    v->term[v->n_terms++] = term;
    return MW_OK;
}

void mw_net_settle_rows(mw_net *net)
{
    int64_t sum = 0;
    for (int32_t r = 0; r < net->n_rows; r++) {
        sum += net->pending[r];
        net->pending[r] = 0;
        net->slack[r] += sum;
        if (net->slack[r] < 0)
            net->infeasible = true;
    }
    net->pending[net->n_rows] = 0;
}

static int compare_terms(const void *a, const void *b)
{
    const mw_net_term *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

void mw_net_merge_terms(mw_net *net, int32_t node)
{
    mw_net_node *v = &net->node[node];
    int32_t kept = 0;
    if (v->n_terms > 1)
        qsort(v->term, (size_t)v->n_terms, sizeof *v->term, compare_terms);
    for (int32_t i = 0; i < v->n_terms; i++) {
        mw_net_term *last = kept > 0 ? &v->term[kept - 1] : NULL;
        if (!last || compare_terms(last, &v->term[i]) != 0) {
            v->term[kept++] = v->term[i];
            continue;
        }
        for (int32_t s = 0; s < v->n; s++)
            last->usage[s] += v->term[i].usage[s];
        mw_mem_free(v->term[i].usage);
    }
    v->n_terms = kept;
    for (int32_t i = v->n_terms; i-- > 0;) {
        if (settle_term(net, &v->term[i], v->n))
            drop_term(v, i);
    }
}

static void renumber_terms(mw_net *net, int32_t node, const int32_t *before)
{
    mw_net_node *v = &net->node[node];
    bool changed = false;
    for (int32_t i = v->n_terms; i-- > 0;) {
        mw_net_term *term = &v->term[i];
        int32_t begin = before[term->begin], end = before[term->end];
        changed = changed || end - begin != term->end - term->begin;
        term->begin = begin;
        term->end = end;
        if (begin >= end)
            drop_term(v, i);
    }
    if (changed)
        mw_net_merge_terms(net, node);
}

void mw_net_keep_rows(mw_net *net, const bool *keep)
{
    mw_net_settle_rows(net);
    int32_t kept = 0;
    int32_t *before = net->kept_before;
    for (int32_t r = 0; r < net->n_rows; r++) {
        before[r] = kept;
        if (!keep[r])
            continue;
        net->slack[kept] = net->slack[r];
        net->price[kept] = net->price[r];
        kept++;
    }
    before[net->n_rows] = kept;
    net->n_rows = kept;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        int32_t n_terms = net->node[i].n_terms;
        if (n_terms > 0)
            renumber_terms(net, i, before);
        if (net->node[i].n_terms < n_terms)
            mw_net_touch(net, i);
    }
    mw_net_settle_rows(net);
}

mw_status mw_net_note(mw_net *net, int32_t node, int32_t n_by,
                      const int32_t by[2], int32_t *best)
{
    mw_net_record record = {.node = node, .n_by = n_by, .best = best};
    mw_status status = reserve(net->ctx, (void **)&net->record, net->n_records,
                               &net->cap_records, sizeof *net->record);
    int64_t n_best = 1;
    for (int k = 0; k < n_by && status == MW_OK; k++) {
        const mw_net_node *v = &net->node[by[k]];
        record.by[k] = by[k];
        record.n[k] = v->n;
        record.strategy[k] =
            copy_of(net->ctx, v->strategy, v->n, sizeof *v->strategy);
        n_best *= v->n;
        status = record.strategy[k] ? MW_OK : MW_ENOMEM;
    }
    if (status != MW_OK) {
        mw_mem_free(best);
        mw_mem_free(record.strategy[0]);
        return status;
    }
    for (int64_t i = 0; i < n_best; i++)
        best[i] = net->node[node].strategy[best[i]];
    net->record[net->n_records++] = record;
    return MW_OK;
}

// Where a strategy of the problem stands in an ascending list, or -1.
static int32_t find_strategy(const int32_t *list, int32_t n, int32_t strategy)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (list[middle] < strategy)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && list[low] == strategy ? low : -1;
}

void mw_net_expand(const mw_net *net, const int32_t *current, int32_t *choice)
{
    for (int32_t i = 0; i < net->n_nodes; i++) {
        if (net->node[i].n > 0)
            choice[i] = net->node[i].strategy[current[i]];
    }
    for (int32_t i = net->n_records; i-- > 0;) {
        const mw_net_record *record = &net->record[i];
        int64_t at = 0;
        for (int k = 0; k < record->n_by; k++)
            at = at * record->n[k] + find_strategy(record->strategy[k],
                                                   record->n[k],
                                                   choice[record->by[k]]);
        choice[record->node] = record->best[at];
    }
}

bool mw_net_restrict(const mw_net *net, const int32_t *choice, int32_t *current)
{
    bool all = true;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        const mw_net_node *v = &net->node[i];
        if (v->n == 0)
            continue;
        const int32_t *heir = net->heir + net->first_strategy[i];
        int32_t s = choice[i];
        while (s >= 0 && heir[s] != s)
            s = heir[s];
        current[i] = s < 0 ? -1 : find_strategy(v->strategy, v->n, s);
        if (current[i] >= 0)
            continue;
        all = false;
        current[i] = 0;
    }
    return all;
}

mw_int128 mw_net_cost(const mw_net *net, const int32_t *current)
{
    mw_int128 sum = net->constant;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        if (net->node[i].n > 0)
            sum += net->node[i].cost[current[i]];
    }
    for (int32_t i = 0; i < net->n_edges; i++) {
        const int32_t *end = net->edge[i].end;
        if (end[0] >= 0)
            sum += mw_net_line_of(net, i, end[0], current[end[0]])
                       .first[current[end[1]]];
    }
    return sum;
}

mw_int128 mw_net_bound(const mw_net *net, mw_int128 value)
{
    if (net->scale <= 0)
        return value * ((mw_int128)1 << -net->scale);
    mw_int128 unit = (mw_int128)1 << net->scale;
    mw_int128 down = value / unit;
    return down * unit < value ? down + 1 : down;
}

mw_int128 mw_net_scaled(const mw_net *net, mw_int128 cost)
{
    if (net->scale >= 0)
        return cost * ((mw_int128)1 << net->scale);
    return cost / ((mw_int128)1 << -net->scale);
}
