/*
 * layout_dual.h - a bound on the time of every choice, and of every choice in
 * which one op has a given strategy.
 *
 * Costs are moved between links and their ends, which changes no total; the sum
 * of all least costs then bounds every choice from below. Integers throughout:
 * the bound holds whatever was moved. It orders the search for the next best
 * plans, and spares most of its problems.
 */
#ifndef MW_SEARCH_LAYOUT_DUAL_H
#define MW_SEARCH_LAYOUT_DUAL_H

#include "search/layout_space.h"

typedef struct mw_space_dual {
    int64_t bound_ps;   /* no choice takes less */
    int64_t **least_ps; /* by op node and state: no choice with it takes less;
                           NULL for homes */
} mw_space_dual;

/* Of the choices in which node has this state. Everything lies in the arena.
 * target_ps: a bound that is good enough. */
mw_status mw_space_dual_find(const mw_space *space, mw_arena *arena,
                             int32_t node, int32_t state, int64_t target_ps,
                             mw_space_dual *dual) MW_MUST_CHECK;

#endif
