/* cos.c - cosine. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return cos(x[0]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_cos = {
    MW_MAP_ROW(1),
    .name = "cos",
    .brief = "cosine",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("cos", "f32", "f32"), NULL},
};
