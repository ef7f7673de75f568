/*
 * kind.h - nodes and edges of a problem that look alike, and shares of costs by
 * which edges bound what nodes may gain.
 *
 * Two nodes are of one kind when what is within so many edges of them is alike:
 * of 96 equal layers the inner ones are one layer's kinds. Shares move costs
 * between nodes and edges, the same ones for all of a kind: the problem stays
 * the same, whatever they are. Sequential tree-reweighted sweeps over kinds
 * find good ones at the price of a few layers; no bound rests on them.
 */
#ifndef MW_SEARCH_KIND_H
#define MW_SEARCH_KIND_H

#include "search/alike.h"
#include "search/clock.h"
#include "search/problem.h"

/* A node's edges that look alike from it: all take the same share. */
typedef struct mw_kind_side {
    int32_t matrix; /* a vector: rows x columns, times 2^shift */
    int32_t end;    /* of the edges at which the node is: 0 rows, 1 columns */
    int32_t other;  /* what tells the other ends apart */
    int32_t count;
    int32_t edge; /* of the problem: one that speaks for them */
    bool ahead;   /* its other node comes later */
    int32_t facing_n;
    const int64_t *facing;       /* rows: the other's; own ones are padded */
    int64_t *share;              /* by strategy, padded */
    struct mw_kind_side *answer; /* the side at the other end */
    bool alone;  /* that one answers to another side than this */
    bool closed; /* while mending: nobody would take what is given */
} mw_kind_side;

typedef struct mw_kind_node {
    int32_t n;
    int32_t cost; /* a vector, times 2^shift */
    mw_kind_side *side;
    int32_t n_sides;
    int32_t count;   /* nodes of it */
    int64_t *excess; /* by strategy: what it costs at least beyond the least, as
                        far as the shares tell */
} mw_kind_node;

typedef struct mw_kind_edge {
    int32_t matrix; /* a vector: rows x columns, times 2^shift */
    int32_t n[2];
    const int64_t *share[2]; /* by end */
} mw_kind_edge;

typedef struct mw_kinds {
    mw_arena *arena; /* borrowed */
    mw_alike *all;   /* borrowed */
    const mw_problem *problem;
    int shift;
    int32_t *of_node, *of_edge; /* of the problem */
    mw_kind_node *node;         /* in the order of the sweeps */
    mw_kind_edge *edge;
    int32_t n_nodes, n_edges;
    int64_t most_share; /* larger ones are cut: sums over a node's sides fit */
    int64_t *theta;     /* scratch */
} mw_kinds;

/* Finds them; the problem outlives them. Costs whose sums do not fit: shift is
 * negative, and there are none. */
mw_status mw_kinds_find(mw_kinds *kinds, mw_arena *arena, mw_alike *all,
                        const mw_problem *problem) MW_MUST_CHECK;

/* Pairs of sweeps, ahead and back, as far as the time goes; fills excess. */
void mw_kinds_sweep(mw_kinds *kinds, int n_pairs, const mw_deadline *deadline);

/* Where a single node meets one of a kind of many, the latter's share is one
 * for all of the kind, and may not suit: pairs of sweeps over single nodes
 * alone, which adapt to it. */
void mw_kinds_mend(mw_kinds *kinds, int n_pairs, const mw_deadline *deadline);

/* Vectors with the shares moved: by node kind and by edge kind. */
mw_status mw_kinds_share(mw_kinds *kinds, int32_t *cost,
                         int32_t *matrix) MW_MUST_CHECK;

#endif
