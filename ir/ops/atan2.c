/* atan2.c - the angle of the point (y, x). */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    return atan2(x[0], x[1]);
}

static const mw_scalar scalar = {.f = f};

const mw_op_def mw_op_atan2 = {
    MW_MAP_ROW(2),
    .slow = true,
    .name = "atan2",
    .brief = "the angle of the point (y, x)",
    .scalar = &scalar,
    .no_grad = "it is not there yet",
    .samples = (const char *const[]){MW_SAMPLE_2("atan2", "f32", "f32"), NULL},
};
