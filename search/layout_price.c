/* layout_price.c - the ascent of the prices. */
#include "search/layout_price.h"

#include <math.h>
#include <string.h>

#include "search/layout_hunt.h"

/* Tied nodes are few, and of the sets for further ranks there are many: what a
 * rough bound leaves is soon solved. */
enum { TURNS = 40, RAY_LOOKS = 14, IDLE_TURNS = 6, FEW_IDLE_TURNS = 1 };

/* Large spaces begin with prices at few steps; turns without gain, after which
 * all steps may have one. */
enum { THIN_NODES = 1000, FEW_SUMMITS = 4, IDLE_THIN = 2 };

/* A gap that is as good as none; gains that are, of the bound and, by a turn,
 * of the distance to the best choice. */
static const double CLOSE = 1e-7, LITTLE = 1e-6, LITTLE_TURN = 0.02;

/* Of the direction, what is kept from turn to turn; what is left of a turn's
 * length after one that gained nothing, and below which it is of no use. */
static const double KEPT = 0.5, SHRINK = 0.6, LEAST = 0.01;

/* A choice at some height of the ray: its value, the slope there, and what each
 * step takes beyond the limit, as a share of it. */
typedef struct look {
    bool seen;
    double height, value, slope;
    double *over;
    int32_t *state;
} look;

typedef struct ascent {
    mw_hunt *hunt;
    int64_t limit;
    mw_answer *answer;
    mw_seen *seen;
    mw_prices prices;
    double *ray; /* by step: what the whole limit costs at height 1 */
    double *best_ray, *along;
    double *shared; /* by node: of the ray, by steps that are tied */
    int32_t *n_sharing;
    bool *summit; /* by step: may have a price */
    bool thin;    /* few steps have */
    double factor, begin_s;
    look ground, low, high, fresh; /* ground: without prices */
    int64_t bound;
    bool bounded;
    int32_t *state;
} ascent;

static bool allocate_look(look *l, const mw_space *space, mw_arena *arena)
{
    l->over = MW_NEW_ARRAY(arena, space->n_steps + 1, double);
    l->state = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    return l->over && l->state;
}

static mw_status allocate(ascent *a, mw_arena *arena)
{
    const mw_space *space = a->hunt->space;
    int n = space->n_steps;
    a->prices.step = MW_NEW_ARRAY(arena, n + 1, int64_t);
    a->prices.total = MW_NEW_ARRAY(arena, n + 2, int64_t);
    a->ray = MW_NEW_ARRAY(arena, n + 1, double);
    a->best_ray = MW_NEW_ARRAY(arena, n + 1, double);
    a->along = MW_NEW_ARRAY(arena, n + 1, double);
    a->summit = MW_NEW_ARRAY(arena, n + 1, bool);
    a->state = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    a->shared = MW_NEW_ARRAY(arena, space->n_nodes + 1, double);
    a->n_sharing = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    return a->shared && a->n_sharing && a->prices.step && a->prices.total &&
                   a->ray && a->best_ray && a->along && a->summit && a->state &&
                   allocate_look(&a->ground, space, arena) &&
                   allocate_look(&a->low, space, arena) &&
                   allocate_look(&a->high, space, arena) &&
                   allocate_look(&a->fresh, space, arena)
               ? MW_OK
               : MW_ENOMEM;
}

mw_int128 mw_prices_worth(const mw_prices *prices, int n_steps, int64_t limit)
{
    mw_int128 unit = (mw_int128)1 << MW_PRICE_SHIFT;
    mw_int128 sum = (mw_int128)prices->total[n_steps];
    return (sum * limit + unit - 1) / unit;
}

static mw_int128 worth(const ascent *a)
{
    return mw_prices_worth(&a->prices, a->hunt->space->n_steps, a->limit);
}

static void keep_prices(ascent *a)
{
    size_t n = (size_t)a->hunt->space->n_steps;
    mw_prices *best = &a->seen->prices;
    memcpy(best->step, a->prices.step, n * sizeof *best->step);
    memcpy(best->total, a->prices.total, (n + 1) * sizeof *best->total);
}

