/* sub.c - x - y; integers wrap. */
#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] - x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[0] - x[1];
}

static const mw_scalar scalar = {.f = f, .u = u, .ring = true};

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    if (mw_grad_wants(g, 0))
        MW_TRY(mw_grad_share(g, op, 0, dout[0], &din[0]));
    if (!mw_grad_wants(g, 1))
        return MW_OK;
    MW_TRY(mw_grad_share(g, op, 1, dout[0], &din[1]));
    return mw_grad_map1(g, "neg", din[1], &din[1]);
}

const mw_op_def mw_op_sub = {
    MW_MAP_ROW(2),
    .name = "sub",
    .brief = "x - y; integers wrap",
    .scalar = &scalar,
    .end = MW_END_SUB,
    .linear = {MW_LINEAR_ALL},
    .grad = grad,
    .shift = MW_SHIFT_SUB,
    .samples = (const char *const[]){MW_SAMPLE_2("sub", "f32", "f32"),
                                     MW_SAMPLE_2("sub", "i64", "i64"), NULL},
};
