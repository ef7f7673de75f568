/*
 * coarse_part.h - what the parts of coarse*.c share.
 */
#ifndef MW_SEARCH_COARSE_PART_H
#define MW_SEARCH_COARSE_PART_H

#include "search/bucket.h"
#include "search/coarse.h"
#include "search/kind.h"

/* Strategies that stand for one that was put together when a choice is
 * completed. */
enum { MW_MEMBERS = 6 };

/* A kind of node in the coarse problem. */
typedef struct mw_coarse_kind {
    int32_t n, n_apart; /* strategies there; those that stand alone */
    int32_t *map;       /* by strategy */
    bool *apart;        /* by strategy: must stand alone */
    int64_t *cost;
} mw_coarse_kind;

typedef struct mw_coarse {
    mw_arena *arena; /* the answer's */
    const mw_problem *problem;
    const mw_coarse_options *options;
    mw_coarse_answer *answer;
    mw_arena own, round;
    mw_alike all, tables; /* of kinds; of eliminations */
    mw_kinds kinds;
    int32_t *cost, *matrix; /* by kind, with the shares moved */
    mw_coarse_kind *kind;
    int64_t limit; /* of excess: what is below stands alone */
    int64_t work;
    mw_problem small;
    mw_intern edge; /* small matrices by kinds of edge and ends */
    const int64_t **edge_matrix;
    int64_t cap_edges;
    int32_t *choice; /* of the small problem */
    int32_t
        *member; /* by node, MW_MEMBERS each: strategies that may complete */
    int32_t *n_members;
    int32_t *trial;
    int32_t *first_edge, *edge_of; /* of each node of the problem */
} mw_coarse;

/* Completes the small problem's choice to one of the whole: takes it into the
 * answer, and sets apart what it used of what was put together. */
mw_status mw_coarse_complete(mw_coarse *c) MW_MUST_CHECK;

/* Takes the trial when it is allowed and costs less. */
mw_status mw_coarse_take(mw_coarse *c) MW_MUST_CHECK;

static inline void mw_coarse_ends(const mw_problem_edge *e, int32_t end[2])
{
    end[0] = e->transposed ? e->b : e->a;
    end[1] = e->transposed ? e->a : e->b;
}

#endif
