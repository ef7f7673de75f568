/* round.c - nearest whole number, ties to even. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return nearbyint(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_round = {
    MW_MAP_ROW(1),
    .name = "round",
    .brief = "nearest whole number, ties to even",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("round", "f32", "f32"), NULL},
};
