/* eliminate.c - the order of elimination, the tables, and the way back. */
#include "search/eliminate.h"

#include <string.h>

#include "base/mem.h"
#include "search/minplus.h"

enum { NOT_YET = -1, HELD = -2 };

void mw_eliminator_init(mw_eliminator *e, mw_ctx *ctx)
{
    *e = (mw_eliminator){.ctx = ctx};
    mw_arena_init(&e->arena, ctx);
}

void mw_eliminator_free(mw_eliminator *e)
{
    mw_arena_free(&e->arena);
    mw_mem_free(e->variable);
    mw_mem_free(e->factor);
    *e = (mw_eliminator){.ctx = e->ctx};
}

void mw_eliminator_clear(mw_eliminator *e)
{
    mw_arena_free(&e->arena);
    e->n = e->n_factors = e->n_held = 0;
}

int64_t *mw_eliminator_add(mw_eliminator *e, int32_t n, int32_t value,
                           int32_t bias)
{
    if (e->n == e->cap) {
        int32_t cap = e->cap ? 2 * e->cap : 64;
        mw_variable *grown =
            mw_mem_grow(e->ctx, e->variable, (size_t)cap, sizeof *grown);
        if (!grown)
            return NULL;
        e->variable = grown;
        e->cap = cap;
    }
    int64_t *cost = MW_NEW_ARRAY(&e->arena, n, int64_t);
    if (cost)
        e->variable[e->n++] = (mw_variable){.n = n,
                                            .cost = cost,
                                            .position = NOT_YET,
                                            .bucket = -1,
                                            .bias = bias,
                                            .value = value};
    return cost;
}

static mw_status add_near(mw_eliminator *e, int32_t a, int32_t b)
{
    mw_variable *v = &e->variable[a];
    int64_t cap = v->cap_near;
    int32_t *near =
        mw_arena_reserve(&e->arena, v->near, v->n_near, &cap, sizeof *near);
    if (!near)
        return MW_ENOMEM;
    v->near = near;
    v->cap_near = (int32_t)cap;
    near[v->n_near++] = b;
    return MW_OK;
}

static mw_status add_factor(mw_eliminator *e, mw_factor factor)
{
    if (e->n_factors == e->cap_factors) {
        int32_t cap = e->cap_factors ? 2 * e->cap_factors : 64;
        mw_factor *grown =
            mw_mem_grow(e->ctx, e->factor, (size_t)cap, sizeof *grown);
        if (!grown)
            return MW_ENOMEM;
        e->factor = grown;
        e->cap_factors = cap;
    }
    e->factor[e->n_factors++] = factor;
    return MW_OK;
}

int64_t *mw_eliminator_matrix(mw_eliminator *e, int64_t n)
{
    return MW_NEW_ARRAY(&e->arena, n, int64_t);
}

mw_status mw_eliminator_join(mw_eliminator *e, int32_t a, int32_t b,
                             const int64_t *matrix)
{
    int32_t *scope = MW_NEW_ARRAY(&e->arena, 2, int32_t);
    if (!scope)
        return MW_ENOMEM;
    scope[0] = a;
    scope[1] = b;
    int64_t size = (int64_t)e->variable[a].n * e->variable[b].n;
    MW_TRY(add_near(e, a, b));
    MW_TRY(add_near(e, b, a));
    return add_factor(e, (mw_factor){2, scope, matrix, size, -1});
}

static void forget_near(mw_variable *v, int32_t gone)
{
    for (int32_t i = 0; i < v->n_near; i++) {
        if (v->near[i] == gone) {
            v->near[i] = v->near[--v->n_near];
            return;
        }
    }
}

static void measure(mw_eliminator *e, int32_t i)
{
    mw_variable *v = &e->variable[i];
    v->size = v->n;
    for (int32_t k = 0; k < v->n_near; k++)
        v->size *= e->variable[v->near[k]].n;
}

// Makes the neighbours of a variable neighbours of each other, and takes the
// variable out of their lists.
static mw_status connect(mw_eliminator *e, int32_t gone)
{
    const mw_variable *v = &e->variable[gone];
    for (int32_t i = 0; i < v->n_near; i++) {
        int32_t a = v->near[i];
        mw_variable *w = &e->variable[a];
        forget_near(w, gone);
        for (int32_t k = 0; k < w->n_near; k++)
            e->mark[w->near[k]] = a + 1;
        for (int32_t k = 0; k < v->n_near; k++) {
            int32_t b = v->near[k];
            if (b != a && e->mark[b] != a + 1)
                MW_TRY(add_near(e, a, b));
        }
    }
    for (int32_t i = 0; i < v->n_near; i++)
        e->mark[v->near[i]] = 0;
    for (int32_t i = 0; i < v->n_near; i++)
        measure(e, v->near[i]);
    return MW_OK;
}

