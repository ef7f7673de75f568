/*
 * dual.h - a lower bound of a net by messages on edges and prices on rows.
 *
 * Each edge takes a share of the costs of its two ends, each row charges a
 * price a unit of memory; whatever the shares and prices, the sum of all least
 * costs minus what the slack is worth is a bound, in integers. Sweeps over the
 * nodes in order and back again (sequential tree-reweighted message passing)
 * improve the shares, steps along the overrun of the choice at hand improve the
 * prices. The choices met on the way are offered as incumbents.
 */
#ifndef MW_SEARCH_DUAL_H
#define MW_SEARCH_DUAL_H

#include "search/clock.h"
#include "search/incumbent.h"
#include "search/net.h"

typedef struct mw_dual_node {
    int32_t node; /* of the net */
    int32_t n;
    int32_t n_back, n_ahead; /* edges to earlier and to later nodes */
    int64_t first_edge;      /* in dual->edge_of: back first, then ahead */
    int64_t at;              /* of its strategies in the padded vectors */
} mw_dual_node;

typedef struct mw_dual_edge {
    int32_t edge;  /* of the net */
    int32_t a, b;  /* nodes of the dual, a < b */
    int64_t *to_b; /* rows a, padded columns b */
    int64_t *to_a; /* rows b, padded columns a */
    int64_t at_a;  /* of the shares taken from a and b */
    int64_t at_b;
} mw_dual_edge;

typedef struct mw_dual {
    mw_net *net;
    mw_arena arena;
    mw_dual_node *node; /* in the order of the sweeps */
    mw_dual_edge *edge;
    int32_t n_nodes, n_edges;
    int32_t *edge_of;
    int64_t *cost;   /* by strategy, padded by infinite ones */
    int64_t *charge; /* cost of memory at the current prices */
    int64_t *theta;  /* cost + charge - shares, at the node's turn */
    int64_t *rest;   /* what a node keeps after its turn */
    int64_t *share;  /* by edge and end */
    int64_t n_shares;
    int32_t *choice; /* by node of the dual: decoded in the last sweep */
    int64_t *price;  /* by row; 2^shift a unit of cost a unit of memory */
    int64_t *total;  /* by row: sum of the prices before it */
    int64_t *best_price;
    double *step;    /* by row: the direction of the prices */
    double *soft;    /* by row: the overrun of all choices, weighted */
    double *weight;  /* scratch, by strategy of a node */
    int64_t *over;   /* by row: usage of the choice - slack */
    mw_int128 bound; /* of the shares and prices as they are */
    mw_int128 best;  /* the best that any had, in the net's unit */
    bool has_best;
} mw_dual;

/* Copies the net, which must be reduced and not infeasible. */
mw_status mw_dual_init(mw_dual *dual, mw_net *net) MW_MUST_CHECK;
void mw_dual_free(mw_dual *dual);

/* Pairs of sweeps, and the length of the first and of the last step of the
 * prices, as a share of Polyak's. Fewer rounds are made when they would take
 * more than a share of the time that is left. */
typedef struct mw_ascent {
    int64_t rounds;
    double first, last;
    double time_share; /* 0: all */
} mw_ascent;

/* Improves until the rounds are over, the bound has come to the incumbent, or
 * little is gained. */
mw_status mw_dual_improve(mw_dual *dual, const mw_ascent *plan,
                          const mw_deadline *deadline,
                          mw_incumbent *incumbent) MW_MUST_CHECK;

/* Deletes from the net every strategy, and forbids every pair on an edge, whose
 * least total exceeds `upper`, in the net's unit; counts the strategies. The
 * dual is of no more use but to mw_dual_free(). */
mw_status mw_dual_fix(mw_dual *dual, mw_int128 upper,
                      int64_t *n_fixed) MW_MUST_CHECK;

#endif
