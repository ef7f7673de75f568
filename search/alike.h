/*
 * alike.h - vectors and matrices of which equal ones are one, and what was made
 * of them.
 *
 * A vector is known by its number; equal contents have equal numbers. What is
 * made of vectors (sums, transposes, the least over a node between two edges)
 * is remembered by the numbers it was made of: of 96 equal layers one is worked
 * out. Matrices are row-major vectors; who asks knows their width. Costs of
 * MW_INFINITE and more are forbidden and stay MW_INFINITE.
 */
#ifndef MW_SEARCH_ALIKE_H
#define MW_SEARCH_ALIKE_H

#include "search/layout_intern.h"

typedef struct mw_vector {
    const int64_t *value;
    int64_t n;
    uint64_t hash;
    int64_t most; /* the largest size of an entry that is not forbidden */
} mw_vector;

/* The largest size of a cost that is not forbidden; 0 without any. */
int64_t mw_most_of(const int64_t *cost, int64_t n);

/* Rows of `width` as rows of mw_padded(width), padded with MW_INFINITE. */
void mw_pad_rows(int64_t *restrict out, const int64_t *restrict from,
                 int64_t height, int32_t width);

/* In place of a vector's number. */
enum { MW_NOTHING = -1 };

/* At most so many results of one making. */
enum { MW_MADE = 3 };

typedef struct mw_made {
    int32_t id[MW_MADE];
} mw_made;

typedef struct mw_alike {
    mw_arena arena;
    mw_vector *vector;
    int32_t n_vectors;
    int64_t cap_vectors;
    int32_t *slot; /* open addressing: number + 1 */
    int64_t n_slots;
    int64_t n_bytes;   /* of all vectors */
    mw_intern recipes; /* what was made, of what */
    mw_made *made;     /* by recipe */
    int64_t cap_made;
    mw_key key;
} mw_alike;

void mw_alike_init(mw_alike *all, mw_ctx *ctx);
void mw_alike_free(mw_alike *all);

/* Forgets everything. */
void mw_alike_clear(mw_alike *all);

/* The number of a vector; copied when it is new. */
mw_status mw_alike_add(mw_alike *all, const int64_t *value, int64_t n,
                       int32_t *id) MW_MUST_CHECK;

static inline const int64_t *mw_alike_at(const mw_alike *all, int32_t id)
{
    return all->vector[id].value;
}

/* 0, 1, ... n - 1. */
mw_status mw_alike_count(mw_alike *all, int32_t n, int32_t *id) MW_MUST_CHECK;

mw_status mw_alike_sum(mw_alike *all, int32_t a, int32_t b,
                       int32_t *id) MW_MUST_CHECK;

mw_status mw_alike_transposed(mw_alike *all, int32_t matrix, int32_t height,
                              int32_t *id) MW_MUST_CHECK;

/* Less its least value, which is left alone when forbidden. */
mw_status mw_alike_lowered(mw_alike *all, int32_t a, int32_t *id,
                           int64_t *least) MW_MUST_CHECK;

/* The least of each row, the least of each column of what that leaves, and the
 * rest; rest MW_NOTHING: it says nothing. */
mw_status mw_alike_settled(mw_alike *all, int32_t matrix, int32_t height,
                           mw_made *made) MW_MUST_CHECK;

/* The entries, or the rows, or the columns of a vector of numbers. */
mw_status mw_alike_picked(mw_alike *all, int32_t a, int32_t numbers,
                          int32_t *id) MW_MUST_CHECK;
mw_status mw_alike_picked_rows(mw_alike *all, int32_t matrix, int32_t width,
                               int32_t numbers, int32_t *id) MW_MUST_CHECK;
mw_status mw_alike_picked_columns(mw_alike *all, int32_t matrix, int32_t width,
                                  int32_t numbers, int32_t *id) MW_MUST_CHECK;

/* A node between others: by the row of `left` and the column of `right`, the
 * least of left + cost + right. right MW_NOTHING: by the row alone. */
mw_status mw_alike_between(mw_alike *all, int32_t left, int32_t cost,
                           int32_t right, int32_t *id) MW_MUST_CHECK;

/* A node: costs, a matrix (its strategies are the rows) for each edge, usages
 * for each term. */
typedef struct mw_alike_node {
    int32_t cost;
    const int32_t *matrix, *usage;
    int32_t n_matrices, n_usages;
} mw_alike_node;

/* The numbers of the strategies that no other makes needless: another costs no
 * more whatever the other ends choose, and takes no more memory. made: those
 * kept, and by strategy the one that is never worse. */
mw_status mw_alike_worthy(mw_alike *all, const mw_alike_node *node,
                          mw_made *made) MW_MUST_CHECK;

#endif