static void hold(mw_eliminator *e, int32_t held)
{
    mw_variable *v = &e->variable[held];
    v->position = HELD;
    e->n_held++;
    for (int32_t i = 0; i < v->n_near; i++) {
        forget_near(&e->variable[v->near[i]], held);
        measure(e, v->near[i]);
    }
}

// Of the variables that are left: the one with the smallest table, and the one
// to hold.
static void look(const mw_eliminator *e, const int32_t *left, int32_t n_left,
                 int32_t *smallest, int32_t *widest)
{
    *smallest = *widest = 0;
    for (int32_t k = 1; k < n_left; k++) {
        const mw_variable *v = &e->variable[left[k]];
        const mw_variable *s = &e->variable[left[*smallest]];
        const mw_variable *w = &e->variable[left[*widest]];
        if (v->size < s->size)
            *smallest = k;
        if (v->n_near + v->bias > w->n_near + w->bias)
            *widest = k;
    }
}

static mw_status find_order(mw_eliminator *e, int64_t *largest)
{
    int32_t *left = MW_NEW_ARRAY(&e->arena, e->n, int32_t);
    e->order = MW_NEW_ARRAY(&e->arena, e->n, int32_t);
    e->mark = MW_NEW_ARRAY(&e->arena, e->n, int32_t);
    if (!left || !e->order || !e->mark)
        return MW_ENOMEM;
    for (int32_t i = 0; i < e->n; i++) {
        left[i] = i;
        measure(e, i);
    }
    int32_t n_ordered = 0;
    *largest = 1;
    for (int32_t n_left = e->n; n_left > 0; n_left--) {
        int32_t smallest, widest;
        look(e, left, n_left, &smallest, &widest);
        mw_variable *v = &e->variable[left[smallest]];
        if (v->size > (double)e->max_states && v->n_near > 0) {
            hold(e, left[widest]);
            left[widest] = left[n_left - 1];
            continue;
        }
        int64_t table = (int64_t)(v->size / v->n + 0.5);
        *largest = table > *largest ? table : *largest;
        v->position = n_ordered;
        e->order[n_ordered++] = left[smallest];
        MW_TRY(connect(e, left[smallest]));
        left[smallest] = left[n_left - 1];
    }
    return MW_OK;
}

static int32_t n_ordered(const mw_eliminator *e)
{
    return e->n - e->n_held;
}

// A held end leaves a line of the matrix for the other one.
static void add_line(mw_eliminator *e, const mw_factor *f, int held_end)
{
    const mw_variable *held = &e->variable[f->scope[held_end]];
    mw_variable *v = &e->variable[f->scope[1 - held_end]];
    if (v->position == HELD)
        return;
    int64_t width = e->variable[f->scope[1]].n;
    for (int32_t s = 0; s < v->n; s++) {
        int64_t k =
            held_end == 0 ? held->value * width + s : s * width + held->value;
        v->cost[s] = mw_net_add(v->cost[s], f->table[k]);
    }
}

static mw_status turn(mw_eliminator *e, mw_factor *f)
{
    int64_t n_a = e->variable[f->scope[0]].n, n_b = e->variable[f->scope[1]].n;
    int32_t *scope = MW_NEW_ARRAY(&e->arena, 2, int32_t);
    int64_t *table = MW_NEW_ARRAY(&e->arena, f->size, int64_t);
    if (!scope || !table)
        return MW_ENOMEM;
    scope[0] = f->scope[1];
    scope[1] = f->scope[0];
    for (int64_t i = 0; i < n_a; i++) {
        for (int64_t j = 0; j < n_b; j++)
            table[j * n_a + i] = f->table[i * n_b + j];
    }
    f->scope = scope;
    f->table = table;
    return MW_OK;
}

static void into_bucket(mw_eliminator *e, int32_t factor)
{
    mw_factor *f = &e->factor[factor];
    mw_variable *v = &e->variable[f->scope[0]];
    f->next = v->bucket;
    v->bucket = factor;
}

