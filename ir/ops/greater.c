/* greater.c - x > y. */
#include "ir/scalar.h"

static bool f(const double x[])
{
    return x[0] > x[1];
}

static bool i(const int64_t x[])
{
    return x[0] > x[1];
}

static bool u(const uint64_t x[])
{
    return x[0] > x[1];
}

static const mw_scalar scalar = {.test_f = f, .test_i = i, .test_u = u};

const mw_op_def mw_op_greater = {
    MW_MAP_ROW(2),
    .name = "greater",
    .brief = "x > y",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_2("greater", "f32", "bool"),
                              MW_SAMPLE_2("greater", "u64", "bool"), NULL},
};
