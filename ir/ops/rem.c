/* rem.c - rest of a division, with the sign of x; x rem 0 is 0. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return fmod(x[0], x[1]);
}

static int64_t i(const int64_t x[])
{
    return x[1] == 0 || x[1] == -1 ? 0 : x[0] % x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[1] == 0 ? 0 : x[0] % x[1];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

// x - y trunc(x / y)
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, y = op->in[1].tensor, rest, whole, times;
    if (mw_grad_wants(g, 0))
        MW_TRY(mw_grad_share(g, op, 0, dout[0], &din[0]));
    if (!mw_grad_wants(g, 1))
        return MW_OK;
    MW_TRY(mw_grad_map2(g, "sub", op->out[0].tensor, x, &rest));
    MW_TRY(mw_grad_map2(g, "div", rest, y, &whole));
    MW_TRY(mw_grad_map1(g, "round", whole, &times));
    return mw_grad_share_mul(g, op, 1, dout[0], times, &din[1]);
}

const mw_op_def mw_op_rem = {
    MW_MAP_ROW(2),
    .name = "rem",
    .brief = "rest of a division, with the sign of x; x rem 0 is 0",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_2("rem", "f32", "f32"),
                                     MW_SAMPLE_2("rem", "i64", "i64"), NULL},
};
