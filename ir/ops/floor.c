/* floor.c - largest whole number not above x. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return floor(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_floor = {
    MW_MAP_ROW(1),
    .name = "floor",
    .brief = "largest whole number not above x",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("floor", "f32", "f32"), NULL},
};
