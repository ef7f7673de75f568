/* sqrt.c - square root. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return sqrt(x[0]);
}

static const mw_scalar scalar = {.f = f};

// d / (2 y).
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id half;
    MW_TRY(mw_grad_scalar(g, "mul", dout[0], 0.5, &half));
    return mw_grad_map2(g, "div", half, op->out[0].tensor, &din[0]);
}

const mw_op_def mw_op_sqrt = {
    MW_MAP_ROW(1),
    .name = "sqrt",
    .brief = "square root",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("sqrt", "f32", "f32"), NULL},
};
