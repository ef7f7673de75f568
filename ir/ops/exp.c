/* exp.c - e to the power x. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return exp(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_exp = {
    MW_MAP_ROW(1),
    .name = "exp",
    .brief = "e to the power x",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("exp", "f32", "f32"), NULL},
};
