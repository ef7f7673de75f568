/* min.c - the lesser of x and y; NaN stays. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] < x[1] || isnan(x[0]) ? x[0] : x[1];
}

static int64_t i(const int64_t x[])
{
    return x[0] < x[1] ? x[0] : x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[0] < x[1] ? x[0] : x[1];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

const mw_op_def mw_op_min = {
    MW_MAP_ROW(2),
    .name = "min",
    .brief = "the lesser of x and y; NaN stays",
    .scalar = &scalar,
    .end = MW_END_HIGH,
    .grad = mw_grad_extreme,
    .samples = (const char *const[]){MW_SAMPLE_2("min", "f32", "f32"),
                                     MW_SAMPLE_2("min", "i32", "i32"), NULL},
};
