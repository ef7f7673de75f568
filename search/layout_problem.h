/*
 * layout_problem.h - a space of choices as a problem for the solvers.
 *
 * Nodes 0 .. space->n_nodes - 1 are the space's; their states are the same.
 * A step that is limited adds, for each link of its op, a node for the pair of
 * the op's row and the bytes that the link takes there; the link's cost moves
 * onto the edge to it. A pair follows from op and home: it decides nothing.
 */
#ifndef MW_SEARCH_LAYOUT_PROBLEM_H
#define MW_SEARCH_LAYOUT_PROBLEM_H

#include "search/layout_ties.h"
#include "search/problem.h"

/* What the problem's total is. */
typedef enum mw_space_cost {
    MW_COST_TIME,   /* picoseconds: the plan's time */
    MW_COST_MEMORY, /* bytes added over homes, ops and links: a guide to choices
                      that take little, when only a feasible one is sought */
    MW_N_COSTS
} mw_space_cost;

/* Pairs of the links of one class; the tables of a problem are borrowed from
 * here and shared by its links and by later problems. */
typedef struct mw_pair_class mw_pair_class;

typedef struct mw_space_tables {
    const mw_space *space;
    mw_arena *arena;
    mw_pair_class *pair;   /* by link class */
    int64_t **memory_link; /* by link class: memory cost, strategy x home */
    mw_space_ties *ties;   /* global scope: behind all else; or NULL */
    /* By node of the space: which states may be chosen; NULL: all. */
    const uint8_t *const *allowed;
} mw_space_tables;

mw_status mw_space_tables_init(const mw_space *space, mw_arena *arena,
                               mw_space_tables *tables) MW_MUST_CHECK;

/* Fills an initialised, empty problem; row[]: limits at steps (time is the
 * step), each step at most once. */
mw_status mw_space_problem(mw_space_tables *tables, mw_space_cost cost,
                           const mw_problem_row *row, int32_t n_rows,
                           mw_problem *problem) MW_MUST_CHECK;

/* Completes state[0 .. n_nodes) of the space with those of pairs and ties. */
void mw_space_complete(const mw_space_tables *tables, const mw_problem_row *row,
                       int32_t n_rows, int32_t *state);

#endif
