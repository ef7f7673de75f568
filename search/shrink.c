/* shrink.c - from a problem to a small one, and back. */
#include "search/shrink.h"

#include "search/shrink_graph.h"

// Whether no sum of allowed costs comes near to a forbidden one.
static bool sums_fit(const mw_shrink_graph *g)
{
    mw_int128 sum = 0;
    for (int32_t i = 0; i < g->n_nodes; i++)
        sum += g->all->vector[g->node[i].cost].most;
    for (int32_t i = 0; i < g->n_edges; i++)
        sum += g->all->vector[g->edge[i].matrix].most;
    return sum < MW_INFINITE / 2;
}

// What is taken whatever is chosen leaves the rest to the others.
static mw_status add_rows(mw_shrink_graph *g)
{
    mw_problem *small = &g->shrunk->small;
    int64_t taken = 0;
    for (int32_t r = 0; r < g->n_rows; r++) {
        taken += g->taken[r];
        if (g->row[r].limit < taken) {
            g->shrunk->infeasible = true;
            return MW_OK;
        }
        MW_TRY(mw_problem_add_row(small, r, g->row[r].limit - taken));
    }
    return MW_OK;
}

static mw_status write_small(mw_shrink_graph *g)
{
    mw_shrunk *shrunk = g->shrunk;
    mw_problem *small = &shrunk->small;
    small->name = shrunk->whole->name;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const mw_shrink_node *v = &g->node[i];
        shrunk->small_of[i] = v->n > 0 ? small->n_nodes : MW_NOTHING;
        if (v->n > 0)
            MW_TRY(
                mw_problem_add_node(small, v->n, mw_alike_at(g->all, v->cost)));
    }
    shrunk->n_small = small->n_nodes;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        const mw_shrink_node *v = &g->node[i];
        for (int32_t k = 0; v->n > 0 && k < v->n_terms; k++)
            MW_TRY(mw_problem_add_term(small, shrunk->small_of[i],
                                       v->term[k].begin, v->term[k].end,
                                       mw_alike_at(g->all, v->term[k].usage)));
    }
    for (int32_t i = 0; i < g->n_edges; i++) {
        const mw_shrink_edge *e = &g->edge[i];
        if (e->end[0] != MW_NOTHING)
            MW_TRY(mw_problem_add_edge(small, shrunk->small_of[e->end[0]],
                                       shrunk->small_of[e->end[1]],
                                       mw_alike_at(g->all, e->matrix), false));
    }
    int64_t *constant = MW_NEW(&small->arena, int64_t);
    if (!constant)
        return MW_ENOMEM;
    *constant = g->constant;
    MW_TRY(mw_problem_add_node(small, 1, constant));
    return add_rows(g);
}

static mw_status shrink(mw_shrink_graph *g, const bool *kept)
{
    mw_shrunk *shrunk = g->shrunk;
    MW_TRY(mw_shrink_open(g, kept));
    shrunk->node = g->node;
    shrunk->same = !sums_fit(g);
    if (shrunk->same)
        return MW_OK;
    MW_TRY(mw_shrink_reduce(g));
    if (shrunk->infeasible)
        return MW_OK;
    shrunk->small_of = MW_NEW_ARRAY(g->arena, g->n_nodes + 1, int32_t);
    return shrunk->small_of ? write_small(g) : MW_ENOMEM;
}

enum { MOST_VECTORS_MB = 512 };

mw_status mw_shrink(mw_shrunk *shrunk, mw_alike *all, const mw_problem *whole,
                    const bool *kept, const mw_deadline *deadline)
{
    *shrunk = (mw_shrunk){.whole = whole, .all = all};
    mw_problem_init(&shrunk->small, whole->arena.ctx);
    if (all->n_bytes >> 20 >= MOST_VECTORS_MB)
        mw_alike_clear(all);
    mw_shrink_graph g = {.shrunk = shrunk,
                         .all = all,
                         .arena = &shrunk->small.arena,
                         .deadline = deadline};
    return shrink(&g, kept);
}

void mw_shrunk_free(mw_shrunk *shrunk)
{
    mw_problem_free(&shrunk->small);
}

int32_t mw_shrink_find(const mw_alike *all, int32_t numbers, int64_t number)
{
    const mw_vector *v = &all->vector[numbers];
    int64_t low = 0, high = v->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (v->value[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < v->n && v->value[low] == number;
    return found ? (int32_t)low : MW_NOTHING;
}

// The least of left + cost + right, the first of equal ones.
static int64_t follow(const mw_alike *all, const mw_shrink_record *r,
                      const int32_t by[2])
{
    int64_t n = all->vector[r->cost].n, least = INT64_MAX, best = 0;
    const int64_t *cost = mw_alike_at(all, r->cost);
    for (int64_t s = 0; s < n; s++) {
        int64_t sum = cost[s];
        if (r->n_by > 0)
            sum += mw_alike_at(all, r->left)[by[0] * n + s];
        if (r->n_by > 1) {
            int64_t width = all->vector[r->right].n / n;
            sum += mw_alike_at(all, r->right)[s * width + by[1]];
        }
        if (sum < least) {
            least = sum;
            best = s;
        }
    }
    return best;
}

void mw_shrunk_expand(const mw_shrunk *shrunk, const int32_t *small,
                      int32_t *choice)
{
    const mw_alike *all = shrunk->all;
    for (int32_t i = 0; i < shrunk->whole->n_nodes; i++) {
        int32_t at = shrunk->small_of[i];
        if (at != MW_NOTHING)
            choice[i] =
                (int32_t)mw_alike_at(all, shrunk->node[i].strategy)[small[at]];
    }
    for (int32_t i = shrunk->n_records; i-- > 0;) {
        const mw_shrink_record *r = &shrunk->record[i];
        int32_t by[2] = {0, 0};
        for (int k = 0; k < r->n_by; k++)
            by[k] = mw_shrink_find(all, r->strategy_by[k], choice[r->by[k]]);
        choice[r->node] =
            (int32_t)mw_alike_at(all, r->strategy)[follow(all, r, by)];
    }
}

bool mw_shrunk_restrict(const mw_shrunk *shrunk, const int32_t *choice,
                        int32_t *small)
{
    for (int32_t i = 0; i < shrunk->whole->n_nodes; i++) {
        const mw_shrink_node *v = &shrunk->node[i];
        int32_t s = choice[i];
        while (v->heir && s >= 0 && v->heir[s] != s)
            s = v->heir[s];
        int32_t at = shrunk->small_of[i];
        if (s < 0)
            return false;
        if (at == MW_NOTHING)
            continue;
        small[at] = mw_shrink_find(shrunk->all, v->strategy, s);
        if (small[at] == MW_NOTHING)
            return false;
    }
    small[shrunk->n_small] = 0;
    return true;
}
