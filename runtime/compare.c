/* compare.c - by runs of elements, as numbers of 64 bits. */
#include "runtime/compare.h"

#include <math.h>

#include "ir/number.h"

enum { RUN = 256 };

static double as_real(mw_dtype dtype, mw_number x)
{
    mw_class class = mw_dtype_class(dtype);
    if (class == MW_CLASS_FLOAT)
        return x.f;
    return class == MW_CLASS_SIGNED ? (double)x.i : (double)x.u;
}

static bool equal_reals(mw_comparison *sum, mw_tolerance t, double got,
                        double want)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want))
        return got == want;
    double error = fabs(got - want);
    if (error > sum->max_abs_error)
        sum->max_abs_error = error;
    if (want != 0 && error / fabs(want) > sum->max_rel_error)
        sum->max_rel_error = error / fabs(want);
    double tolerated = t.atol + t.rtol * fabs(want);
    if (tolerated > 0 && error / tolerated > sum->worst)
        sum->worst = error / tolerated;
    return error <= tolerated;
}

static bool is_half(mw_dtype dtype)
{
    return mw_dtype_is_float(dtype) && mw_dtype_bytes(dtype) == 2;
}

bool mw_compare(mw_comparison *sum, mw_tolerance tolerance, int64_t n,
                mw_dtype got_dtype, const void *got, mw_dtype want_dtype,
                const void *want)
{
    mw_number x[RUN], y[RUN];
    bool reals = mw_dtype_is_float(got_dtype) || mw_dtype_is_float(want_dtype);
    int64_t differ = 0;
    if (is_half(got_dtype) || is_half(want_dtype)) {
        tolerance.rtol *= 10;
        tolerance.atol *= 10;
    }
    for (int64_t first = 0; first < n; first += RUN) {
        int64_t count = n - first < RUN ? n - first : RUN;
        mw_numbers_load(got_dtype, got, first, 1, count, x);
        mw_numbers_load(want_dtype, want, first, 1, count, y);
        for (int64_t k = 0; k < count; k++) {
            double a = as_real(got_dtype, x[k]), b = as_real(want_dtype, y[k]);
            if (reals ? equal_reals(sum, tolerance, a, b) : x[k].u == y[k].u)
                continue;
            if (differ++ > 0)
                continue;
            sum->first = first + k;
            sum->got = a;
            sum->want = b;
        }
    }
    sum->n_elements += n;
    sum->n_differ += differ;
    return differ == 0;
}
