/* tanh.c - hyperbolic tangent. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return tanh(x[0]);
}

static const mw_scalar scalar = {.f = f};

// d (1 - y y).
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id y = op->out[0].tensor, square, one, slope;
    MW_TRY(mw_grad_map2(g, "mul", y, y, &square));
    MW_TRY(mw_grad_const(g, g->graph->tensor[y].dtype, 1, &one));
    MW_TRY(mw_grad_map2(g, "sub", one, square, &slope));
    return mw_grad_map2(g, "mul", slope, dout[0], &din[0]);
}

const mw_op_def mw_op_tanh = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "tanh",
    .brief = "hyperbolic tangent",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("tanh", "f32", "f32"), NULL},
};
