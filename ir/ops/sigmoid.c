/* sigmoid.c - 1 / (1 + exp(-x)). */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return 1 / (1 + exp(-x[0]));
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_sigmoid = {
    MW_MAP_ROW(1),
    .name = "sigmoid",
    .brief = "1 / (1 + exp(-x))",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_1("sigmoid", "f32", "f32"), NULL},
};
