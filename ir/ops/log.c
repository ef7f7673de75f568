/* log.c - natural logarithm. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return log(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_log = {
    MW_MAP_ROW(1),
    .name = "log",
    .brief = "natural logarithm",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("log", "f32", "f32"), NULL},
};
