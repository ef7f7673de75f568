/*
 * refine.h - the coarsest partition of items that groups cannot tell apart
 * (colour refinement).
 *
 * A group has places, each with a mark and an item. Items of one class take the
 * same *set* of places, in groups of one kind whose marks and classes agree
 * place by place: how often does not count. There is one coarsest such
 * partition that is no coarser than a given one.
 *
 * Only what touches an item whose class got another number is looked at again,
 * and of a class that splits the largest part keeps its number (Hopcroft, "An n
 * log n algorithm for minimizing states in a finite automaton", 1971). So a
 * chain whose end alone is told apart costs n log n, not n rounds of n.
 */
#ifndef MW_BASE_REFINE_H
#define MW_BASE_REFINE_H

#include "base/arena.h"

typedef struct mw_refine_place {
    int64_t item;
    uint64_t mark;
} mw_refine_place;

/* Group g has the kind kind[g] and place[first[g]] to place[first[g + 1] - 1].
 * class: of each item; items of equal numbers are told apart at first by
 * nothing, afterwards by what they take. On return the numbers go from 0 in the
 * order of each class's first item. */
typedef struct mw_refine {
    int64_t n_items, n_groups;
    const uint64_t *kind;
    const int64_t *first; /* n_groups + 1 */
    const mw_refine_place *place;
    uint64_t *class;
} mw_refine;

/* Scratch in the arena. */
mw_status mw_refine_run(mw_arena *arena, const mw_refine *task) MW_MUST_CHECK;

#endif
