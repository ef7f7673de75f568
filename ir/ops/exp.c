/* exp.c - e to the power x. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return exp(x[0]);
}

static const mw_scalar scalar = {.f = f};

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_map2(g, "mul", op->out[0].tensor, dout[0], &din[0]);
}

const mw_op_def mw_op_exp = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "exp",
    .brief = "e to the power x",
    .scalar = &scalar,
    .grad = grad,
    .shift = MW_SHIFT_EXP,
    .samples = (const char *const[]){MW_SAMPLE_1("exp", "f32", "f32"), NULL},
};
