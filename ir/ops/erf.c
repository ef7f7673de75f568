/* erf.c - error function. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return erf(x[0]);
}

static const mw_scalar scalar = {.f = f};

// d 2/sqrt(pi) exp(-x x).
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    const double slope = 1.1283791670955126;
    mw_id x = op->in[0].tensor, square, bell, scaled;
    MW_TRY(mw_grad_map2(g, "mul", x, x, &square));
    MW_TRY(mw_grad_map1(g, "neg", square, &square));
    MW_TRY(mw_grad_map1(g, "exp", square, &bell));
    MW_TRY(mw_grad_scalar(g, "mul", dout[0], slope, &scaled));
    return mw_grad_map2(g, "mul", bell, scaled, &din[0]);
}

const mw_op_def mw_op_erf = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "erf",
    .brief = "error function",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("erf", "f32", "f32"), NULL},
};
