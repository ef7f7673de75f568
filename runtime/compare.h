/*
 * compare.h - are two arrays the same result?
 *
 * Floats within atol + rtol |want|, halves within ten times that, as they are
 * rounded to three digits; NaN equal to NaN and an infinity to itself; anything
 * else exactly.
 */
#ifndef MW_RUNTIME_COMPARE_H
#define MW_RUNTIME_COMPARE_H

#include "ir/dtype.h"

typedef struct mw_tolerance {
    double rtol, atol;
} mw_tolerance;

/* Sums up any number of comparisons; starts zeroed. */
typedef struct mw_comparison {
    int64_t n_elements, n_differ;
    double max_abs_error, max_rel_error; /* of floats, where both are finite */
    double worst;  /* error as a part of what is tolerated */
    int64_t first; /* of the last array that differs: its first such element */
    double got, want; /* there */
} mw_comparison;

/* Adds n elements; true when none of them differ. The types may differ. */
bool mw_compare(mw_comparison *sum, mw_tolerance tolerance, int64_t n,
                mw_dtype got_dtype, const void *got, mw_dtype want_dtype,
                const void *want);

#endif
