/* ceil.c - least whole number not below x. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return ceil(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_ceil = {
    MW_MAP_ROW(1),
    .name = "ceil",
    .brief = "least whole number not below x",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("ceil", "f32", "f32"), NULL},
};
