/* is_inf.c - true where x is infinite. */
#include <math.h>

#include "ir/scalar.h"

static bool f(const double x[])
{
    return isinf(x[0]);
}

static const mw_scalar scalar = {.test_f = f};

const mw_op_def mw_op_is_inf = {
    MW_MAP_ROW(1),
    .name = "is_inf",
    .brief = "true where x is infinite",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_1("is_inf", "f32", "bool"), NULL},
};