static void set_prices(ascent *a, double height)
{
    int n = a->hunt->space->n_steps;
    double unit = ldexp(1, MW_PRICE_SHIFT) / (double)a->limit;
    for (int k = 0; k < n; k++) {
        double price = height * a->ray[k] * unit;
        a->prices.step[k] = (int64_t)fmin(price, 1e17 / n);
        a->prices.total[k + 1] = a->prices.total[k] + a->prices.step[k];
    }
}

static void take_bound(ascent *a, const mw_solve_result *result)
{
    if (!result->bounded || result->proof == MW_PROOF_TOLERANCE)
        return;
    mw_int128 bound = result->bound - worth(a);
    int64_t value = bound < 0 ? 0 : (int64_t)bound;
    if (!a->bounded || value > a->bound) {
        a->bound = value;
        keep_prices(a);
    }
    a->bounded = true;
}

static void note(ascent *a, const int32_t *state)
{
    for (int32_t i = 0; state && i < a->hunt->space->n_nodes; i++)
        a->seen->state[i][state[i]] = 1;
}

// A choice that fits, or what fits of it.
static mw_status take_choice(ascent *a)
{
    mw_hunt *hunt = a->hunt;
    bool fits;
    note(a, hunt->scratch);
    memcpy(a->state, hunt->scratch,
           (size_t)hunt->space->n_nodes * sizeof *a->state);
    MW_TRY(mw_hunt_offer(hunt, a->limit, a->state, a->answer));
    // Homes that move by themselves would not stay tied.
    if (hunt->tie)
        return MW_OK;
    MW_TRY(mw_hunt_squeeze(hunt, a->limit, &a->prices, a->state, &fits));
    if (!fits)
        return MW_OK;
    note(a, a->state);
    return mw_hunt_offer(hunt, a->limit, a->state, a->answer);
}

static double slope_of(const ascent *a, const double *over)
{
    double slope = 0;
    for (int k = 0; k < a->hunt->space->n_steps; k++)
        slope += a->ray[k] * over[k];
    return slope;
}

// What prices of this height lead to; done: nothing more can be learned.
static mw_status look_at(ascent *a, double height, look *seen, bool *done)
{
    mw_hunt *hunt = a->hunt;
    mw_solve_result result = {0};
    mw_space_figures figures;
    set_prices(a, height);
    MW_TRY(mw_hunt_solve_priced(hunt, &a->prices, &result));
    take_bound(a, &result);
    *done = !result.choice || !result.bounded;
    if (*done)
        return MW_OK;
    memcpy(seen->state, hunt->scratch,
           (size_t)hunt->space->n_nodes * sizeof *seen->state);
    MW_TRY(take_choice(a));
    mw_space_evaluate(hunt->space, seen->state, hunt->live, &figures);
    seen->seen = true;
    seen->height = height;
    seen->value = (double)(result.bound - worth(a));
    for (int k = 0; k < hunt->space->n_steps; k++)
        seen->over[k] = (double)(hunt->live[k] - a->limit) / (double)a->limit;
    seen->slope = slope_of(a, seen->over);
    *done = mw_hunt_over(hunt);
    return MW_OK;
}

static double distance(const ascent *a)
{
    if (!a->answer->state)
        return 0.1 * (double)a->bound + 1;
    return (double)(a->answer->figures.time_ps - a->bound);
}

static bool closed(const ascent *a)
{
    double enough = fmax(CLOSE, a->hunt->budget.enough);
    return a->answer->state && a->bounded &&
           distance(a) <= enough * (double)a->answer->figures.time_ps;
}

static void copy_look(const ascent *a, look *to, const look *from)
{
    const mw_space *space = a->hunt->space;
    double *over = to->over;
    int32_t *state = to->state;
    memcpy(over, from->over, (size_t)space->n_steps * sizeof *over);
    memcpy(state, from->state, (size_t)space->n_nodes * sizeof *state);
    *to = *from;
    to->over = over;
    to->state = state;
}

// Where the tangents of both ends meet; found: no more is to be gained there.
static double next_height(const ascent *a, bool *found)
{
    const look *low = &a->low, *high = &a->high;
    *found = false;
    if (!high->seen)
        return low->height > 0 ? 4 * low->height : 1;
    double meet = (high->value - low->value + low->slope * low->height -
                   high->slope * high->height) /
                  (low->slope - high->slope);
    double top = low->value + low->slope * (meet - low->height);
    double known = fmax(low->value, high->value);
    double width = high->height - low->height;
    *found =
        top - known <= LITTLE * fabs(known) || width <= 1e-9 * high->height;
    return fmin(fmax(meet, low->height + width / 50),
                high->height - width / 50);
}

