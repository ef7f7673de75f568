/* mod.c - rest of a division, with the sign of y; x mod 0 is 0 for integers. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    double rest = fmod(x[0], x[1]);
    bool other_side = (rest < 0 && x[1] > 0) || (rest > 0 && x[1] < 0);
    return other_side ? rest + x[1] : rest;
}

static int64_t i(const int64_t x[])
{
    if (x[1] == 0 || x[1] == -1)
        return 0;
    int64_t rest = x[0] % x[1];
    bool other_side = (rest < 0 && x[1] > 0) || (rest > 0 && x[1] < 0);
    return other_side ? rest + x[1] : rest;
}

static uint64_t u(const uint64_t x[])
{
    return x[1] == 0 ? 0 : x[0] % x[1];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

// d, and -d floor(x / y).
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id times;
    if (mw_grad_wants(g, 0))
        MW_TRY(mw_grad_share(g, op, 0, dout[0], &din[0]));
    if (!mw_grad_wants(g, 1))
        return MW_OK;
    MW_TRY(mw_grad_map2(g, "div", op->in[0].tensor, op->in[1].tensor, &times));
    MW_TRY(mw_grad_map1(g, "floor", times, &times));
    MW_TRY(mw_grad_share_mul(g, op, 1, dout[0], times, &din[1]));
    return mw_grad_map1(g, "neg", din[1], &din[1]);
}

const mw_op_def mw_op_mod = {
    MW_MAP_ROW(2),
    .name = "mod",
    .brief = "rest of a division, with the sign of y; x mod 0 is 0",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_2("mod", "f32", "f32"),
                                     MW_SAMPLE_2("mod", "i64", "i64"), NULL},
};
