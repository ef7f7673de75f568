/*
 * eliminate.h - the cheapest choice of a group of variables, by eliminating
 * them one after the other.
 *
 * Eliminating a variable makes a table over its neighbours; the order takes the
 * variable with the smallest table next. Where even that one is larger than
 * allowed, a variable is held at the strategy it has now (conditioned), the one
 * with most neighbours first; without that the answer is an optimum, as far as
 * 24 bits of a float tell: it proposes choices whose cost the caller works out
 * in integers. One eliminator serves many groups; it belongs to one thread.
 */
#ifndef MW_SEARCH_ELIMINATE_H
#define MW_SEARCH_ELIMINATE_H

#include "base/status.h"

/* A forbidden cost; sums of any number of them are still finite. */
#define MW_ELIMINATE_INFINITE 1e28F

typedef struct mw_factor {
    int32_t n_scope;
    const int32_t *scope; /* in the order of elimination */
    const float *table;   /* row-major over the scope */
    const float *turned;  /* of a pair: the other way round, or NULL */
    int64_t size;
    int32_t next; /* of the same bucket, or -1 */
} mw_factor;

typedef struct mw_variable {
    int32_t n;
    float *cost;
    int32_t *near; /* neighbours while the order is sought, then the scope */
    int32_t n_near, cap_near;
    int32_t position; /* in the order; -1: not yet; -2: held */
    int32_t bucket;   /* first factor, or -1 */
    int32_t bias;     /* added to the number of neighbours when one is to be
                         held */
    int32_t value;    /* now, and in the end chosen */
} mw_variable;

/* Keys of which the least is asked for again and again. */
typedef struct mw_picker {
    int32_t *key;   /* by variable; INT32_MAX: gone */
    int32_t *block; /* the least of each block of them */
    int32_t n_blocks;
} mw_picker;

typedef struct mw_eliminator {
    mw_ctx *ctx;
    struct mw_room *room; /* of the group; kept for the next one */
    mw_variable *variable;
    int32_t n, cap;
    mw_factor *factor;
    int32_t n_factors, cap_factors;
    int32_t *order, *mark;
    mw_picker by_size, by_degree;
    float *sum; /* scratch of the largest table */
    int64_t max_states;
    int32_t n_held;
    int64_t effort; /* table entries filled, by all groups */
} mw_eliminator;

void mw_eliminator_init(mw_eliminator *e, mw_ctx *ctx);
void mw_eliminator_free(mw_eliminator *e);

/* Forgets the last group. */
void mw_eliminator_clear(mw_eliminator *e);

/* Adds a variable of n strategies at `value`; returns its cost vector, to be
 * filled, or NULL with MW_ENOMEM recorded. */
float *mw_eliminator_add(mw_eliminator *e, int32_t n, int32_t value,
                         int32_t bias) MW_MUST_CHECK;

/* Room for a matrix that lives until the next clear. */
float *mw_eliminator_matrix(mw_eliminator *e, int64_t n) MW_MUST_CHECK;

/* Adds a cost between variables a and b, row-major over (a, b); each pair at
 * most once. turned: the same over (b, a), or NULL. Matrices are borrowed until
 * the next clear. */
mw_status mw_eliminator_join(mw_eliminator *e, int32_t a, int32_t b,
                             const float *matrix,
                             const float *turned) MW_MUST_CHECK;

/* Chooses; variable[i].value is the answer, n_held how many were conditioned.
 * Without any the answer is an optimum. */
mw_status mw_eliminator_run(mw_eliminator *e, int64_t max_states) MW_MUST_CHECK;

#endif
