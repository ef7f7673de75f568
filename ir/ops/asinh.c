/* asinh.c - inverse hyperbolic sine. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return asinh(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (1 / sqrt(1 + x^2))
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, q, o, d;
    MW_TRY(mw_grad_map2(g, "mul", x, x, &q));
    MW_TRY(mw_grad_scalar(g, "add", q, 1, &o));
    MW_TRY(mw_grad_scalar(g, "pow", o, -0.5, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_asinh = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "asinh",
    .brief = "inverse hyperbolic sine",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("asinh", "f32", "f32"), NULL},
};
