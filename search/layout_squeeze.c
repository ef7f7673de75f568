/* layout_squeeze.c - homes that make a choice fit: each weighs its time against
 * its payments, at prices that are raised until all fit together; then what
 * room is left goes to those that gain most by it. */
#include <stdlib.h>

#include "search/layout_hunt.h"
#include "search/layout_price.h"

enum { DOUBLINGS = 24, HALVINGS = 14, PASSES = 3 };

/* What a home costs in one state, the ops' strategies given. */
typedef struct offer {
    int64_t time_ps;
    double payment;
} offer;

typedef struct squeeze {
    mw_hunt *hunt;
    int64_t limit;
    const mw_prices *prices;
    offer *offers;  /* of all homes */
    int64_t *first; /* by node: where its offers begin */
    int32_t *low;   /* states at a price too low, at one that fits */
    int32_t *high;
} squeeze;

static void weigh(squeeze *q, const int32_t *state, int32_t node)
{
    const mw_space *space = q->hunt->space;
    mw_life life = space->life[space->node_tensor[node]];
    double total =
        (double)(q->prices->total[life.end] - q->prices->total[life.begin]);
    const mw_home_class *homes = &space->home_class[space->node_class[node]];
    offer *offers = &q->offers[q->first[node]];
    for (int32_t h = 0; h < homes->n; h++)
        offers[h] = (offer){0, total * (double)homes->bytes[h]};
    for (int32_t i = q->hunt->home_link_of[node];
         i < q->hunt->home_link_of[node + 1]; i++) {
        const mw_link *link = &space->link[q->hunt->home_link[i]];
        const mw_link_class *c = &space->link_class[link->link_class];
        double price = (double)q->prices->step[link->op];
        int64_t row = c->row[state[space->op_node[link->op]]];
        for (int32_t h = 0; h < homes->n; h++) {
            int64_t cell = row * c->n_homes + h;
            bool forbidden = c->time_ps[cell] >= MW_INFINITE ||
                             offers[h].time_ps >= MW_INFINITE;
            offers[h].time_ps =
                forbidden ? MW_INFINITE : offers[h].time_ps + c->time_ps[cell];
            offers[h].payment += price * (double)c->memory_bytes[cell];
        }
    }
}

// Each home at its best for prices times `factor`; whether all fit.
static bool choose(const squeeze *q, double factor, int32_t *state)
{
    const mw_space *space = q->hunt->space;
    mw_space_figures figures;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_tensor[i] == MW_NONE)
            continue;
        const uint8_t *const *allowed = q->hunt->tables.allowed;
        const offer *offers = &q->offers[q->first[i]];
        double least = 0;
        int32_t best = MW_NONE;
        for (int32_t h = 0; h < mw_space_states(space, i); h++) {
            double cost =
                (double)offers[h].time_ps + factor * offers[h].payment;
            if (allowed && allowed[i] && !allowed[i][h])
                continue;
            if (best == MW_NONE || cost < least) {
                least = cost;
                best = h;
            }
        }
        state[i] = best == MW_NONE ? state[i] : best;
    }
    mw_space_evaluate(space, state, q->hunt->live, &figures);
    return !figures.forbidden && figures.peak_bytes <= q->limit;
}

static void copy(const squeeze *q, int32_t *to, const int32_t *from)
{
    for (int32_t i = 0; i < q->hunt->space->n_nodes; i++)
        to[i] = from[i];
}

static bool find_factor(squeeze *q, const int32_t *state)
{
    double unit = 1.0 / (double)(INT64_C(1) << MW_PRICE_SHIFT);
    double low = 0, high = unit / 64;
    copy(q, q->low, state);
    copy(q, q->high, state);
    if (choose(q, 0, q->high))
        return true;
    int doublings = 0;
    while (!choose(q, high, q->high)) {
        if (++doublings == DOUBLINGS)
            return false;
        low = high;
        high *= 2;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (choose(q, middle, q->low))
            high = middle;
        else
            low = middle;
    }
    (void)choose(q, low, q->low);
    return choose(q, high, q->high);
}

