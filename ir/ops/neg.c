/* neg.c - -x; integers wrap. */
#include "ir/scalar.h"

static double f(const double x[])
{
    return -x[0];
}

static uint64_t u(const uint64_t x[])
{
    return 0 - x[0];
}

static const mw_scalar scalar = {.f = f, .u = u, .ring = true};

const mw_op_def mw_op_neg = {
    MW_MAP_ROW(1),
    .name = "neg",
    .brief = "-x; integers wrap",
    .scalar = &scalar,
    .linear = {1},
    .samples = (const char *const[]){MW_SAMPLE_1("neg", "f32", "f32"),
                                     MW_SAMPLE_1("neg", "i64", "i64"), NULL},
};
