/*
 * shrink.h - a problem made small before it is solved.
 *
 * The exact reductions that need no bound: forbidden strategies, those that
 * another makes needless, single strategies, elimination of nodes between two
 * others that take no memory at any limited time. All is done on numbers of
 * vectors (alike.h), which outlive the problem: what one layer of a model has
 * shown holds for all layers, and for the next problem of the same model.
 *
 * An optimum of the small problem, expanded, is one of the whole; a bound of it
 * is one of the whole.
 */
#ifndef MW_SEARCH_SHRINK_H
#define MW_SEARCH_SHRINK_H

#include "search/alike.h"
#include "search/clock.h"
#include "search/problem.h"

typedef struct mw_shrunk {
    const mw_problem *whole;
    mw_problem small;
    int32_t n_small;   /* nodes of the small one that stand for the whole's */
    int32_t *small_of; /* by node of the whole; MW_NOTHING: it follows */
    bool infeasible;   /* proved: nothing to solve */
    bool same;         /* nothing was done: the small one is not there */
    mw_alike *all;     /* borrowed */
    struct mw_shrink_node *node;
    struct mw_shrink_record *record;
    int32_t n_records;
    int64_t cap_records;
} mw_shrunk;

/* kept: by node, those that must stay as they are; NULL: none. The problem and
 * the vectors must outlive what is made. Costs too wide for exact sums leave
 * the problem the same. */
mw_status mw_shrink(mw_shrunk *shrunk, mw_alike *all, const mw_problem *whole,
                    const bool *kept,
                    const mw_deadline *deadline) MW_MUST_CHECK;
void mw_shrunk_free(mw_shrunk *shrunk);

/* The choice of the whole that a choice of the small one stands for. */
void mw_shrunk_expand(const mw_shrunk *shrunk, const int32_t *small,
                      int32_t *choice);

/* The way back, to one that costs no more; false when it takes what is
 * forbidden. */
bool mw_shrunk_restrict(const mw_shrunk *shrunk, const int32_t *choice,
                        int32_t *small);

#endif
