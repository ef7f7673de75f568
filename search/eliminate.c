/* eliminate.c - the order of elimination, the tables, and the way back. */
#include "search/eliminate.h"

#include <string.h>

#include "base/mem.h"
#include "search/minplus.h"

enum { NOT_YET = -1, HELD = -2, GONE = INT32_MAX, BLOCK = 32 };

/* What a variable takes beside its table, in entries of it. */
enum { NODE_EFFORT = 500 };

/* Memory of groups: blocks that are used again, not zeroed. */
enum { ROOM_BYTES = 1 << 20, ALIGN = 64 };

typedef struct mw_room {
    struct mw_room *next;
    size_t used, cap;
    unsigned char *data;
} mw_room;

void mw_eliminator_init(mw_eliminator *e, mw_ctx *ctx)
{
    *e = (mw_eliminator){.ctx = ctx};
}

void mw_eliminator_free(mw_eliminator *e)
{
    while (e->room) {
        mw_room *next = e->room->next;
        mw_mem_free(e->room->data);
        mw_mem_free(e->room);
        e->room = next;
    }
    mw_mem_free(e->variable);
    mw_mem_free(e->factor);
    *e = (mw_eliminator){.ctx = e->ctx};
}

void mw_eliminator_clear(mw_eliminator *e)
{
    for (mw_room *room = e->room; room; room = room->next)
        room->used = 0;
    e->n = e->n_factors = e->n_held = 0;
}

static mw_room *add_room(mw_eliminator *e, size_t bytes)
{
    mw_room *room = mw_mem_alloc(e->ctx, 1, sizeof *room);
    if (!room)
        return NULL;
    room->cap = bytes > ROOM_BYTES ? bytes : ROOM_BYTES;
    room->data = mw_mem_alloc(e->ctx, room->cap, 1);
    if (!room->data) {
        mw_mem_free(room);
        return NULL;
    }
    room->next = e->room;
    e->room = room;
    return room;
}

static void *take_room(mw_eliminator *e, int64_t n, size_t size)
{
    size_t bytes = ((size_t)n * size + ALIGN) / ALIGN * ALIGN;
    mw_room *room = e->room;
    while (room && room->cap - room->used < bytes)
        room = room->next;
    if (!room)
        room = add_room(e, bytes);
    if (!room)
        return NULL;
    void *taken = room->data + room->used;
    room->used += bytes;
    return taken;
}

float *mw_eliminator_add(mw_eliminator *e, int32_t n, int32_t value,
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
    float *cost = take_room(e, n, sizeof *cost);
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
    if (v->n_near == v->cap_near) {
        int32_t cap = v->cap_near ? 2 * v->cap_near : 14;
        int32_t *grown = take_room(e, cap, sizeof *grown);
        if (!grown)
            return MW_ENOMEM;
        if (v->n_near > 0)
            memcpy(grown, v->near, (size_t)v->n_near * sizeof *grown);
        v->near = grown;
        v->cap_near = cap;
    }
    v->near[v->n_near++] = b;
    return MW_OK;
}

static mw_status add_factor(mw_eliminator *e, const mw_factor *factor)
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
    e->factor[e->n_factors++] = *factor;
    return MW_OK;
}

float *mw_eliminator_matrix(mw_eliminator *e, int64_t n)
{
    return take_room(e, n, sizeof(float));
}

mw_status mw_eliminator_join(mw_eliminator *e, int32_t a, int32_t b,
                             const float *matrix, const float *turned)
{
    int32_t *scope = take_room(e, 2, sizeof *scope);
    if (!scope)
        return MW_ENOMEM;
    scope[0] = a;
    scope[1] = b;
    int64_t size = (int64_t)e->variable[a].n * e->variable[b].n;
    MW_TRY(add_near(e, a, b));
    MW_TRY(add_near(e, b, a));
    mw_factor factor = {2, scope, matrix, turned, size, -1};
    return add_factor(e, &factor);
}

// ---- the order -------------------------------------------------------------

static mw_status start_picker(mw_eliminator *e, mw_picker *p)
{
    p->n_blocks = (e->n + BLOCK - 1) / BLOCK;
    p->key = take_room(e, (int64_t)p->n_blocks * BLOCK, sizeof *p->key);
    p->block = take_room(e, p->n_blocks, sizeof *p->block);
    if (!p->key || !p->block)
        return MW_ENOMEM;
    for (int32_t i = 0; i < p->n_blocks * BLOCK; i++)
        p->key[i] = GONE;
    for (int32_t i = 0; i < p->n_blocks; i++)
        p->block[i] = GONE;
    return MW_OK;
}

