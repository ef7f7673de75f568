/* cos.c - cosine. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return cos(x[0]);
}

static const mw_scalar scalar = {.f = f};

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id slope;
    MW_TRY(mw_grad_map1(g, "sin", op->in[0].tensor, &slope));
    MW_TRY(mw_grad_map1(g, "neg", slope, &slope));
    return mw_grad_map2(g, "mul", slope, dout[0], &din[0]);
}

const mw_op_def mw_op_cos = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "cos",
    .brief = "cosine",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("cos", "f32", "f32"), NULL},
};
