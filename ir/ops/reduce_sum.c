/* reduce_sum.c - sum over dims. */
#include "ir/grad.h"
#include "ir/reduction.h"

// The same along what was summed.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    (void)g;
    (void)op;
    din[0] = dout[0];
    return MW_OK;
}

const mw_op_def mw_op_reduce_sum = {
    MW_REDUCE_ROW,
    .name = "reduce_sum",
    .brief = "sum over dims",
    .reduce = MW_REDUCE_SUM,
    .linear = {1},
    .grad = grad,
    .grad_thin = true,
    .shift = MW_SHIFT_MUL,
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_sum", "f32"),
                              MW_REDUCE_SAMPLES("reduce_sum", "i64"), NULL},
};
