/*
 * layout_ties.h - one rule for all tensors as constraints of a problem: a node
 * for each dimension, whose state is the set of mesh axes that split it; edges
 * hold every op and home to the dimensions' states, and dimensions that meet
 * apart. The same choices as global.h prices one by one.
 */
#ifndef MW_SEARCH_LAYOUT_TIES_H
#define MW_SEARCH_LAYOUT_TIES_H

#include "search/layout_space.h"
#include "search/problem.h"

typedef struct mw_space_ties {
    const mw_space *space;
    mw_arena *arena;
    int n_dims; /* that some tensor has */
    mw_id *dim;
    int32_t *of_dim;      /* index of each dimension; MW_NONE: unused */
    uint8_t *meets;       /* of the graph's dimensions, n x n */
    int32_t n_subsets;    /* of the mesh axes longer than 1 */
    uint32_t *subset;     /* as sets of mesh axes */
    int64_t *zero;        /* costs of a dimension's node */
    int64_t *apart;       /* n_subsets x n_subsets: share no axis */
    int64_t ***op_tie;    /* by op class and letter: strategy x subset */
    int64_t ***home_tie;  /* by home class and axis: layout x subset */
    int64_t **op_whole;   /* by op class: strategy, forbidden when partial */
    int64_t **home_whole; /* by home class: layout, forbidden when partial */
} mw_space_ties;

mw_status mw_space_ties_init(mw_space_ties *ties, const mw_space *space,
                             mw_arena *arena) MW_MUST_CHECK;

/* Adds nodes and edges behind what the problem has. */
mw_status mw_space_ties_add(mw_space_ties *ties,
                            mw_problem *problem) MW_MUST_CHECK;

/* Their states for a choice of the space that follows one rule. */
void mw_space_ties_complete(const mw_space_ties *ties, const int32_t *state,
                            int32_t *tie_state);

#endif
