/*
 * layout_symmetry.h - mesh axes that are alike, and plans that are the same.
 *
 * Two plans are the same if, after exchanging equal mesh axes, every class of
 * identical ops has the same multiset of strategies (DESIGN section 6).
 */
#ifndef MW_SEARCH_LAYOUT_SYMMETRY_H
#define MW_SEARCH_LAYOUT_SYMMETRY_H

#include "search/layout_intern.h"
#include "search/layout_space.h"

/* to[a]: what axis a becomes. */
typedef struct mw_axis_order {
    int8_t to[MW_MAX_MESH];
} mw_axis_order;

/* Every exchange of axes of equal size whose collectives cost the same, the
 * identity first. In the arena. */
mw_status mw_axis_orders(mw_arena *arena, const mw_mesh *mesh,
                         const mw_costs *costs, mw_axis_order **order,
                         int *n_orders) MW_MUST_CHECK;

/* The strategy after an exchange. */
mw_strategy mw_strategy_exchanged(const mw_strategy *strategy,
                                  const mw_axis_order *order);

/* What equal plans have in common: equal keys, same plan. */
mw_status mw_plan_key(const mw_space *space, const int32_t *state,
                      const mw_axis_order *order, int n_orders,
                      mw_key *key) MW_MUST_CHECK;

#endif
