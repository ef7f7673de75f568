/* dual_improve.c - sweeps in pairs, and a step of the prices after each.
 *
 * The prices follow the soft overrun, averaged over many steps, by Polyak's
 * length: the distance to the incumbent over the square of the direction, times
 * a factor that shrinks by the same share each round: long steps find the
 * region, short ones the bound. When the bound falls too far the best prices
 * come back. */
#include <math.h>
#include <string.h>

#include "search/dual_sweep.h"

/* Least gain of the bound that counts, as a share of the range; rounds without
 * one after which (and a quarter of all) nothing is expected any more; rounds
 * before prices move. */
static const double LEAST_GAIN = 1e-5;
enum { IDLE_ROUNDS = 40, PLAIN_ROUNDS = 4 };

/* Rounds that are timed; rounds that are made in any case. */
enum { TIMED_ROUNDS = 8, LEAST_ROUNDS = 30 };

/* Of the direction that is kept; of the bound that may be lost, as a share of
 * the range and of the bound; of the factor that is left then. */
static const double KEPT = 0.95, FALL = 2, FALL_WHOLE = 0.03, SHRINK = 0.8;

typedef struct ascent {
    double factor;
    double damping; /* of the factor, by the falls there were */
    double warmth;  /* of the soft overrun, as a share of range / nodes */
    double range;   /* what the incumbent is away from the best bound */
    int64_t idle;   /* rounds since the bound gained */
} ascent;

static void remember(mw_dual *dual, ascent *a)
{
    mw_int128 gain = dual->bound - dual->best;
    a->idle++;
    if (dual->has_best && gain <= 0)
        return;
    if (!dual->has_best || (double)gain > LEAST_GAIN * a->range)
        a->idle = 0;
    dual->best = dual->bound;
    dual->has_best = true;
    memcpy(dual->best_price, dual->price,
           (size_t)dual->net->n_rows * sizeof *dual->price);
}

static void set_range(const mw_dual *dual, const mw_incumbent *incumbent,
                      ascent *a)
{
    a->range = 0.5 * fabs((double)(dual->best - dual->net->constant)) + 1;
    if (incumbent->found)
        a->range =
            (double)(mw_incumbent_upper(incumbent, dual->net) - dual->best);
    if (a->range < 1)
        a->range = 1;
}

static void step_prices(mw_dual *dual, const ascent *a)
{
    const mw_net *net = dual->net;
    double norm = 0;
    mw_dual_soft_overrun(dual, a->warmth * a->range / dual->n_nodes,
                         dual->soft);
    for (int32_t r = 0; r < net->n_rows; r++) {
        dual->step[r] = KEPT * dual->step[r] + (1 - KEPT) * dual->soft[r];
        if (dual->price[r] > 0 || dual->step[r] > 0)
            norm += dual->step[r] * dual->step[r];
    }
    if (norm <= 0)
        return;
    double unit = ldexp(1, net->price_shift);
    double length = a->factor * a->range / norm * unit;
    double most = ldexp(1, 60) / (net->n_rows + 1);
    for (int32_t r = 0; r < net->n_rows; r++) {
        double price = (double)dual->price[r] + length * dual->step[r];
        price = price < 0 ? 0 : price;
        dual->price[r] = (int64_t)(price > most ? most : price);
    }
    mw_dual_charge(dual);
}

static void go_back(mw_dual *dual)
{
    size_t n = (size_t)dual->net->n_rows;
    memcpy(dual->price, dual->best_price, n * sizeof *dual->price);
    memset(dual->step, 0, n * sizeof *dual->step);
    mw_dual_charge(dual);
}

static bool closed(const mw_dual *dual, const mw_incumbent *incumbent)
{
    return incumbent->found && dual->has_best &&
           mw_net_bound(dual->net, dual->best) >= incumbent->cost;
}

static mw_status round_of_sweeps(mw_dual *dual, mw_incumbent *incumbent,
                                 ascent *a)
{
    for (int back = 0; back < 2; back++) {
        mw_dual_sweep(dual, !back);
        if (mw_dual_overrun(dual) <= 0)
            MW_TRY(mw_dual_offer(dual, incumbent));
    }
    remember(dual, a);
    set_range(dual, incumbent, a);
    return MW_OK;
}

// Takes a step, or goes back to the best prices.
static void move_prices(mw_dual *dual, const mw_ascent *plan, double done,
                        ascent *a)
{
    double fallen = (double)(dual->best - dual->bound);
    double whole = fabs((double)dual->best);
    if (fallen > FALL_WHOLE * whole || fallen > FALL * a->range) {
        a->damping *= SHRINK;
        go_back(dual);
        return;
    }
    a->factor = a->damping * plan->first * pow(plan->last / plan->first, done);
    a->warmth = pow(10, -1.5 * done);
    step_prices(dual, a);
}

// As many rounds as the time left allows, by what the first ones took.
static int64_t affordable(const mw_ascent *plan, const mw_deadline *deadline,
                          double begin_s)
{
    double now = mw_clock_s();
    if (deadline->end_s <= 0 || plan->time_share <= 0)
        return plan->rounds;
    double most = plan->time_share * (deadline->end_s - now) * TIMED_ROUNDS /
                  (now - begin_s + 1e-9);
    if (most < LEAST_ROUNDS)
        return LEAST_ROUNDS < plan->rounds ? LEAST_ROUNDS : plan->rounds;
    return most < (double)plan->rounds ? (int64_t)most : plan->rounds;
}

mw_status mw_dual_improve(mw_dual *dual, const mw_ascent *plan,
                          const mw_deadline *deadline, mw_incumbent *incumbent)
{
    ascent a = {.damping = 1, .range = 1};
    double begin_s = mw_clock_s();
    int64_t rounds = plan->rounds;
    for (int64_t k = 0; k < rounds; k++) {
        if (k == TIMED_ROUNDS)
            rounds = affordable(plan, deadline, begin_s);
        MW_TRY(round_of_sweeps(dual, incumbent, &a));
        if (closed(dual, incumbent) || mw_stopped(dual->net->ctx) ||
            mw_deadline_over(deadline) || a.idle >= IDLE_ROUNDS + rounds / 4)
            break;
        if (dual->net->n_rows > 0 && k >= PLAIN_ROUNDS)
            move_prices(dual, plan, (double)k / (double)rounds, &a);
    }
    return MW_OK;
}
