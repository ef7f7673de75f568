/*
 * global.h - global scope: one rule, dimension -> mesh axes, for all tensors.
 *
 * Each mesh axis splits a set of dimensions no two of which meet in an op or a
 * tensor; a rule is such a set for every axis. Under a rule all is forced: an
 * op splits the letter whose dimension the axis has, a home likewise, and what
 * a split contraction leaves partial is reduced into its home. Every rule is a
 * choice of the space, so that tensor scope is never worse.
 *
 * Up to MW_GLOBAL_MOST rules are all priced; more are left to the solver, by
 * ties (layout_ties.h).
 */
#ifndef MW_SEARCH_GLOBAL_H
#define MW_SEARCH_GLOBAL_H

#include "search/layout_space.h"

enum { MW_GLOBAL_MOST = 1000000 };

/* A rule as found, by time or by peak. */
typedef struct mw_global_rule {
    int64_t time_ps, peak_bytes;
    int32_t index;
    bool weighed; /* peak_bytes is known */
} mw_global_rule;

typedef struct mw_global {
    const mw_space *space;
    bool too_many; /* nothing below is set */
    int32_t n_sets;
    uint8_t *set; /* n_sets x n_dims */
    struct mw_global_tables *tables;
    mw_global_rule *rule; /* those that the space allows, best first */
    int32_t n_rules;
    int32_t next, sorted; /* of `rule`; by time, equal times are sorted late */
    bool by_peak;
    int64_t *live;
} mw_global;

/* Two dimensions meet in an op or a tensor, or the names pass says so:
 * n_dims x n_dims bytes in the arena. */
mw_status mw_global_interference(mw_arena *arena, const mw_graph *graph,
                                 uint8_t **meets) MW_MUST_CHECK;

/* Prices every rule, or says that they are more than `most` (MW_GLOBAL_MOST at
 * the most). by_peak: the order is peak, then time; else time, then peak. */
mw_status mw_global_open(mw_global *global, const mw_space *space,
                         mw_arena *arena, int64_t most,
                         bool by_peak) MW_MUST_CHECK;

/* The next rule in order whose live memory is at most limit: state[] of every
 * node. False when there is none left. */
bool mw_global_next(mw_global *global, int64_t limit, int32_t *state);

/* Mesh axes that split a dimension under the rule that came last. */
uint32_t mw_global_axes(const mw_global *global, mw_id dim);

/* The least peak of any rule, and its states; false when no rule is allowed. */
bool mw_global_least(mw_global *global, int32_t *state, int64_t *peak_bytes);

#endif