static mw_status fill_buckets(mw_eliminator *e)
{
    int32_t n = e->n_factors;
    for (int32_t i = 0; i < n; i++) {
        mw_factor *f = &e->factor[i];
        int32_t p = e->variable[f->scope[0]].position;
        int32_t q = e->variable[f->scope[1]].position;
        if (p == HELD || q == HELD) {
            add_line(e, f, p == HELD ? 0 : 1);
            continue;
        }
        if (p > q)
            MW_TRY(turn(e, f));
        into_bucket(e, i);
    }
    return MW_OK;
}

static void sort_scope(const mw_eliminator *e, mw_variable *v)
{
    for (int32_t i = 1; i < v->n_near; i++) {
        int32_t a = v->near[i], k = i;
        for (; k > 0 &&
               e->variable[v->near[k - 1]].position > e->variable[a].position;
             k--)
            v->near[k] = v->near[k - 1];
        v->near[k] = a;
    }
}

// Adds the part of a factor for the eliminated variable's strategy s to `sum`,
// a table over that variable's scope, of which the factor has some.
static void spread(const mw_eliminator *e, const mw_variable *v,
                   const mw_factor *f, int32_t s)
{
    mw_spread plan = {.n = 0, .sum = e->sum};
    int64_t part = f->size / v->n, step = part;
    plan.add = f->table + s * part;
    int32_t k = 1;
    for (int32_t i = 0; i < v->n_near; i++) {
        int64_t n = e->variable[v->near[i]].n;
        bool there = k < f->n_scope && f->scope[k] == v->near[i];
        if (there) {
            step /= n;
            k++;
        }
        mw_spread_axis(&plan, n, there ? step : 0);
    }
    mw_spread_run(&plan);
}

static void clamp(int64_t *sum, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] = sum[i] > MW_NET_INFINITE ? MW_NET_INFINITE : sum[i];
}

static void fill_table(mw_eliminator *e, mw_variable *v, int64_t *out,
                       int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        out[i] = MW_NET_INFINITE;
    for (int32_t s = 0; s < v->n; s++) {
        if (mw_net_forbidden(v->cost[s]))
            continue;
        for (int64_t i = 0; i < size; i++)
            e->sum[i] = v->cost[s];
        int32_t n = 0;
        for (int32_t k = v->bucket; k >= 0; k = e->factor[k].next) {
            spread(e, v, &e->factor[k], s);
            // So many forbidden costs still fit.
            if (++n % 16 == 0)
                clamp(e->sum, size);
        }
        mw_min_at(out, v->at, e->sum, size, (uint16_t)s);
    }
}

static mw_status eliminate(mw_eliminator *e, int32_t i)
{
    mw_variable *v = &e->variable[i];
    int64_t size = 1;
    for (int32_t k = 0; k < v->n_near; k++)
        size *= e->variable[v->near[k]].n;
    int64_t *out = MW_NEW_ARRAY(&e->arena, size, int64_t);
    v->at = MW_NEW_ARRAY(&e->arena, size, uint16_t);
    if (!out || !v->at)
        return MW_ENOMEM;
    sort_scope(e, v);
    fill_table(e, v, out, size);
    if (v->n_near > 1) {
        mw_factor made = {v->n_near, v->near, out, size, -1};
        MW_TRY(add_factor(e, made));
        into_bucket(e, e->n_factors - 1);
    } else if (v->n_near == 1) {
        mw_variable *w = &e->variable[v->near[0]];
        for (int32_t s = 0; s < w->n; s++)
            w->cost[s] = mw_net_add(w->cost[s], out[s]);
    }
    return MW_OK;
}

static void choose(mw_eliminator *e)
{
    for (int32_t k = n_ordered(e); k-- > 0;) {
        mw_variable *v = &e->variable[e->order[k]];
        int64_t at = 0;
        for (int32_t i = 0; i < v->n_near; i++) {
            const mw_variable *w = &e->variable[v->near[i]];
            at = at * w->n + w->value;
        }
        v->value = v->at[at];
    }
}

mw_status mw_eliminator_run(mw_eliminator *e, int64_t max_states)
{
    int64_t largest = 1;
    e->max_states = max_states;
    MW_TRY(find_order(e, &largest));
    e->sum = MW_NEW_ARRAY(&e->arena, largest, int64_t);
    if (!e->sum)
        return MW_ENOMEM;
    MW_TRY(fill_buckets(e));
    for (int32_t k = 0; k < n_ordered(e); k++)
        MW_TRY(eliminate(e, e->order[k]));
    choose(e);
    return MW_OK;
}