// To the top of the ray: its two sides are in low and high.
static mw_status climb(ascent *a, bool *done)
{
    bool found = false;
    copy_look(a, &a->low, &a->ground);
    a->low.slope = slope_of(a, a->low.over);
    a->high.seen = false;
    double height = 1;
    for (int i = 0; i < RAY_LOOKS && !found && !*done; i++) {
        MW_TRY(look_at(a, height, &a->fresh, done));
        if (*done)
            break;
        copy_look(a, a->fresh.slope > 0 ? &a->low : &a->high, &a->fresh);
        *done = closed(a);
        height = next_height(a, &found);
    }
    return MW_OK;
}

// Takes the ray's top as the place to go on from, when it is the best so far.
static void settle(ascent *a, bool better)
{
    const look *low = &a->low, *high = &a->high;
    int n = a->hunt->space->n_steps;
    double share = high->seen ? -high->slope / (low->slope - high->slope) : 1;
    double height = fmax(low->height, high->seen ? high->height : 0);
    for (int k = 0; k < n; k++) {
        double over = share * low->over[k];
        if (high->seen)
            over += (1 - share) * high->over[k];
        a->along[k] = KEPT * a->along[k] + (1 - KEPT) * over;
        if (better)
            a->best_ray[k] = a->ray[k] * height;
    }
    a->factor *= better ? 1 : SHRINK;
}

// Steps whose ops choose alike share what they have: for choices that are tied
// the sum counts, and at one price they are worked out once.
static void level(ascent *a)
{
    const mw_space *space = a->hunt->space;
    const int32_t *tie = a->hunt->tie;
    for (int32_t i = 0; tie && i < space->n_nodes; i++) {
        a->shared[i] = 0;
        a->n_sharing[i] = 0;
    }
    for (int k = 0; tie && k < space->n_steps; k++) {
        if (space->op_node[k] == MW_NONE)
            continue;
        int32_t first = tie[space->op_node[k]];
        a->shared[first] += a->ray[k];
        a->n_sharing[first]++;
    }
    for (int k = 0; tie && k < space->n_steps; k++) {
        if (space->op_node[k] == MW_NONE)
            continue;
        int32_t first = tie[space->op_node[k]];
        a->ray[k] = a->shared[first] / a->n_sharing[first];
    }
}

// Leaves prices to the steps that have one in the best ray and to the highest
// summits: layers that pay alike are alike, and worked out once.
static void thin(ascent *a, const double *over)
{
    int n = a->hunt->space->n_steps;
    for (int k = 0; k < n; k++)
        a->summit[k] = a->best_ray[k] > 0;
    for (int i = 0; i < FEW_SUMMITS; i++) {
        int best = MW_NONE;
        for (int k = 0; k < n; k++) {
            bool summit = over[k] > 0 && (k == 0 || over[k] > over[k - 1]) &&
                          (k == n - 1 || over[k] >= over[k + 1]);
            if (summit && !a->summit[k] &&
                (best == MW_NONE || over[k] > over[best]))
                best = k;
        }
        if (best == MW_NONE)
            break;
        a->summit[best] = true;
    }
    for (int k = 0; k < n; k++)
        a->ray[k] = a->summit[k] ? a->ray[k] : 0;
}

// From the best ray to another one, of the same whole: along what both sides of
// the tops so far take beyond the limit, by the distance to the best choice
// over its square.
static void turn(ascent *a)
{
    int n = a->hunt->space->n_steps;
    double norm = 0, before = 0, after = 0;
    for (int k = 0; k < n; k++) {
        if (a->best_ray[k] > 0 || a->along[k] > 0)
            norm += a->along[k] * a->along[k];
    }
    double length = norm > 0 ? a->factor * distance(a) / norm : 0;
    for (int k = 0; k < n; k++) {
        before += a->best_ray[k];
        a->ray[k] = fmax(0, a->best_ray[k] + length * a->along[k]);
    }
    if (a->thin)
        thin(a, a->along);
    for (int k = 0; k < n; k++)
        after += a->ray[k];
    for (int k = 0; k < n && after > 0; k++)
        a->ray[k] *= before / after;
    level(a);
}