static void set_key(mw_picker *p, int32_t i, int32_t key)
{
    int32_t *block = &p->block[i / BLOCK];
    int32_t was = p->key[i];
    p->key[i] = key;
    if (key <= *block) {
        *block = key;
    } else if (was == *block) {
        const int32_t *first = p->key + i / BLOCK * BLOCK;
        int32_t least = GONE;
        for (int32_t k = 0; k < BLOCK; k++)
            least = first[k] < least ? first[k] : least;
        *block = least;
    }
}

// The first variable with the least key.
static int32_t pick(const mw_picker *p)
{
    int32_t at = 0;
    for (int32_t b = 1; b < p->n_blocks; b++)
        at = p->block[b] < p->block[at] ? b : at;
    int32_t i = at * BLOCK;
    while (p->key[i] != p->block[at])
        i++;
    return i;
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

// Of a variable's table and itself.
static float states_of(const mw_eliminator *e, const mw_variable *v)
{
    float size = (float)v->n;
    for (int32_t k = 0; k < v->n_near; k++)
        size *= (float)e->variable[v->near[k]].n;
    return size;
}

static void measure(mw_eliminator *e, int32_t i)
{
    const mw_variable *v = &e->variable[i];
    float size = states_of(e, v);
    int32_t key;
    // Floats above 0 are ordered as their bits are.
    memcpy(&key, &size, sizeof key);
    set_key(&e->by_size, i, key);
    set_key(&e->by_degree, i, -(v->n_near + v->bias));
}

static void forget_keys(mw_eliminator *e, int32_t i)
{
    set_key(&e->by_size, i, GONE);
    set_key(&e->by_degree, i, GONE);
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
    forget_keys(e, held);
    for (int32_t i = 0; i < v->n_near; i++) {
        forget_near(&e->variable[v->near[i]], held);
        measure(e, v->near[i]);
    }
}

static mw_status start_order(mw_eliminator *e)
{
    e->order = take_room(e, e->n, sizeof *e->order);
    e->mark = take_room(e, e->n, sizeof *e->mark);
    if (!e->order || !e->mark)
        return MW_ENOMEM;
    MW_TRY(start_picker(e, &e->by_size));
    MW_TRY(start_picker(e, &e->by_degree));
    for (int32_t i = 0; i < e->n; i++) {
        e->mark[i] = 0;
        measure(e, i);
    }
    return MW_OK;
}

static mw_status find_order(mw_eliminator *e, int64_t *largest)
{
    MW_TRY(start_order(e));
    int32_t n_ordered = 0;
    *largest = 1;
    for (int32_t n_left = e->n; n_left > 0; n_left--) {
        int32_t smallest = pick(&e->by_size);
        mw_variable *v = &e->variable[smallest];
        float size = states_of(e, v);
        if (size > (float)e->max_states && v->n_near > 0) {
            hold(e, pick(&e->by_degree));
            continue;
        }
        int64_t table = (int64_t)(size / (float)v->n + 0.5F);
        *largest = table > *largest ? table : *largest;
        v->position = n_ordered;
        e->order[n_ordered++] = smallest;
        forget_keys(e, smallest);
        MW_TRY(connect(e, smallest));
    }
    return MW_OK;
}

static int32_t n_ordered(const mw_eliminator *e)
{
    return e->n - e->n_held;
}

// ---- the tables ------------------------------------------------------------

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
        v->cost[s] += f->table[k];
    }
}

static mw_status turn(mw_eliminator *e, mw_factor *f)
{
    int64_t n_a = e->variable[f->scope[0]].n, n_b = e->variable[f->scope[1]].n;
    int32_t *scope = take_room(e, 2, sizeof *scope);
    if (!scope)
        return MW_ENOMEM;
    scope[0] = f->scope[1];
    scope[1] = f->scope[0];
    f->scope = scope;
    if (f->turned) {
        f->table = f->turned;
        return MW_OK;
    }
    float *table = take_room(e, f->size, sizeof *table);
    if (!table)
        return MW_ENOMEM;
    for (int64_t i = 0; i < n_a; i++) {
        for (int64_t j = 0; j < n_b; j++)
            table[j * n_a + i] = f->table[i * n_b + j];
    }
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

// Neighbours that were held after the variable's turn in the order have no part
// in its table.
static void make_scope(const mw_eliminator *e, mw_variable *v)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < v->n_near; i++) {
        if (e->variable[v->near[i]].position != HELD)
            v->near[kept++] = v->near[i];
    }
    v->n_near = kept;
    for (int32_t i = 1; i < v->n_near; i++) {
        int32_t a = v->near[i], k = i;
        for (; k > 0 &&
               e->variable[v->near[k - 1]].position > e->variable[a].position;
             k--)
            v->near[k] = v->near[k - 1];
        v->near[k] = a;
    }
}

