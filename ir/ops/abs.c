/* abs.c - absolute value. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return fabs(x[0]);
}

// The least integer has no positive counterpart and stays.
static int64_t i(const int64_t x[])
{
    return x[0] < 0 ? (int64_t)(0 - (uint64_t)x[0]) : x[0];
}

static uint64_t u(const uint64_t x[])
{
    return x[0];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id sign;
    MW_TRY(mw_grad_map1(g, "sign", op->in[0].tensor, &sign));
    return mw_grad_map2(g, "mul", sign, dout[0], &din[0]);
}

const mw_op_def mw_op_abs = {
    MW_MAP_ROW(1),
    .name = "abs",
    .brief = "absolute value",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("abs", "f32", "f32"),
                                     MW_SAMPLE_1("abs", "i64", "i64"), NULL},
};
