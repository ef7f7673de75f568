/*
 * baseline.h - the usual recipes, as choices under the same cost model.
 *
 * Each is one rule for all tensors, found from the structure of the graph, not
 * from names: data parallel splits the leading dimension of the inputs that no
 * parameter has; tensor parallel the dimensions that one parameter makes and
 * another contracts (heads and d_ff of a transformer, as in Megatron-LM), with
 * those that only the last parameter makes (the vocabulary).
 */
#ifndef MW_SEARCH_BASELINE_H
#define MW_SEARCH_BASELINE_H

#include "search/layout_space.h"

/* The name of the recipe in which every processor does all. */
#define MW_BASELINE_ALONE "replicated"

typedef struct mw_baseline {
    const char *name;
    const char *reason; /* why the graph or mesh has none; NULL: it has */
    mw_choices choices;
} mw_baseline;

/* replicated, data_parallel, tensor_parallel, data_tensor; in the arena.
 * even: those that would not divide have the reason instead. */
mw_status mw_baselines(mw_arena *arena, const mw_setting *on, bool even,
                       mw_baseline **baseline, int *n) MW_MUST_CHECK;

/* What one rule makes of every op and home; axes[dim]: mesh axes. */
mw_status mw_rule_choices(mw_arena *arena, const mw_setting *on,
                          const uint32_t *axes,
                          mw_choices *choices) MW_MUST_CHECK;

#endif
