/* pow.c - x to the power y; integers wrap, and a fraction becomes 0. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return pow(x[0], x[1]);
}

static uint64_t u(const uint64_t x[])
{
    uint64_t result = 1, square = x[0];
    for (uint64_t n = x[1]; n; n >>= 1, square *= square)
        result *= n & 1 ? square : 1;
    return result;
}

static int64_t i(const int64_t x[])
{
    if (x[1] >= 0)
        return (int64_t)u((const uint64_t[]){(uint64_t)x[0], (uint64_t)x[1]});
    if (x[0] == 1 || (x[0] == -1 && x[1] % 2 == 0))
        return 1;
    return x[0] == -1 ? -1 : 0;
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

const mw_op_def mw_op_pow = {
    MW_MAP_ROW(2),
    .name = "pow",
    .brief = "x to the power y; integers wrap, and a fraction becomes 0",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_2("pow", "f32", "f32"),
                                     MW_SAMPLE_2("pow", "i64", "i64"), NULL},
};
