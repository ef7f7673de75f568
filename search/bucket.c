/* bucket.c - the order of elimination, the tables along it, and the choice. */
#include "search/bucket.h"

#include <string.h>

#include "base/mem.h"
#include "search/bucket_table.h"

/* Nodes by the entries of their tables, the least first; what was added before
 * a node changed is stale. */
typedef struct heap_item {
    int64_t entries;
    int32_t node;
} heap_item;

typedef struct heap {
    mw_arena *arena;
    heap_item *item;
    int64_t n, cap;
} heap;

static bool before(heap_item a, heap_item b)
{
    return a.entries != b.entries ? a.entries < b.entries : a.node < b.node;
}

static mw_status push(heap *h, heap_item item)
{
    heap_item *items =
        mw_arena_reserve(h->arena, h->item, h->n, &h->cap, sizeof *items);
    if (!items)
        return MW_ENOMEM;
    h->item = items;
    int64_t i = h->n++;
    for (; i > 0 && before(item, items[(i - 1) / 2]); i = (i - 1) / 2)
        items[i] = items[(i - 1) / 2];
    items[i] = item;
    return MW_OK;
}

static heap_item pop(heap *h)
{
    heap_item top = h->item[0], last = h->item[--h->n];
    int64_t i = 0;
    for (int64_t child = 1; child < h->n; child = 2 * i + 1) {
        if (child + 1 < h->n && before(h->item[child + 1], h->item[child]))
            child++;
        if (!before(h->item[child], last))
            break;
        h->item[i] = h->item[child];
        i = child;
    }
    h->item[i] = last;
    return top;
}

static bool has_near(const mw_bucket_node *v, int32_t other, int32_t *at)
{
    int32_t low = 0, high = v->n_near;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (v->near[middle] < other)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < v->n_near && v->near[low] == other;
}

static mw_status add_near(mw_bucket *b, int32_t node, int32_t other)
{
    mw_bucket_node *v = &b->node[node];
    int32_t at;
    if (has_near(v, other, &at))
        return MW_OK;
    int32_t *near = mw_arena_reserve(&b->arena, v->near, v->n_near,
                                     &v->cap_near, sizeof *near);
    if (!near)
        return MW_ENOMEM;
    v->near = near;
    memmove(near + at + 1, near + at, (size_t)(v->n_near - at) * sizeof *near);
    near[at] = other;
    v->n_near++;
    return MW_OK;
}

static void drop_near(mw_bucket_node *v, int32_t other)
{
    int32_t at;
    if (!has_near(v, other, &at))
        return;
    v->n_near--;
    memmove(v->near + at, v->near + at + 1,
            (size_t)(v->n_near - at) * sizeof *v->near);
}

static int64_t entries_of(const mw_bucket *b, int32_t node)
{
    const mw_bucket_node *v = &b->node[node];
    int64_t n = b->problem->node[node].n_strategies;
    if (v->n_near > MW_BUCKET_AXES)
        return INT64_MAX;
    for (int32_t i = 0; i < v->n_near; i++) {
        int32_t width = b->problem->node[v->near[i]].n_strategies;
        n = n > INT64_MAX / width ? INT64_MAX : n * width;
    }
    return n;
}

static mw_status rate(mw_bucket *b, heap *h, int32_t node)
{
    b->node[node].entries = entries_of(b, node);
    return push(h, (heap_item){b->node[node].entries, node});
}

// The neighbours of the node that goes become neighbours of each other.
static mw_status join_near(mw_bucket *b, heap *h, int32_t node)
{
    const mw_bucket_node *v = &b->node[node];
    for (int32_t i = 0; i < v->n_near; i++) {
        int32_t other = v->near[i];
        drop_near(&b->node[other], node);
        for (int32_t k = 0; k < v->n_near; k++) {
            if (k != i)
                MW_TRY(add_near(b, other, v->near[k]));
        }
        MW_TRY(rate(b, h, other));
    }
    return MW_OK;
}

// Counts the table of a node, unless one like it has been.
static mw_status count_entries(mw_bucket *b, int32_t node)
{
    const mw_bucket_node *v = &b->node[node];
    bool fresh = true;
    if (b->kind) {
        int32_t id;
        mw_key_clear(&b->key);
        mw_key_add(&b->key, b->kind[node]);
        for (int32_t i = 0; i < v->n_near; i++)
            mw_key_add(&b->key, b->kind[v->near[i]]);
        MW_TRY(mw_intern_key(&b->tables, &b->key, &id, &fresh));
    }
    if (fresh)
        b->n_entries = b->n_entries > INT64_MAX - v->entries
                           ? INT64_MAX
                           : b->n_entries + v->entries;
    return MW_OK;
}

