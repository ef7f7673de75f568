/* min.c - the lesser of x and y; NaN stays. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] < x[1] || isnan(x[0]) ? x[0] : x[1];
}

static int64_t i(const int64_t x[])
{
    return x[0] < x[1] ? x[0] : x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[0] < x[1] ? x[0] : x[1];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

// Whoever is the result gets all; equal operands share in halves.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_dtype dtype = g->graph->tensor[op->out[0].tensor].dtype;
    mw_id is[2], share, sum;
    for (int i = 0; i < 2; i++) {
        MW_TRY(mw_grad_map2(g, "equal", op->in[i].tensor, op->out[0].tensor,
                            &is[i]));
        MW_TRY(mw_grad_cast(g, is[i], dtype, &is[i]));
    }
    MW_TRY(mw_grad_map2(g, "add", is[0], is[1], &sum));
    MW_TRY(mw_grad_map2(g, "div", dout[0], sum, &share));
    for (int i = 0; i < 2; i++)
        if (mw_grad_wants(g, i))
            MW_TRY(mw_grad_share_mul(g, op, i, share, is[i], &din[i]));
    return MW_OK;
}

const mw_op_def mw_op_min = {
    MW_MAP_ROW(2),
    .name = "min",
    .brief = "the lesser of x and y; NaN stays",
    .scalar = &scalar,
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_2("min", "f32", "f32"),
                                     MW_SAMPLE_2("min", "i32", "i32"), NULL},
};
