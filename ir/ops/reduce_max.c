/* reduce_max.c - greatest over dims; NaN stays. */
#include "ir/grad.h"
#include "ir/reduction.h"

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_reduce_extreme_grad(g, op, dout[0], &din[0]);
}

const mw_op_def mw_op_reduce_max = {
    MW_REDUCE_ROW,
    .name = "reduce_max",
    .brief = "greatest over dims; NaN stays",
    .reduce = MW_REDUCE_MAX,
    .grad = grad,
    .grad_thin = true,
    .shift = MW_SHIFT_TOP,
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_max", "f32"),
                              MW_REDUCE_SAMPLES("reduce_max", "bool"), NULL},
};
