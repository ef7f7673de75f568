/* reciprocal.c - 1 / x. */
#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return 1 / x[0];
}

static const mw_scalar scalar = {.f = f};

// -d y y.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id y = op->out[0].tensor, square;
    MW_TRY(mw_grad_map2(g, "mul", y, y, &square));
    MW_TRY(mw_grad_map1(g, "neg", square, &square));
    return mw_grad_map2(g, "mul", square, dout[0], &din[0]);
}

const mw_op_def mw_op_reciprocal = {
    MW_MAP_ROW(1),
    .name = "reciprocal",
    .brief = "1 / x",
    .scalar = &scalar,
    .grad = grad,
    .shift = MW_SHIFT_INVERT,
    .samples =
        (const char *const[]){MW_SAMPLE_1("reciprocal", "f32", "f32"), NULL},
};
