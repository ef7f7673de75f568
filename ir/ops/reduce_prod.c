/* reduce_prod.c - product over dims. */
#include "ir/grad.h"
#include "ir/reduction.h"

// The product of all other elements: that of all by each where none is 0; where
// one is, that of the rest, for it alone.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[0].tensor, none, is_zero, zeros, one, safe, rest, some;
    mw_dtype dtype = g->graph->tensor[x].dtype;
    MW_TRY(mw_grad_const(g, dtype, 0, &none));
    MW_TRY(mw_grad_const(g, dtype, 1, &one));
    MW_TRY(mw_grad_map2(g, "equal", x, none, &is_zero));
    MW_TRY(mw_grad_where(g, is_zero, one, x, &safe));
    MW_TRY(mw_grad_reduce(g, "reduce_prod", safe, op->out[0].tensor, &rest));
    MW_TRY(mw_grad_cast(g, is_zero, dtype, &zeros));
    MW_TRY(mw_grad_map2(g, "div", rest, safe, &some));
    /* others: zeros beside the element itself */
    mw_id all, others, alone;
    MW_TRY(mw_grad_reduce(g, "reduce_sum", zeros, op->out[0].tensor, &all));
    MW_TRY(mw_grad_map2(g, "sub", all, zeros, &others));
    MW_TRY(mw_grad_map2(g, "equal", others, none, &alone));
    MW_TRY(mw_grad_where(g, alone, some, none, &some));
    return mw_grad_map2(g, "mul", some, dout[0], &din[0]);
}

const mw_op_def mw_op_reduce_prod = {
    MW_REDUCE_ROW,
    .name = "reduce_prod",
    .brief = "product over dims",
    .reduce = MW_REDUCE_PROD,
    .grad = grad,
    .grad_thin = true,
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_prod", "f32"),
                              MW_REDUCE_SAMPLES("reduce_prod", "i64"), NULL},
};
