/* sin.c - sine. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return sin(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_sin = {
    MW_MAP_ROW(1),
    .name = "sin",
    .brief = "sine",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("sin", "f32", "f32"), NULL},
};
