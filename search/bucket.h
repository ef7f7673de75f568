/*
 * bucket.h - the optimum of a problem that takes no memory, by eliminating its
 * nodes one after the other.
 *
 * Eliminating a node makes a table over its neighbours; the node with the
 * smallest one comes next. What that takes is known before any of it is done.
 * All in integers; tables are numbered (alike.h), so that equal parts of a
 * problem are worked out once.
 */
#ifndef MW_SEARCH_BUCKET_H
#define MW_SEARCH_BUCKET_H

#include "search/alike.h"
#include "search/clock.h"
#include "search/problem.h"

/* A table over some nodes, slowest first, the next to be eliminated last. */
typedef struct mw_bucket_factor {
    int32_t table;
    int32_t n_scope;
    const int32_t *scope;
    int32_t next; /* in the same bucket; MW_NOTHING: none */
} mw_bucket_factor;

typedef struct mw_bucket_node {
    int32_t *near; /* neighbours that are left, ascending */
    int32_t n_near;
    int64_t cap_near;
    int32_t position; /* in the order; MW_NOTHING: not yet */
    int32_t first;    /* factor; MW_NOTHING: none */
    int64_t entries;  /* of its table, this node included */
} mw_bucket_node;

typedef struct mw_bucket {
    mw_arena arena;
    mw_alike *all; /* borrowed: outlives one problem */
    const mw_problem *problem;
    mw_bucket_node *node;
    int32_t *order;
    mw_bucket_factor *factor;
    int32_t n_factors;
    int64_t cap_factors;
    int64_t n_entries; /* of all tables that are made */
    const int32_t *kind;
    mw_intern tables; /* by kinds: those that are counted */
    mw_key key;
} mw_bucket;

/* Finds an order; the problem has no terms, and its costs are not looked at.
 * kind: by node, of which equal ones look alike, so that tables over equal ones
 * count once; NULL: none do. enough: where n_entries stops to count, since it
 * is too much. */
mw_status mw_bucket_open(mw_bucket *bucket, mw_alike *all,
                         const mw_problem *problem, const int32_t *kind,
                         int64_t enough) MW_MUST_CHECK;
void mw_bucket_close(mw_bucket *bucket);

/* Eliminates: choice is an optimum and cost what it costs, MW_INFINITE or more
 * when every choice is forbidden. Sums of finite costs must stay below half of
 * MW_INFINITE. late: it was not finished by the deadline, or with so many
 * entries worked out. */
mw_status mw_bucket_run(mw_bucket *bucket, const mw_deadline *deadline,
                        int64_t most_entries, int32_t *choice, mw_int128 *cost,
                        bool *late) MW_MUST_CHECK;

#endif
