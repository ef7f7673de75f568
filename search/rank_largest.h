/*
 * rank_largest.h - the largest size of a dimension that fits the memory.
 *
 * Memory grows with the size, since every block does: sizes are doubled until
 * one does not fit, then halved in. Where splits must divide, the same without
 * that gives a ceiling, below which sizes are tried one by one.
 */
#ifndef MW_SEARCH_RANK_LARGEST_H
#define MW_SEARCH_RANK_LARGEST_H

#include "search/rank_fit.h"

typedef struct mw_largest {
    int64_t good;        /* the largest that is known to fit; 0: none */
    int64_t proven;      /* one that does not, nor any above; 0: none known */
    const char *refused; /* why the model does not take `proven`, or NULL */
} mw_largest;

/* Whether a size fits; refused: what the model says of it instead, or NULL.
 * uneven: splits need not divide, whatever was asked. */
typedef mw_status (*mw_size_probe)(void *user, int64_t size, bool uneven,
                                   mw_fit *fit, const char **refused);

/* even: splits must divide. Ends early when the context is stopped. */
mw_status mw_largest_find(mw_ctx *ctx, bool even, mw_size_probe probe,
                          void *user, mw_largest *found) MW_MUST_CHECK;

#endif
