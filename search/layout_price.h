/*
 * layout_price.h - a bound of time under a limit of live memory, from prices.
 *
 * Every step's memory has a price; a choice pays for what it takes and gets the
 * limit's worth back. Whatever the prices, the least of time and payments, less
 * that worth, bounds the time of every choice within the limit. For given
 * prices nothing but costs is left: the problem shrinks like one without a
 * limit, and equal layers at equal prices are worked out once. Prices follow
 * what the choices met on the way take beyond the limit; made to fit by other
 * homes, those choices are good ones.
 */
#ifndef MW_SEARCH_LAYOUT_PRICE_H
#define MW_SEARCH_LAYOUT_PRICE_H

#include "search/layout_solve.h"

/* Prices: of a byte at each step, times 2^MW_PRICE_SHIFT. */
enum { MW_PRICE_SHIFT = 30 };

typedef struct mw_prices {
    int64_t *step;  /* by step */
    int64_t *total; /* of the steps before; one more than there are steps */
} mw_prices;

/* What an ascent has met. */
typedef struct mw_seen {
    uint8_t **state;  /* by node and state: 1 where a choice had it */
    mw_prices prices; /* those of the best bound */
} mw_seen;

/* Raises answer->bound and takes better choices into it. seen: filled. Where
 * nodes are tied, bound and choices are of choices that are. */
mw_status mw_hunt_price(mw_hunt *hunt, int64_t limit, mw_seen *seen,
                        mw_answer *answer) MW_MUST_CHECK;

/* What the limit is worth at these prices, rounded up. */
mw_int128 mw_prices_worth(const mw_prices *prices, int n_steps, int64_t limit);

/* Which states a choice within the limit can have that takes less than below_ps
 * and is allowed (tied, too), by the bound at these prices. allowed: by node,
 * in the hunt's arena. none: there is no such choice. */
mw_status mw_hunt_trim(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                       int64_t below_ps, const uint8_t ***allowed,
                       bool *none) MW_MUST_CHECK;

/* The problem of time and payments, without any limit. */
mw_status mw_space_priced(mw_space_tables *tables, const mw_prices *prices,
                          mw_problem *problem) MW_MUST_CHECK;

/* Makes a choice fit by other homes, the ops' strategies kept, and then as fast
 * as homes alone can; false when that is not possible. */
mw_status mw_hunt_squeeze(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                          int32_t *state, bool *fits) MW_MUST_CHECK;

#endif
