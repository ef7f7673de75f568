/* tan.c - tangent. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return tan(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (1 + tan(x)^2)
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, t, q, d;
    MW_TRY(mw_grad_map1(g, "tan", x, &t));
    MW_TRY(mw_grad_map2(g, "mul", t, t, &q));
    MW_TRY(mw_grad_scalar(g, "add", q, 1, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_tan = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "tan",
    .brief = "tangent",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("tan", "f32", "f32"), NULL},
};
