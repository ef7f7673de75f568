/* sqrt.c - square root. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return sqrt(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_sqrt = {
    MW_MAP_ROW(1),
    .name = "sqrt",
    .brief = "square root",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("sqrt", "f32", "f32"), NULL},
};
