/* relu.c - x, or 0 where x is negative; NaN stays. */
#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] < 0 ? 0 : x[0];
}

static int64_t i(const int64_t x[])
{
    return x[0] < 0 ? 0 : x[0];
}

static uint64_t u(const uint64_t x[])
{
    return x[0];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

// Nothing at 0.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id y = op->out[0].tensor, positive, zero;
    MW_TRY(mw_grad_scalar(g, "greater", y, 0, &positive));
    MW_TRY(mw_grad_const(g, g->graph->tensor[y].dtype, 0, &zero));
    return mw_grad_where(g, positive, dout[0], zero, &din[0]);
}

const mw_op_def mw_op_relu = {
    MW_MAP_ROW(1),
    .name = "relu",
    .brief = "x, or 0 where x is negative; NaN stays",
    .scalar = &scalar,
    .end = MW_END_RELU,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("relu", "f32", "f32"),
                                     MW_SAMPLE_1("relu", "i64", "i64"), NULL},
};
