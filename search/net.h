/*
 * net.h - a layout problem that is being reduced.
 *
 * A net starts as a copy of a problem and shrinks: strategies, nodes, edges and
 * rows go, and every step is recorded so that a choice for what is left becomes
 * a choice for the problem (mw_net_expand), and a choice for the problem one
 * for what is left that costs no more (mw_net_restrict). Nodes keep their
 * numbers, gone ones have no strategies. Edges are unique between two nodes.
 *
 * Costs are the problem's times 2^scale, so that multipliers may be fractions
 * and all is still integers: what a net says is exact. If the costs are so
 * large that their sum does not fit, scale is negative, costs are rounded down,
 * and only bounds are true.
 *
 * Memory stands on rows numbered from 0; a term lies on the rows [begin, end),
 * its least usage is 0: what every strategy takes is subtracted from the slack.
 */
#ifndef MW_SEARCH_NET_H
#define MW_SEARCH_NET_H

#include "search/clock.h"
#include "search/problem.h"

/* A forbidden cost; sums of 32 of them still fit. Finite costs stay below
 * MW_NET_FINITE in sum. */
#define MW_NET_INFINITE (INT64_C(1) << 57)
#define MW_NET_FINITE (INT64_C(1) << 55)

typedef struct mw_net_term {
    int32_t begin, end; /* rows */
    int64_t *usage;     /* by strategy */
} mw_net_term;

typedef struct mw_net_node {
    int32_t n; /* strategies left; 0: gone */
    int32_t n_edges, n_terms;
    int32_t cap_edges, cap_terms;
    int64_t *cost;     /* may be infinite until the next reduction */
    int32_t *strategy; /* the problem's number of each, ascending */
    int32_t *edge;
    mw_net_term *term;
    bool queued;
} mw_net_node;

typedef struct mw_net_edge {
    int32_t end[2];  /* -1: gone */
    int64_t *matrix; /* row-major over (end[0], end[1]) */
    bool settled;    /* every line has a zero and is allowed somewhere */
} mw_net_edge;

/* How a node that is gone follows from at most two others. */
typedef struct mw_net_record {
    int32_t node;
    int32_t n_by;
    int32_t by[2];
    int32_t n[2];
    int32_t *strategy[2]; /* of each, as it stood then */
    int32_t *best;        /* row-major over those: the node's strategy */
} mw_net_record;

typedef struct mw_net {
    mw_ctx *ctx;
    const mw_problem *problem;
    mw_deadline deadline; /* of reductions; what is done by then is exact */
    mw_net_node *node;
    mw_net_edge *edge;
    int32_t n_nodes, n_edges, cap_edges;
    int32_t n_nodes_left;
    int64_t *first_strategy; /* by node: where its strategies stand in heir */
    int32_t *heir; /* by strategy of the problem: itself, the one that is never
                      worse, or -1 */
    int32_t n_rows;
    int64_t *slack;   /* by row */
    int64_t *pending; /* by row: to be added to the slack of it and of all
                         behind it */
    int64_t *price;   /* by row: the dual's multiplier, in cost a unit of
                         memory times 2^price_shift */
    int price_shift;
    int32_t *kept_before; /* by row: scratch of mw_net_keep_rows */
    mw_int128 constant;   /* of every choice */
    int scale;
    bool infeasible;
    mw_net_record *record;
    int32_t n_records, cap_records;
    int32_t *queue; /* nodes to look at again, a ring */
    int32_t queue_head, n_queued;
} mw_net;

/* A copy of the problem, which must outlive it. */
mw_status mw_net_init(mw_net *net, mw_ctx *ctx,
                      const mw_problem *problem) MW_MUST_CHECK;
void mw_net_free(mw_net *net);

/* What a node holds. */
void mw_net_node_free(mw_net_node *node);

/* Out of time, or stopped. */
bool mw_net_late(const mw_net *net);

/* Marks a node to be looked at by the next reduction. */
void mw_net_touch(mw_net *net, int32_t node);

/* The other end of an edge. */
static inline int32_t mw_net_other(const mw_net *net, int32_t edge,
                                   int32_t node)
{
    const int32_t *end = net->edge[edge].end;
    return end[0] == node ? end[1] : end[0];
}

/* Where the entry of strategy s of a node with strategy 0 of the other stands
 * in the edge's matrix, and how far apart the others' entries are. */
typedef struct mw_net_line {
    int64_t *first;
    int64_t step; /* to the next strategy of the other end */
    int32_t n;    /* of the other end */
} mw_net_line;

mw_net_line mw_net_line_of(const mw_net *net, int32_t edge, int32_t node,
                           int32_t s);

/* Deletes the strategies of a node that are not kept; none left: infeasible. */
mw_status mw_net_keep(mw_net *net, int32_t node,
                      const bool *keep) MW_MUST_CHECK;

/* Adds a matrix between two nodes to the edge that is there, or makes one;
 * takes the matrix over, also on failure. */
mw_status mw_net_join(mw_net *net, int32_t a, int32_t b,
                      int64_t *matrix) MW_MUST_CHECK;

/* Adds memory; takes usage over, also on failure. Terms on equal rows are kept
 * apart until mw_net_merge_terms(). */
mw_status mw_net_load(mw_net *net, int32_t node, int32_t begin, int32_t end,
                      int64_t *usage) MW_MUST_CHECK;

/* Sums the terms on equal rows. */
void mw_net_merge_terms(mw_net *net, int32_t node);

void mw_net_cut_edge(mw_net *net, int32_t edge);

/* Removes a node whose edges and memory have been given to others. */
void mw_net_drop_node(mw_net *net, int32_t node);

/* Records how the node follows from n_by others as they are now; best is taken
 * over (also on failure) and holds current strategy numbers of the node. */
mw_status mw_net_note(mw_net *net, int32_t node, int32_t n_by,
                      const int32_t by[2], int32_t *best) MW_MUST_CHECK;

/* Makes slack true again after terms were added or changed. */
void mw_net_settle_rows(mw_net *net);

/* Drops the rows that are not kept, and terms that lie on none any more. */
void mw_net_keep_rows(mw_net *net, const bool *keep);

/* Fills a choice for the problem from current strategy numbers by node; those
 * of gone nodes do not matter. */
void mw_net_expand(const mw_net *net, const int32_t *current, int32_t *choice);

/* The way back; false when a strategy of the choice is gone without an heir:
 * the first one stands in its place. */
bool mw_net_restrict(const mw_net *net, const int32_t *choice,
                     int32_t *current);

/* Cost of a choice of current strategies, the constant included; forbidden
 * gives MW_NET_INFINITE or more. */
mw_int128 mw_net_cost(const mw_net *net, const int32_t *current);

/* The problem's least integer cost for a bound in the net's unit. */
mw_int128 mw_net_bound(const mw_net *net, mw_int128 value);

/* A cost of the problem in the net's unit. */
mw_int128 mw_net_scaled(const mw_net *net, mw_int128 cost);

/* a + b for costs of which each may be infinite. */
static inline int64_t mw_net_add(int64_t a, int64_t b)
{
    int64_t sum = a + b;
    bool infinite = a >= MW_NET_INFINITE / 2 || b >= MW_NET_INFINITE / 2;
    return infinite ? MW_NET_INFINITE : sum;
}

static inline bool mw_net_forbidden(int64_t cost)
{
    return cost >= MW_NET_INFINITE / 2;
}

#endif
