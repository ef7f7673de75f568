/*
 * dual_sweep.h - the steps that the dual is improved and used by.
 */
#ifndef MW_SEARCH_DUAL_SWEEP_H
#define MW_SEARCH_DUAL_SWEEP_H

#include "search/dual.h"

/* Works out what memory costs each strategy at dual->price. */
void mw_dual_charge(mw_dual *dual);

/* What the slack is worth at these prices, rounded up. */
mw_int128 mw_dual_slack_value(const mw_dual *dual);

/* One sweep, ahead or back; sets bound and choice. */
void mw_dual_sweep(mw_dual *dual, bool ahead);

/* Takes back what the edges behind (when sweeping ahead) or ahead can spare and
 * works out theta; the first half of a node's turn. */
void mw_dual_take(mw_dual *dual, int32_t node, bool ahead);

/* Gives theta's shares to the edges on the other side; the rest stays. Returns
 * the least of the rest. */
int64_t mw_dual_give(mw_dual *dual, int32_t node, bool ahead);

/* Fills dual->over for the choice; the largest entry is returned. */
int64_t mw_dual_overrun(mw_dual *dual);

/* Fills over, by row and one more, with the usage of all strategies, weighted
 * by exp(-(theta - least theta of the node) / warmth), minus the slack. */
void mw_dual_soft_overrun(const mw_dual *dual, double warmth, double *over);

/* Offers the choice. */
mw_status mw_dual_offer(mw_dual *dual, mw_incumbent *incumbent) MW_MUST_CHECK;

/* Moves the shares into the costs of the net, which stays the same problem,
 * and the best prices into its rows. */
void mw_dual_bake(mw_dual *dual);

#endif
