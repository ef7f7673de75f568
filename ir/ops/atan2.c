/* atan2.c - the angle of the point (y, x). */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return atan2(x[0], x[1]);
}

static const mw_scalar scalar = {.f = f};

// d x / (y y + x x), and -d y / (y y + x x).
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id y = op->in[0].tensor, x = op->in[1].tensor, yy, xx, square, over;
    MW_TRY(mw_grad_map2(g, "mul", y, y, &yy));
    MW_TRY(mw_grad_map2(g, "mul", x, x, &xx));
    MW_TRY(mw_grad_map2(g, "add", yy, xx, &square));
    MW_TRY(mw_grad_map2(g, "div", dout[0], square, &over));
    if (mw_grad_wants(g, 0))
        MW_TRY(mw_grad_share_mul(g, op, 0, over, x, &din[0]));
    if (!mw_grad_wants(g, 1))
        return MW_OK;
    MW_TRY(mw_grad_share_mul(g, op, 1, over, y, &din[1]));
    return mw_grad_map1(g, "neg", din[1], &din[1]);
}

const mw_op_def mw_op_atan2 = {
    MW_MAP_ROW(2),
    .slow = true,
    .name = "atan2",
    .brief = "the angle of the point (y, x)",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_2("atan2", "f32", "f32"), NULL},
};
