/* cosh.c - hyperbolic cosine. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return cosh(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (sinh(x))
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, d;
    MW_TRY(mw_grad_map1(g, "sinh", x, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_cosh = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "cosh",
    .brief = "hyperbolic cosine",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("cosh", "f32", "f32"), NULL},
};
