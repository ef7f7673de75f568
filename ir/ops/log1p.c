/* log1p.c - natural logarithm of 1 + x. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return log1p(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (1 / (1 + x))
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, o, d;
    MW_TRY(mw_grad_scalar(g, "add", x, 1, &o));
    MW_TRY(mw_grad_map1(g, "reciprocal", o, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_log1p = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "log1p",
    .brief = "natural logarithm of 1 + x",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("log1p", "f32", "f32"), NULL},
};