static mw_status find_order(mw_bucket *b, int64_t enough)
{
    heap h = {.arena = &b->arena};
    int32_t n = 0;
    for (int32_t i = 0; i < b->problem->n_nodes; i++)
        MW_TRY(rate(b, &h, i));
    while (h.n > 0 && b->n_entries <= enough) {
        heap_item top = pop(&h);
        mw_bucket_node *v = &b->node[top.node];
        if (v->position != MW_NOTHING || v->entries != top.entries)
            continue;
        v->position = n;
        b->order[n++] = top.node;
        MW_TRY(count_entries(b, top.node));
        MW_TRY(join_near(b, &h, top.node));
    }
    return MW_OK;
}

mw_status mw_bucket_open(mw_bucket *b, mw_alike *all, const mw_problem *problem,
                         const int32_t *kind, int64_t enough)
{
    *b = (mw_bucket){.all = all, .problem = problem, .kind = kind};
    mw_arena_init(&b->arena, problem->arena.ctx);
    b->tables.arena = b->key.arena = &b->arena;
    b->node = MW_NEW_ARRAY(&b->arena, problem->n_nodes + 1, mw_bucket_node);
    b->order = MW_NEW_ARRAY(&b->arena, problem->n_nodes + 1, int32_t);
    if (!b->node || !b->order)
        return MW_ENOMEM;
    for (int32_t i = 0; i < problem->n_nodes; i++)
        b->node[i].position = b->node[i].first = MW_NOTHING;
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *e = &problem->edge[i];
        if (problem->node[e->a].n_strategies == 1 ||
            problem->node[e->b].n_strategies == 1)
            continue;
        MW_TRY(add_near(b, e->a, e->b));
        MW_TRY(add_near(b, e->b, e->a));
    }
    return find_order(b, enough);
}

void mw_bucket_close(mw_bucket *b)
{
    mw_arena_free(&b->arena);
}

// Puts a factor where the first of its nodes is eliminated: the last of scope.
static mw_status put(mw_bucket *b, int32_t table, const int32_t *scope,
                     int32_t n_scope)
{
    mw_bucket_factor *factors = mw_arena_reserve(
        &b->arena, b->factor, b->n_factors, &b->cap_factors, sizeof *factors);
    if (!factors)
        return MW_ENOMEM;
    mw_bucket_node *v = &b->node[scope[n_scope - 1]];
    b->factor = factors;
    factors[b->n_factors] = (mw_bucket_factor){table, n_scope, scope, v->first};
    v->first = b->n_factors++;
    return MW_OK;
}

static mw_status put_edge(mw_bucket *b, const mw_problem_edge *e)
{
    const mw_problem_node *node = b->problem->node;
    int32_t row = e->transposed ? e->b : e->a, table;
    int32_t column = e->transposed ? e->a : e->b;
    int32_t height = node[row].n_strategies;
    MW_TRY(mw_alike_add(b->all, e->matrix,
                        (int64_t)height * node[column].n_strategies, &table));
    int32_t *scope = MW_NEW_ARRAY(&b->arena, 2, int32_t);
    if (!scope)
        return MW_ENOMEM;
    // With one strategy on one side it is a cost of the other alone.
    scope[0] = height == 1 ? column : row;
    if (height == 1 || node[column].n_strategies == 1)
        return put(b, table, scope, 1);
    bool turned = b->node[row].position < b->node[column].position;
    scope[0] = turned ? column : row;
    scope[1] = turned ? row : column;
    if (turned)
        MW_TRY(mw_alike_transposed(b->all, table, height, &table));
    return put(b, table, scope, 2);
}

static mw_status put_all(mw_bucket *b)
{
    for (int32_t i = 0; i < b->problem->n_nodes; i++) {
        int32_t table, *scope = MW_NEW_ARRAY(&b->arena, 1, int32_t);
        if (!scope)
            return MW_ENOMEM;
        *scope = i;
        MW_TRY(mw_alike_add(b->all, b->problem->node[i].cost,
                            b->problem->node[i].n_strategies, &table));
        MW_TRY(put(b, table, scope, 1));
    }
    for (int32_t i = 0; i < b->problem->n_edges; i++)
        MW_TRY(put_edge(b, &b->problem->edge[i]));
    return MW_OK;
}

