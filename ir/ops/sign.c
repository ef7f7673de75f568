/* sign.c - -1, 0 or 1; NaN stays. */
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0];
}

static int64_t i(const int64_t x[])
{
    return (x[0] > 0) - (x[0] < 0);
}

static uint64_t u(const uint64_t x[])
{
    return x[0] > 0;
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

const mw_op_def mw_op_sign = {
    MW_MAP_ROW(1),
    .name = "sign",
    .brief = "-1, 0 or 1; NaN stays",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("sign", "f32", "f32"),
                                     MW_SAMPLE_1("sign", "i64", "i64"), NULL},
};