// The first ray: each step as much as it takes beyond the limit, and all
// together about what the best choice is away.
static void first_ray(ascent *a)
{
    int n = a->hunt->space->n_steps;
    double norm = 0;
    for (int k = 0; k < n; k++)
        a->ray[k] = fmax(0, a->ground.over[k]);
    if (a->thin)
        thin(a, a->ground.over);
    for (int k = 0; k < n; k++)
        norm += a->ray[k] * a->ray[k];
    for (int k = 0; k < n; k++)
        a->ray[k] *= distance(a) / norm;
    level(a);
}

// Of the time a half at most goes into prices.
static bool priced_enough(const ascent *a)
{
    double end_s = a->hunt->budget.deadline.end_s;
    return end_s > 0 && mw_clock_s() - a->begin_s > end_s - mw_clock_s();
}

static mw_status ascend(ascent *a)
{
    bool done = false, fits = true;
    int idle = 0, most = IDLE_TURNS;
    if (a->hunt->tie || a->hunt->tables.allowed)
        most = FEW_IDLE_TURNS;
    MW_TRY(look_at(a, 0, &a->ground, &done));
    for (int k = 0; k < a->hunt->space->n_steps && !done; k++)
        fits = fits && a->ground.over[k] <= 0;
    if (done || fits)
        return MW_OK;
    a->thin = !a->hunt->tie && a->hunt->space->n_nodes >= THIN_NODES;
    first_ray(a);
    for (int i = 0; i < TURNS && idle < most && !done; i++) {
        int64_t before = a->bound;
        MW_TRY(climb(a, &done));
        double gain = (double)(a->bound - before);
        idle = gain <= LITTLE_TURN * distance(a) ? idle + 1 : 0;
        if (a->high.seen && !done && !a->hunt->tie)
            MW_TRY(mw_hunt_splice(a->hunt, a->limit, &a->prices, a->low.state,
                                  a->high.state, a->answer));
        settle(a, gain > 0);
        bool thick = a->thin && idle >= IDLE_THIN;
        a->thin = a->thin && !thick;
        if (thick)
            first_ray(a);
        else
            turn(a);
        done = done || a->factor < LEAST || priced_enough(a);
    }
    return MW_OK;
}

static mw_status allocate_seen(const mw_hunt *hunt, mw_seen *seen)
{
    const mw_space *space = hunt->space;
    mw_arena *arena = hunt->tables.arena;
    int64_t n = 0;
    for (int32_t i = 0; i < space->n_nodes; i++)
        n += mw_space_states(space, i);
    seen->state = MW_NEW_ARRAY(arena, space->n_nodes + 1, uint8_t *);
    uint8_t *room = MW_NEW_ARRAY(arena, n + 1, uint8_t);
    seen->prices.step = MW_NEW_ARRAY(arena, space->n_steps + 1, int64_t);
    seen->prices.total = MW_NEW_ARRAY(arena, space->n_steps + 2, int64_t);
    if (!seen->state || !room || !seen->prices.step || !seen->prices.total)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        seen->state[i] = room;
        room += mw_space_states(space, i);
    }
    return MW_OK;
}

mw_status mw_hunt_price(mw_hunt *hunt, int64_t limit, mw_seen *seen,
                        mw_answer *answer)
{
    ascent a = {.hunt = hunt,
                .limit = limit,
                .answer = answer,
                .seen = seen,
                .factor = 1,
                .begin_s = mw_clock_s()};
    mw_arena arena;
    mw_arena_init(&arena, hunt->space->ctx);
    mw_status status = allocate(&a, &arena);
    if (status == MW_OK)
        status = allocate_seen(hunt, seen);
    if (status == MW_OK)
        note(&a, answer->state);
    if (status == MW_OK)
        status = ascend(&a);
    note(&a, answer->state);
    if (a.bounded && a.bound > answer->bound)
        answer->bound = a.bound;
    mw_arena_free(&arena);
    return status;
}
