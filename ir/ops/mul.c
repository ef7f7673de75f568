/* mul.c - x * y; integers wrap. */
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] * x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[0] * x[1];
}

static const mw_scalar scalar = {.f = f, .u = u, .ring = true};

const mw_op_def mw_op_mul = {
    MW_MAP_ROW(2),
    .name = "mul",
    .brief = "x * y; integers wrap",
    .scalar = &scalar,
    .linear = {1, 2},
    .samples = (const char *const[]){MW_SAMPLE_2("mul", "f32", "f32"),
                                     MW_SAMPLE_2("mul", "i64", "i64"), NULL},
};
