/* sinh.c - hyperbolic sine. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return sinh(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (cosh(x))
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, d;
    MW_TRY(mw_grad_map1(g, "cosh", x, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_sinh = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "sinh",
    .brief = "hyperbolic sine",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("sinh", "f32", "f32"), NULL},
};
