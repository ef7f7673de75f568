/* equal.c - x = y. */
#include "ir/scalar.h"

static bool f(const double x[])
{
    return x[0] == x[1];
}

static bool i(const int64_t x[])
{
    return x[0] == x[1];
}

static bool u(const uint64_t x[])
{
    return x[0] == x[1];
}

static const mw_scalar scalar = {.test_f = f, .test_i = i, .test_u = u, .b = u};

const mw_op_def mw_op_equal = {
    MW_MAP_ROW(2),
    .name = "equal",
    .brief = "x = y",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_2("equal", "f32", "bool"),
                              MW_SAMPLE_2("equal", "u64", "bool"),
                              MW_SAMPLE_2("equal", "bool", "bool"), NULL},
};
