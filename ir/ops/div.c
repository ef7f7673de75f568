/* div.c - x / y; integers are cut towards zero, and x / 0 is 0. */
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] / x[1];
}

// The least integer over -1 wraps to itself.
static int64_t i(const int64_t x[])
{
    if (x[1] == -1)
        return (int64_t)(0 - (uint64_t)x[0]);
    return x[1] == 0 ? 0 : x[0] / x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[1] == 0 ? 0 : x[0] / x[1];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

static bool is_linear(const mw_graph *graph, const mw_op *op)
{
    return mw_dtype_is_float(mw_op_out(graph, op)->dtype);
}

// d/y, and -d z / y of z = x / y.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id y = op->in[1].tensor, over;
    MW_TRY(mw_grad_map2(g, "div", dout[0], y, &over));
    if (mw_grad_wants(g, 0))
        MW_TRY(mw_grad_share(g, op, 0, over, &din[0]));
    if (!mw_grad_wants(g, 1))
        return MW_OK;
    MW_TRY(mw_grad_share_mul(g, op, 1, over, op->out[0].tensor, &din[1]));
    return mw_grad_map1(g, "neg", din[1], &din[1]);
}

const mw_op_def mw_op_div = {
    MW_MAP_ROW(2),
    .name = "div",
    .brief = "x / y; integers are cut towards zero, and x / 0 is 0",
    .scalar = &scalar,
    .end = MW_END_DIV,
    .linear = {1},
    .is_linear = is_linear,
    .grad = grad,
    .shift = MW_SHIFT_DIV,
    .samples = (const char *const[]){MW_SAMPLE_2("div", "f32", "f32"),
                                     MW_SAMPLE_2("div", "i64", "i64"), NULL},
};