// How the table of a factor lies in a table over the scope of the variable that
// is eliminated, of which the factor has some.
static void plan_spread(const mw_eliminator *e, const mw_variable *v,
                        const mw_factor *f, mw_spread *plan)
{
    int64_t step = f->size / v->n;
    int32_t k = 1;
    plan->n = 0;
    for (int32_t i = 0; i < v->n_near; i++) {
        int64_t n = e->variable[v->near[i]].n;
        bool there = k < f->n_scope && f->scope[k] == v->near[i];
        if (there) {
            step /= n;
            k++;
        }
        mw_spread_axis(plan, n, there ? step : 0);
    }
}

static void fill_table(mw_eliminator *e, mw_variable *v, float *out,
                       int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        out[i] = MW_ELIMINATE_INFINITE;
    mw_spread plan = {.out = out, .sum = e->sum};
    for (int32_t s = 0; s < v->n; s++) {
        if (v->cost[s] >= MW_ELIMINATE_INFINITE / 2)
            continue;
        plan.base = v->cost[s];
        bool first = true;
        for (int32_t k = v->bucket; k >= 0; k = e->factor[k].next) {
            const mw_factor *f = &e->factor[k];
            bool last = f->next < 0;
            plan.add = f->table + s * (f->size / v->n);
            plan_spread(e, v, f, &plan);
            mw_spread_run(&plan, first, last);
            first = false;
        }
        if (first)
            out[0] = v->cost[s] < out[0] ? v->cost[s] : out[0];
    }
    e->effort += size * v->n + NODE_EFFORT;
}

static mw_status eliminate(mw_eliminator *e, int32_t i)
{
    mw_variable *v = &e->variable[i];
    int64_t size = 1;
    make_scope(e, v);
    for (int32_t k = 0; k < v->n_near; k++)
        size *= e->variable[v->near[k]].n;
    // Without neighbours nobody asks for the table.
    if (v->n_near == 0)
        return MW_OK;
    float *out = take_room(e, size, sizeof *out);
    if (!out)
        return MW_ENOMEM;
    fill_table(e, v, out, size);
    if (v->n_near > 1) {
        mw_factor made = {v->n_near, v->near, out, NULL, size, -1};
        MW_TRY(add_factor(e, &made));
        into_bucket(e, e->n_factors - 1);
    } else {
        mw_variable *w = &e->variable[v->near[0]];
        for (int32_t s = 0; s < w->n; s++)
            w->cost[s] += out[s];
    }
    return MW_OK;
}

// ---- the way back ----------------------------------------------------------

// A factor's first entry for strategy 0 of the variable it is in the bucket of,
// where the others of its scope are chosen.
static int64_t place_of(const mw_eliminator *e, const mw_factor *f)
{
    int64_t at = 0;
    for (int32_t i = 1; i < f->n_scope; i++) {
        const mw_variable *w = &e->variable[f->scope[i]];
        at = at * w->n + w->value;
    }
    return at;
}

static void choose(mw_eliminator *e)
{
    for (int32_t k = n_ordered(e); k-- > 0;) {
        mw_variable *v = &e->variable[e->order[k]];
        for (int32_t i = v->bucket; i >= 0; i = e->factor[i].next) {
            const mw_factor *f = &e->factor[i];
            int64_t step = f->size / v->n;
            const float *first = f->table + place_of(e, f);
            for (int32_t s = 0; s < v->n; s++)
                v->cost[s] += first[s * step];
        }
        v->value = 0;
        for (int32_t s = 1; s < v->n; s++) {
            if (v->cost[s] < v->cost[v->value])
                v->value = s;
        }
    }
}

mw_status mw_eliminator_run(mw_eliminator *e, int64_t max_states)
{
    int64_t largest = 1;
    e->max_states = max_states;
    MW_TRY(find_order(e, &largest));
    e->sum = take_room(e, largest, sizeof *e->sum);
    if (!e->sum)
        return MW_ENOMEM;
    MW_TRY(fill_buckets(e));
    for (int32_t k = 0; k < n_ordered(e); k++)
        MW_TRY(eliminate(e, e->order[k]));
    choose(e);
    return MW_OK;
}
