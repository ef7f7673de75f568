/*
 * baseline.h - the usual recipes, as choices under the same cost model.
 *
 * Each is found from the structure of the graph, not from names. Data parallel
 * splits the leading dimension of the inputs that no parameter has; tensor
 * parallel the dimensions that one parameter makes and another contracts (heads
 * and d_ff of a transformer, as in Megatron-LM), with those that only the last
 * parameter makes (the vocabulary); 2d is both, the last mesh axis for the
 * second. Sequence parallel is tensor parallel with the sequence split over the
 * same axis wherever that splits nothing else; expert parallel splits stacks of
 * weights and examples elsewhere; zero1 to zero3 are data parallel with
 * what the processors would keep alike shared out; spatial the axes of images,
 * with what is derived from them.
 */
#ifndef MW_SEARCH_BASELINE_H
#define MW_SEARCH_BASELINE_H

#include "search/layout_space.h"

/* The name of the recipe in which every processor does all. */
#define MW_BASELINE_ALONE "replicated"

typedef struct mw_baseline {
    const char *name;
    const char *reason; /* why the graph or mesh has none; NULL: it has */
    bool one_rule;      /* for all tensors */
    mw_choices choices;
} mw_baseline;

/* In the arena, always the same names in the same order. even: those that would
 * not divide have the reason instead. */
mw_status mw_baselines(mw_arena *arena, const mw_setting *on, bool even,
                       mw_baseline **baseline, int *n) MW_MUST_CHECK;

#endif
