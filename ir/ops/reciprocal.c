/* reciprocal.c - 1 / x. */
#include "ir/scalar.h"

static double f(const double x[])
{
    return 1 / x[0];
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_reciprocal = {
    MW_MAP_ROW(1),
    .name = "reciprocal",
    .brief = "1 / x",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_1("reciprocal", "f32", "f32"), NULL},
};
