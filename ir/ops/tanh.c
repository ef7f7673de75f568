/* tanh.c - hyperbolic tangent. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return tanh(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_tanh = {
    MW_MAP_ROW(1),
    .name = "tanh",
    .brief = "hyperbolic tangent",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("tanh", "f32", "f32"), NULL},
};
