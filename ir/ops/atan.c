/* atan.c - inverse tangent. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return atan(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (1 / (1 + x^2))
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, q, o, d;
    MW_TRY(mw_grad_map2(g, "mul", x, x, &q));
    MW_TRY(mw_grad_scalar(g, "add", q, 1, &o));
    MW_TRY(mw_grad_map1(g, "reciprocal", o, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_atan = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "atan",
    .brief = "inverse tangent",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("atan", "f32", "f32"), NULL},
};
