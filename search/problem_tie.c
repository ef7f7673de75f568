/* problem_tie.c - sums over sets of nodes; equal vectors are counted and
 * multiplied once. */
#include "search/problem_tie.h"

#include "base/map.h"

/* So many nodes or edges of one set with one vector. */
typedef struct share {
    int32_t a, b; /* new nodes; b: -1 for costs */
    int32_t transposed;
    int32_t pad;
    const int64_t *vector;
} share;

typedef struct tier {
    const mw_problem *whole;
    mw_problem *tied;
    const int32_t *node;
    mw_map counts;   /* by share */
    mw_map products; /* by vector and factor, to a pointer's number */
    int64_t **product;
    int64_t cap;
} tier;

static mw_status count(tier *t, share key)
{
    int64_t *found = mw_map_find(&t->counts, &key, sizeof key);
    if (found) {
        ++*found;
        return MW_OK;
    }
    return mw_map_put(&t->counts, &key, sizeof key, 1);
}

typedef struct product_key {
    const int64_t *vector;
    int64_t factor;
} product_key;

static int64_t times(int64_t cost, int64_t factor)
{
    if (cost >= MW_INFINITE)
        return MW_INFINITE;
    mw_int128 product = (mw_int128)cost * factor;
    return product < MW_INFINITE ? (int64_t)product : MW_INFINITE;
}

// factor times a vector; itself for 1.
static mw_status multiply(tier *t, const int64_t *vector, int64_t n,
                          int64_t factor, const int64_t **result)
{
    product_key key = {vector, factor};
    *result = vector;
    if (factor == 1)
        return MW_OK;
    const int64_t *found = mw_map_find(&t->products, &key, sizeof key);
    if (found) {
        *result = t->product[*found];
        return MW_OK;
    }
    int64_t at = t->products.n_entries;
    int64_t **more = mw_arena_reserve(&t->tied->arena, t->product, at, &t->cap,
                                      sizeof(int64_t *));
    int64_t *made = MW_NEW_ARRAY(&t->tied->arena, n, int64_t);
    if (!more || !made)
        return MW_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        made[i] = times(vector[i], factor);
    t->product = more;
    more[at] = made;
    *result = made;
    return mw_map_put(&t->products, &key, sizeof key, at);
}

// Costs of one set: the sums of all its vectors.
static mw_status add_nodes(tier *t, const int32_t *tie)
{
    const mw_problem *whole = t->whole;
    mw_arena *arena = &t->tied->arena;
    int64_t **cost = MW_NEW_ARRAY(arena, whole->n_nodes + 1, int64_t *);
    if (!cost)
        return MW_ENOMEM;
    for (int32_t i = 0; i < whole->n_nodes; i++) {
        int32_t n = whole->node[i].n_strategies;
        int64_t **sum = &cost[tie[i]];
        if (tie[i] == i)
            *sum = MW_NEW_ARRAY(arena, n, int64_t);
        if (!*sum)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++) {
            int64_t more = whole->node[i].cost[s];
            bool forbidden = (*sum)[s] >= MW_INFINITE || more >= MW_INFINITE;
            (*sum)[s] = forbidden ? MW_INFINITE : (*sum)[s] + more;
        }
    }
    for (int32_t i = 0; i < whole->n_nodes; i++) {
        if (tie[i] == i)
            MW_TRY(mw_problem_add_node(t->tied, whole->node[i].n_strategies,
                                       cost[i]));
    }
    return MW_OK;
}

static mw_status add_edges(tier *t)
{
    const mw_problem *whole = t->whole;
    for (int32_t i = 0; i < whole->n_edges; i++) {
        const mw_problem_edge *e = &whole->edge[i];
        MW_TRY(count(t, (share){t->node[e->a], t->node[e->b], e->transposed, 0,
                                e->matrix}));
    }
    for (int64_t i = 0; i < t->counts.n_entries; i++) {
        const share *s = t->counts.entry[i].key;
        const int64_t *matrix;
        int64_t n = (int64_t)t->tied->node[s->a].n_strategies *
                    t->tied->node[s->b].n_strategies;
        MW_TRY(multiply(t, s->vector, n, t->counts.entry[i].value, &matrix));
        MW_TRY(mw_problem_add_edge(t->tied, s->a, s->b, matrix,
                                   s->transposed != 0));
    }
    return MW_OK;
}

mw_status mw_problem_tie(const mw_problem *whole, const int32_t *tie,
                         mw_problem *tied, int32_t *node)
{
    tier t = {.whole = whole, .tied = tied, .node = node};
    int32_t n = 0;
    mw_map_init(&t.counts, &tied->arena);
    mw_map_init(&t.products, &tied->arena);
    tied->name = whole->name;
    tied->limit = whole->limit;
    for (int32_t i = 0; i < whole->n_nodes; i++)
        node[i] = tie[i] == i ? n++ : node[tie[i]];
    MW_TRY(add_nodes(&t, tie));
    MW_TRY(add_edges(&t));
    for (int32_t i = 0; i < whole->n_terms; i++) {
        const mw_problem_term *term = &whole->term[i];
        MW_TRY(mw_problem_add_term(tied, node[term->node], term->begin,
                                   term->end, term->usage));
    }
    for (int32_t i = 0; i < whole->n_rows; i++)
        MW_TRY(
            mw_problem_add_row(tied, whole->row[i].time, whole->row[i].limit));
    return MW_OK;
}