// The other nodes of the factors in a node's bucket, the last in the order
// first.
static mw_status find_scope(mw_bucket *b, int32_t node, int32_t **scope,
                            int32_t *n)
{
    int32_t *made = MW_NEW_ARRAY(&b->arena, b->node[node].n_near + 1, int32_t);
    *scope = made;
    *n = 0;
    if (!made)
        return MW_ENOMEM;
    for (int32_t i = 0; i < b->node[node].n_near; i++) {
        int32_t other = b->node[node].near[i], at = (*n)++;
        for (;
             at > 0 && b->node[made[at - 1]].position < b->node[other].position;
             at--)
            made[at] = made[at - 1];
        made[at] = other;
    }
    return MW_OK;
}

static mw_status gather(mw_bucket *b, int32_t node, const int32_t *scope,
                        int32_t n, mw_bucket_table *t)
{
    mw_bucket_table_begin(t, b->all, b->problem->node[node].n_strategies);
    for (int32_t i = 0; i < n; i++)
        mw_bucket_table_axis(t, b->problem->node[scope[i]].n_strategies);
    for (int32_t f = b->node[node].first; f != MW_NOTHING;
         f = b->factor[f].next) {
        const mw_bucket_factor *factor = &b->factor[f];
        uint64_t axes = 0;
        for (int32_t i = 0, k = 0; i < n && k < factor->n_scope - 1; i++) {
            if (factor->scope[k] == scope[i]) {
                axes |= UINT64_C(1) << i;
                k++;
            }
        }
        MW_TRY(mw_bucket_table_add(t, factor->table, axes));
    }
    return MW_OK;
}

static mw_status eliminate(mw_bucket *b, int32_t node, mw_bucket_table *t,
                           mw_int128 *cost)
{
    int32_t *scope, n, made;
    int64_t least;
    MW_TRY(find_scope(b, node, &scope, &n));
    MW_TRY(gather(b, node, scope, n, t));
    MW_TRY(mw_bucket_table_make(t, &made, &least));
    *cost += least;
    return n > 0 ? put(b, made, scope, n) : MW_OK;
}

// The best strategy of a node, those behind it in the order being chosen.
static int32_t choose(const mw_bucket *b, int32_t node, const int32_t *choice)
{
    int64_t least = INT64_MAX;
    int32_t best = 0, n = b->problem->node[node].n_strategies;
    for (int32_t s = 0; s < n; s++) {
        int64_t sum = 0;
        for (int32_t f = b->node[node].first; f != MW_NOTHING;
             f = b->factor[f].next) {
            const mw_bucket_factor *factor = &b->factor[f];
            int64_t at = 0;
            for (int32_t k = 0; k < factor->n_scope - 1; k++) {
                int32_t other = factor->scope[k];
                at = at * b->problem->node[other].n_strategies + choice[other];
            }
            int64_t value = mw_alike_at(b->all, factor->table)[at * n + s];
            sum = sum >= MW_INFINITE / 2 || value >= MW_INFINITE / 2
                      ? MW_INFINITE
                      : sum + value;
        }
        if (sum < least) {
            least = sum;
            best = s;
        }
    }
    return best;
}

static mw_status run(mw_bucket *b, const mw_deadline *deadline,
                     int64_t most_entries, mw_bucket_table *t, mw_int128 *cost,
                     bool *late)
{
    MW_TRY(put_all(b));
    for (int32_t i = 0; i < b->problem->n_nodes && !*late; i++) {
        MW_TRY(eliminate(b, b->order[i], t, cost));
        *late = t->n_made > most_entries || mw_stopped(b->arena.ctx) ||
                mw_deadline_over(deadline);
    }
    return MW_OK;
}

mw_status mw_bucket_run(mw_bucket *b, const mw_deadline *deadline,
                        int64_t most_entries, int32_t *choice, mw_int128 *cost,
                        bool *late)
{
    mw_bucket_table t = {0};
    *cost = 0;
    *late = false;
    mw_status status = run(b, deadline, most_entries, &t, cost, late);
    mw_bucket_table_free(&t);
    for (int32_t i = b->problem->n_nodes; status == MW_OK && !*late && i-- > 0;)
        choice[b->order[i]] = choose(b, b->order[i], choice);
    return status;
}
