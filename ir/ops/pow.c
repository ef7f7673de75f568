/* pow.c - x to the power y; integers wrap, and a fraction becomes 0. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return pow(x[0], x[1]);
}

static uint64_t u(const uint64_t x[])
{
    uint64_t result = 1, square = x[0];
    for (uint64_t n = x[1]; n; n >>= 1, square *= square)
        result *= n & 1 ? square : 1;
    return result;
}

static int64_t i(const int64_t x[])
{
    if (x[1] >= 0)
        return (int64_t)u((const uint64_t[]){(uint64_t)x[0], (uint64_t)x[1]});
    if (x[0] == 1 || (x[0] == -1 && x[1] % 2 == 0))
        return 1;
    return x[0] == -1 ? -1 : 0;
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

// d y x^(y-1), with x^0 for y = 0; and d z log(x), with log(1) for x = 0.
static mw_status of_base(mw_grad *g, const mw_op *op, mw_id d, mw_id *dx)
{
    mw_id y = op->in[1].tensor, zero, less, one, power;
    MW_TRY(mw_grad_scalar(g, "equal", y, 0, &zero));
    MW_TRY(mw_grad_scalar(g, "sub", y, 1, &less));
    MW_TRY(mw_grad_const(g, g->graph->tensor[y].dtype, 1, &one));
    MW_TRY(mw_grad_where(g, zero, one, less, &less));
    MW_TRY(mw_grad_map2(g, "pow", op->in[0].tensor, less, &power));
    MW_TRY(mw_grad_map2(g, "mul", power, y, &power));
    return mw_grad_share_mul(g, op, 0, d, power, dx);
}

static mw_status of_exponent(mw_grad *g, const mw_op *op, mw_id d, mw_id *dy)
{
    mw_id x = op->in[0].tensor, zero, one, log_x, slope;
    MW_TRY(mw_grad_scalar(g, "equal", x, 0, &zero));
    MW_TRY(mw_grad_const(g, g->graph->tensor[x].dtype, 1, &one));
    MW_TRY(mw_grad_where(g, zero, one, x, &log_x));
    MW_TRY(mw_grad_map1(g, "log", log_x, &log_x));
    MW_TRY(mw_grad_map2(g, "mul", log_x, op->out[0].tensor, &slope));
    return mw_grad_share_mul(g, op, 1, d, slope, dy);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    if (mw_grad_wants(g, 0))
        MW_TRY(of_base(g, op, dout[0], &din[0]));
    return mw_grad_wants(g, 1) ? of_exponent(g, op, dout[0], &din[1]) : MW_OK;
}

const mw_op_def mw_op_pow = {
    MW_MAP_ROW(2),
    .slow = true,
    .name = "pow",
    .brief = "x to the power y; integers wrap, and a fraction becomes 0",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_2("pow", "f32", "f32"),
                                     MW_SAMPLE_2("pow", "i64", "i64"), NULL},
};
