/*
 * shrink_graph.h - a problem while it shrinks. For shrink*.c only.
 */
#ifndef MW_SEARCH_SHRINK_GRAPH_H
#define MW_SEARCH_SHRINK_GRAPH_H

#include "search/shrink.h"

typedef struct mw_shrink_term {
    int32_t begin, end; /* rows */
    int32_t usage;
} mw_shrink_term;

typedef struct mw_shrink_node {
    int32_t n;        /* strategies left; 0: gone */
    int32_t cost;     /* vectors */
    int32_t strategy; /* the whole's number of each */
    int32_t *heir;    /* by strategy of the whole: itself, the one that is never
                         worse, or -1; NULL: all are there */
    int32_t *edge;
    int32_t n_edges, n_terms;
    int64_t cap_edges, cap_terms;
    mw_shrink_term *term;
    bool queued, kept;
    bool sifted; /* nothing has changed since needless ones were deleted */
} mw_shrink_node;

typedef struct mw_shrink_edge {
    int32_t end[2]; /* -1: gone */
    int32_t matrix; /* row-major over (end[0], end[1]) */
    bool settled;
} mw_shrink_edge;

/* How a gone node follows: the least of left + cost + right in the row of the
 * first, the column of the second. */
typedef struct mw_shrink_record {
    int32_t node, n_by, by[2];
    int32_t strategy, strategy_by[2]; /* vectors: numbers as they were then */
    int32_t left, cost, right;
} mw_shrink_record;

typedef struct mw_shrink_graph {
    mw_shrunk *shrunk;
    mw_alike *all;
    mw_arena *arena; /* the small problem's */
    const mw_deadline *deadline;
    mw_shrink_node *node;
    mw_shrink_edge *edge;
    int32_t n_nodes, n_edges;
    int64_t cap_edges;
    mw_problem_row *row; /* by time, each once */
    int32_t n_rows;
    int64_t
        *taken; /* by row: differences of what is taken whatever is chosen */
    int64_t constant;
    int32_t *queue; /* a ring */
    int32_t head, n_queued;
} mw_shrink_graph;

/* Copies the whole problem. */
mw_status mw_shrink_open(mw_shrink_graph *g, const bool *kept) MW_MUST_CHECK;

/* Reduces until nothing changes, or time is up. */
mw_status mw_shrink_reduce(mw_shrink_graph *g) MW_MUST_CHECK;

void mw_shrink_touch(mw_shrink_graph *g, int32_t node);

/* Adds a matrix over (a, b) to the edge that is there, or makes one. */
mw_status mw_shrink_join(mw_shrink_graph *g, int32_t a, int32_t b,
                         int32_t matrix) MW_MUST_CHECK;

/* Adds memory; what every strategy takes is put aside. */
mw_status mw_shrink_load(mw_shrink_graph *g, int32_t node,
                         mw_shrink_term term) MW_MUST_CHECK;

/* An edge's matrix with the node's strategies as rows. */
mw_status mw_shrink_facing(mw_shrink_graph *g, int32_t edge, int32_t node,
                           int32_t *matrix) MW_MUST_CHECK;

static inline int32_t mw_shrink_other(const mw_shrink_graph *g, int32_t edge,
                                      int32_t node)
{
    const int32_t *end = g->edge[edge].end;
    return end[0] == node ? end[1] : end[0];
}

/* Ascending; MW_NOTHING when it is not there. */
int32_t mw_shrink_find(const mw_alike *all, int32_t numbers, int64_t number);

#endif
