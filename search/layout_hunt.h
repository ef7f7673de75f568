/*
 * layout_hunt.h - what the parts of a hunt share. For
 * layout_*.c and rank*.c only.
 */
#ifndef MW_SEARCH_LAYOUT_HUNT_H
#define MW_SEARCH_LAYOUT_HUNT_H

#include "search/layout_price.h"
#include "search/layout_solve.h"

/* Time is up, or the user asked to stop. */
bool mw_hunt_over(const mw_hunt *hunt);

/* A floor of live memory: the largest, over steps, of the least that any
 * choice takes at that step alone. floor: by step, or NULL. */
int64_t mw_hunt_floor(const mw_hunt *hunt, int64_t *floor);

/* Takes a choice that fits and is better than the answer so far. */
mw_status mw_hunt_offer(mw_hunt *hunt, int64_t limit, const int32_t *state,
                        mw_answer *answer) MW_MUST_CHECK;

/* Joins two choices at a step, a fast one and a frugal one, and squeezes what
 * comes: takes what fits and is better into the answer. */
mw_status mw_hunt_splice(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                         const int32_t *before, const int32_t *behind,
                         mw_answer *answer) MW_MUST_CHECK;

/* The problem with the steps limited so far; its choice goes to scratch. state:
 * where to begin, or NULL. */
mw_status mw_hunt_solve(mw_hunt *hunt, mw_space_cost cost, int64_t limit,
                        const int32_t *state,
                        mw_solve_result *result) MW_MUST_CHECK;

/* The problem at these prices; its choice goes to scratch. */
mw_status mw_hunt_solve_priced(mw_hunt *hunt, const mw_prices *prices,
                               mw_solve_result *result) MW_MUST_CHECK;

#endif
