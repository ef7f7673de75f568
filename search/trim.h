/*
 * trim.h - which strategies a choice that costs less than something can have.
 *
 * Sweeps of a dual bound the cost of every choice with a given strategy; those
 * whose bound is too high go, and the sweeps begin anew on what is left. Memory
 * is not looked at: prices for it may stand in the costs.
 */
#ifndef MW_SEARCH_TRIM_H
#define MW_SEARCH_TRIM_H

#include "search/clock.h"
#include "search/problem.h"

/* keep: by node and strategy, what may be chosen; cleared where no choice of
 * the problem that has it costs less than `below`. none: no choice does.
 * Integers throughout. What time cuts short is true too. */
mw_status mw_trim(mw_ctx *ctx, const mw_problem *problem, mw_int128 below,
                  const mw_deadline *deadline, uint8_t *const *keep,
                  bool *none) MW_MUST_CHECK;

#endif
