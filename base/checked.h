/*
 * checked.h - int64 arithmetic that says when it does not fit.
 *
 * Each is true and sets its result when the exact value fits, and false
 * otherwise with the result untouched. Sizes pass here before they become
 * bytes.
 */
#ifndef MW_BASE_CHECKED_H
#define MW_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

static inline bool MW_MUST_CHECK mw_add_fits(int64_t a, int64_t b, int64_t *sum)
{
    int64_t exact;
    if (__builtin_add_overflow(a, b, &exact))
        return false;
    *sum = exact;
    return true;
}

static inline bool MW_MUST_CHECK mw_mul_fits(int64_t a, int64_t b,
                                             int64_t *product)
{
    int64_t exact;
    if (__builtin_mul_overflow(a, b, &exact))
        return false;
    *product = exact;
    return true;
}

/* The product of count sizes, 1 for none. A zero makes it 0, whatever the
 * others are. */
static inline bool MW_MUST_CHECK mw_product_fits(const int64_t size[],
                                                 int64_t count,
                                                 int64_t *product)
{
    int64_t exact = 1;
    for (int64_t i = 0; i < count; i++)
        if (size[i] == 0)
            exact = 0;
    for (int64_t i = 0; i < count; i++)
        if (!mw_mul_fits(exact, size[i], &exact))
            return false;
    *product = exact;
    return true;
}

/* ceil(n / p) for n >= 0, p > 0. */
static inline int64_t mw_ceil_div(int64_t n, int64_t p)
{
    return n / p + (n % p != 0);
}

#endif
