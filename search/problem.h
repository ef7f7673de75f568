/*
 * problem.h - a layout problem: nodes that choose one of their strategies,
 * costs on nodes and on pairs of nodes, memory that the choices take over time.
 *
 * It knows nothing of tensors. The least total cost is sought such that at
 * every time that has a limit the usages of the terms whose interval holds
 * that time sum to at most the limit. Cost vectors, usage vectors and matrices
 * are borrowed and may be shared by any number of nodes, terms and edges:
 * identical ops keep one copy. Totals are 128 bits wide. Nothing is ever
 * simplified here: that is the work of reduce.h, on a copy.
 */
#ifndef MW_SEARCH_PROBLEM_H
#define MW_SEARCH_PROBLEM_H

#include "base/arena.h"

__extension__ typedef __int128 mw_int128;

/* A cost of this size and more is forbidden; so is any total that has one. */
#define MW_INFINITE INT64_C(100000000000000000)
#define MW_NO_LIMIT INT64_MAX

/* Memory taken over the times [begin, end); none where begin >= end. */
typedef struct mw_problem_term {
    int32_t node;
    int64_t begin, end;
    const int64_t *usage; /* by strategy of the node, each >= 0; borrowed */
} mw_problem_term;

typedef struct mw_problem_node {
    int32_t n_strategies;
    const int64_t *cost; /* borrowed */
} mw_problem_node;

/* Row-major over (strategy of a, strategy of b), or over (b, a) when
 * transposed. Several edges between the same two nodes add. */
typedef struct mw_problem_edge {
    int32_t a, b;
    const int64_t *matrix; /* borrowed */
    bool transposed;
} mw_problem_edge;

/* A limit at one time. */
typedef struct mw_problem_row {
    int64_t time, limit;
} mw_problem_row;

/* So many vectors of costs are known to be good: equal layers give the same one
 * again and again. */
enum { MW_PROBLEM_CHECKED = 1024 };

typedef struct mw_problem_checked {
    const int64_t *cost;
    int64_t n;
} mw_problem_checked;

typedef struct mw_problem {
    mw_arena arena; /* of the vectors below; others may allocate here too */
    const char *name;
    mw_problem_node *node;
    mw_problem_edge *edge;
    mw_problem_term *term;
    mw_problem_row *row;
    int32_t n_nodes, n_edges, n_terms, n_rows;
    int64_t cap_nodes, cap_edges, cap_terms, cap_rows;
    int64_t limit; /* at every time; MW_NO_LIMIT: only the rows bind */
    mw_problem_checked *checked; /* by address; NULL: none yet */
} mw_problem;

/* No nodes, no limit. */
void mw_problem_init(mw_problem *problem, mw_ctx *ctx);
void mw_problem_free(mw_problem *problem);

/* Adds a node, whose index is n_nodes before the call. MW_EINPUT without a
 * strategy or when a cost is -MW_INFINITE or less. */
mw_status mw_problem_add_node(mw_problem *problem, int32_t n_strategies,
                              const int64_t *cost) MW_MUST_CHECK;

/* Adds memory of a node; a node may have any number of terms. MW_EINPUT for a
 * negative usage or a node that does not exist. */
mw_status mw_problem_add_term(mw_problem *problem, int32_t node, int64_t begin,
                              int64_t end, const int64_t *usage) MW_MUST_CHECK;

/* Adds an edge. MW_EINPUT when an end does not exist, both are the same node,
 * or a cost is -MW_INFINITE or less. */
mw_status mw_problem_add_edge(mw_problem *problem, int32_t a, int32_t b,
                              const int64_t *matrix,
                              bool transposed) MW_MUST_CHECK;

/* Limits the usage at one time, beside `limit`: rows may be added lazily,
 * between one solve and the next. MW_EINPUT for a negative limit. */
mw_status mw_problem_add_row(mw_problem *problem, int64_t time,
                             int64_t limit) MW_MUST_CHECK;

/* The cost of an edge for the strategies of its ends. */
int64_t mw_problem_edge_cost(const mw_problem *problem, int32_t edge, int32_t a,
                             int32_t b);

/* What a complete choice of strategies costs, with the row it overruns most.
 * `forbidden` tells that a cost of MW_INFINITE or more is chosen: then the cost
 * counts only the others. */
typedef struct mw_evaluation {
    mw_int128 cost;
    bool forbidden;
    mw_int128 excess; /* the largest usage - limit, or 0 */
    int64_t time;     /* where that is */
} mw_evaluation;

/* Evaluates from the problem alone, by a plain walk; the judge of every solver.
 * MW_EINPUT when a strategy does not exist. */
mw_status mw_problem_evaluate(const mw_problem *problem, mw_ctx *ctx,
                              const int32_t *choice,
                              mw_evaluation *evaluation) MW_MUST_CHECK;

/* The rows that can bind: the given ones and, under `limit`, the times at which
 * a maximal set of terms is live; by time, each time once with its least limit.
 * Allocated in the arena. */
mw_status mw_problem_rows(const mw_problem *problem, mw_arena *arena,
                          mw_problem_row **rows, int32_t *n_rows) MW_MUST_CHECK;

/* The first of n rows, which are in the order of time, that is not before a
 * time; n when all are. */
int32_t mw_problem_row_at(const mw_problem_row *row, int32_t n, int64_t time);

/* The number in decimal; text holds 41 bytes at least. Returns text. */
char *mw_int128_text(mw_int128 value, char *text);

#endif
