/*
 * rank_next.h - the next best choice, and the next, by Lawler's partition.
 *
 * A set of choices is split at its best one: for each op in turn, those that
 * agree with it before that op and differ there. The first op is one that tells
 * equal mesh axes apart, so that a choice and its mirror image part at once,
 * and each side has a dual of its own: one for both would see no difference.
 * Sets wait by their bound, at first the dual's (layout_dual.h), and are solved
 * only when their turn comes; a solved set whose time is the least of all is
 * the next best choice.
 */
#ifndef MW_SEARCH_RANK_NEXT_H
#define MW_SEARCH_RANK_NEXT_H

#include "search/layout_dual.h"
#include "search/layout_solve.h"
#include "search/layout_symmetry.h"

typedef struct mw_choice_set mw_choice_set;

typedef struct mw_next {
    mw_hunt *hunt; /* borrowed */
    mw_arena *arena;
    int64_t limit; /* of live memory; MW_NO_LIMIT at first */
    int32_t *op;   /* nodes of ops that have a choice */
    int32_t n_ops;
    mw_space_dual **dual; /* by state of the first op; NULL: not yet */
    const mw_axis_order *order;
    int n_orders;
    mw_choice_set *set;
    int64_t n_sets, cap_sets;
    int64_t solves_left;     /* problems that may be solved, after the first */
    int64_t given;           /* the set whose choice was given last */
    bool pending;            /* and that set is yet to be split */
    const uint8_t **allowed; /* of the set at hand */
    uint8_t *state_room;
} mw_next;

/* order: exchanges of equal mesh axes, borrowed. The caller sets limit and
 * solves_left then. */
mw_status mw_next_init(mw_next *next, mw_hunt *hunt, mw_arena *arena,
                       const mw_axis_order *order, int n_orders) MW_MUST_CHECK;

/* The best choice that was not given yet. start: for the first one, as in
 * mw_hunt_time(). When no more problems may be solved, or time is up, the best
 * one known is given as feasible with its bound. state is NULL when there is
 * none. */
mw_status mw_next_choice(mw_next *next, const int32_t *start,
                         mw_answer *answer) MW_MUST_CHECK;

/* The last choice given did not serve: its ops' strategies come again with
 * other homes. */
mw_status mw_next_again(mw_next *next) MW_MUST_CHECK;

#endif
