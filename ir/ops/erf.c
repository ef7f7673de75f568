/* erf.c - error function. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return erf(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_erf = {
    MW_MAP_ROW(1),
    .name = "erf",
    .brief = "error function",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("erf", "f32", "f32"), NULL},
};
