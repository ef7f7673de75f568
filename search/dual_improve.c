/* dual_improve.c - sweeps in pairs, and a step of the prices after each.
 *
 * The prices follow the overrun of the decoded choice, averaged over the last
 * steps, by Polyak's length: the distance to the incumbent over the square of
 * the direction, times a factor that shrinks while nothing is gained. */
#include <math.h>
#include <string.h>

#include "search/dual_sweep.h"

typedef struct ascent {
    double factor;
    int64_t idle; /* rounds since the best bound */
    double range; /* what the incumbent is away from the best bound */
} ascent;

enum { IDLE_ROUNDS = 12, PLAIN_ROUNDS = 4 };

static void remember(mw_dual *dual, ascent *a)
{
    mw_int128 gain = dual->bound - dual->best;
    if (dual->has_best && gain <= 0) {
        a->idle++;
        return;
    }
    if (!dual->has_best || (double)gain > 1e-4 * a->range)
        a->idle = 0;
    else
        a->idle++;
    dual->best = dual->bound;
    dual->has_best = true;
    memcpy(dual->best_price, dual->price,
           (size_t)dual->net->n_rows * sizeof *dual->price);
}

static void set_range(const mw_dual *dual, const mw_incumbent *incumbent,
                      ascent *a)
{
    double bound = (double)(dual->bound - dual->net->constant);
    a->range = 0.1 * fabs(bound) + 1;
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
    for (int32_t r = 0; r < net->n_rows; r++) {
        dual->step[r] = 0.7 * dual->step[r] + 0.3 * (double)dual->over[r];
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

static void go_back(mw_dual *dual, ascent *a)
{
    const mw_net *net = dual->net;
    memcpy(dual->price, dual->best_price,
           (size_t)net->n_rows * sizeof *dual->price);
    memset(dual->step, 0, (size_t)net->n_rows * sizeof *dual->step);
    mw_dual_charge(dual);
    a->idle = 0;
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

mw_status mw_dual_improve(mw_dual *dual, int64_t rounds,
                          const mw_deadline *deadline, mw_incumbent *incumbent)
{
    ascent a = {.factor = 1};
    for (int64_t k = 0; k < rounds; k++) {
        MW_TRY(round_of_sweeps(dual, incumbent, &a));
        if (closed(dual, incumbent) || mw_stopped(dual->net->ctx) ||
            mw_deadline_over(deadline))
            break;
        bool fell = (double)(dual->best - dual->bound) > 0.03 * a.range;
        if (dual->net->n_rows > 0 && k >= PLAIN_ROUNDS &&
            (a.idle >= IDLE_ROUNDS || fell)) {
            a.factor *= 0.5;
            if (a.factor < 1e-4)
                break;
            go_back(dual, &a);
        } else if (dual->net->n_rows > 0 && k >= PLAIN_ROUNDS) {
            step_prices(dual, &a);
        } else if (a.idle >= IDLE_ROUNDS) {
            break;
        }
    }
    return MW_OK;
}
