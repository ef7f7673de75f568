/* is_nan.c - true where x is not a number. */
#include <math.h>

#include "ir/scalar.h"

static bool f(const double x[])
{
    return isnan(x[0]);
}

static const mw_scalar scalar = {.test_f = f};

const mw_op_def mw_op_is_nan = {
    MW_MAP_ROW(1),
    .name = "is_nan",
    .brief = "true where x is not a number",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_1("is_nan", "f32", "bool"), NULL},
};