// Whether a home may move: bytes of its life, and of its links, stay within the
// limit. Takes the move into the live bytes when it does.
static bool move(const squeeze *q, int32_t *state, int32_t node, int32_t h)
{
    const mw_space *space = q->hunt->space;
    mw_life life = space->life[space->node_tensor[node]];
    const mw_home_class *homes = &space->home_class[space->node_class[node]];
    int64_t *live = q->hunt->live;
    int32_t before = state[node];
    for (int take = 0; take < 2; take++) {
        // Twice the same walk: down to what is left, and back if too much.
        int32_t from = take ? h : before, to = take ? before : h;
        bool fits = true;
        for (mw_id k = life.begin; k < life.end && k < space->n_steps; k++)
            live[k] += homes->bytes[to] - homes->bytes[from];
        for (int32_t i = q->hunt->home_link_of[node];
             i < q->hunt->home_link_of[node + 1]; i++) {
            const mw_link *link = &space->link[q->hunt->home_link[i]];
            const mw_link_class *c = &space->link_class[link->link_class];
            int64_t row =
                (int64_t)c->row[state[space->op_node[link->op]]] * c->n_homes;
            live[link->op] +=
                c->memory_bytes[row + to] - c->memory_bytes[row + from];
            fits = fits && live[link->op] <= q->limit;
        }
        for (mw_id k = life.begin; fits && k < life.end && k < space->n_steps;
             k++)
            fits = live[k] <= q->limit;
        if (take == 0 && fits) {
            state[node] = h;
            return true;
        }
    }
    return false;
}

/* A home that would rather be elsewhere. */
typedef struct wish {
    int32_t node, home;
    double worth; /* time gained a byte */
} wish;

static int by_worth(const void *a, const void *b)
{
    const wish *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

// The best wish of a home: the most time a byte.
static bool wish_of(const squeeze *q, const int32_t *state, int32_t node,
                    wish *made)
{
    const mw_space *space = q->hunt->space;
    const mw_home_class *homes = &space->home_class[space->node_class[node]];
    const offer *offers = &q->offers[q->first[node]];
    int32_t now = state[node];
    *made = (wish){node, MW_NONE, 0};
    for (int32_t h = 0; h < homes->n; h++) {
        double gain = (double)(offers[now].time_ps - offers[h].time_ps);
        double bytes = (double)(homes->bytes[h] - homes->bytes[now]);
        double worth = gain / (bytes > 1 ? bytes : 1);
        if (gain > 0 && worth > made->worth) {
            made->worth = worth;
            made->home = h;
        }
    }
    return made->home != MW_NONE;
}

// Homes move while there is room, those first that gain most by it.
static mw_status fill_room(const squeeze *q, mw_arena *arena, int32_t *state)
{
    const mw_space *space = q->hunt->space;
    mw_space_figures figures;
    wish *wishes = MW_NEW_ARRAY(arena, space->n_nodes + 1, wish);
    if (!wishes)
        return MW_ENOMEM;
    mw_space_evaluate(space, state, q->hunt->live, &figures);
    for (int pass = 0; pass < PASSES && !q->hunt->tables.allowed; pass++) {
        size_t n = 0, moved = 0;
        for (int32_t i = 0; i < space->n_nodes; i++) {
            if (space->node_tensor[i] != MW_NONE &&
                wish_of(q, state, i, &wishes[n]))
                n++;
        }
        qsort(wishes, n, sizeof *wishes, by_worth);
        for (size_t i = 0; i < n; i++)
            moved += move(q, state, wishes[i].node, wishes[i].home);
        if (moved == 0)
            break;
    }
    return MW_OK;
}

// From the prices that fit towards those that do not quite.
static void lean_back(const squeeze *q, int32_t *state)
{
    const mw_space *space = q->hunt->space;
    mw_space_figures figures;
    mw_space_evaluate(space, state, q->hunt->live, &figures);
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_tensor[i] != MW_NONE && q->low[i] != state[i])
            (void)move(q, state, i, q->low[i]);
    }
}

static bool fits_already(const squeeze *q, const int32_t *state)
{
    mw_space_figures figures;
    mw_space_evaluate(q->hunt->space, state, q->hunt->live, &figures);
    return !figures.forbidden && figures.peak_bytes <= q->limit;
}

static mw_status squeeze_it(squeeze *q, mw_arena *arena, int32_t *state,
                            bool *fits)
{
    const mw_space *space = q->hunt->space;
    int64_t n_offers = 0;
    q->first = MW_NEW_ARRAY(arena, space->n_nodes + 1, int64_t);
    q->low = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    q->high = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    if (!q->first || !q->low || !q->high)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        q->first[i] = n_offers;
        if (space->node_tensor[i] != MW_NONE)
            n_offers += mw_space_states(space, i);
    }
    q->offers = MW_NEW_ARRAY(arena, n_offers + 1, offer);
    if (!q->offers)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_tensor[i] != MW_NONE)
            weigh(q, state, i);
    }
    *fits = fits_already(q, state);
    if (!*fits) {
        *fits = find_factor(q, state);
        if (!*fits)
            return MW_OK;
        copy(q, state, q->high);
        lean_back(q, state);
    }
    return fill_room(q, arena, state);
}

mw_status mw_hunt_squeeze(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                          int32_t *state, bool *fits)
{
    squeeze q = {.hunt = hunt, .limit = limit, .prices = prices};
    mw_arena arena;
    mw_arena_init(&arena, hunt->space->ctx);
    mw_status status = squeeze_it(&q, &arena, state, fits);
    mw_arena_free(&arena);
    return status;
}
