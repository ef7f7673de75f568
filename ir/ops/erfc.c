/* erfc.c - 1 - erf(x). */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return erfc(x[0]);
}

static const mw_scalar scalar = {.f = f};

// dy (-2 / sqrt(pi) exp(-x^2))
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, q, n, e, d;
    MW_TRY(mw_grad_map2(g, "mul", x, x, &q));
    MW_TRY(mw_grad_map1(g, "neg", q, &n));
    MW_TRY(mw_grad_map1(g, "exp", n, &e));
    MW_TRY(mw_grad_scalar(g, "mul", e, -1.1283791670955126, &d));
    return mw_grad_map2(g, "mul", d, dout[0], &din[0]);
}

const mw_op_def mw_op_erfc = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "erfc",
    .brief = "1 - erf(x)",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("erfc", "f32", "f32"), NULL},
};
