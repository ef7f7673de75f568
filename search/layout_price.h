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

/* The states that choices met on the way have, by node of the space. */
typedef struct mw_seen {
    uint8_t **state; /* 1 where it was seen */
} mw_seen;

/* Raises answer->bound and takes better choices into it. seen: filled. */
mw_status mw_hunt_price(mw_hunt *hunt, int64_t limit, mw_seen *seen,
                        mw_answer *answer) MW_MUST_CHECK;

/* Prices: of a byte at each step, times 2^MW_PRICE_SHIFT. */
enum { MW_PRICE_SHIFT = 30 };

typedef struct mw_prices {
    int64_t *step;  /* by step */
    int64_t *total; /* of the steps before; one more than there are steps */
} mw_prices;

/* The problem of time and payments, without any limit. */
mw_status mw_space_priced(mw_space_tables *tables, const mw_prices *prices,
                          mw_problem *problem) MW_MUST_CHECK;

/* Makes a choice fit by other homes, the ops' strategies kept, and then as fast
 * as homes alone can; false when that is not possible. */
mw_status mw_hunt_squeeze(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                          int32_t *state, bool *fits) MW_MUST_CHECK;

#endif
