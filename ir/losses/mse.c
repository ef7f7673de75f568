/* mse.c - the mean of squared differences. */
#include "ir/loss.h"

static mw_status build(mw_grad *g, const mw_loss *loss, mw_id *scalar)
{
    const mw_tensor as = g->graph->tensor[loss->result];
    mw_id labels, off, square, sum;
    MW_TRY(mw_loss_labels(g, loss, &as, &labels));
    MW_TRY(mw_grad_map2(g, "sub", loss->result, labels, &off));
    MW_TRY(mw_grad_map2(g, "mul", off, off, &square));
    MW_TRY(mw_loss_sum(g, square, &sum));
    return mw_grad_scalar(g, "div", sum, (double)mw_tensor_elements(&as),
                          scalar);
}

const mw_loss_def mw_loss_mse = {
    .name = "mse",
    .brief = "mean of squared differences; labels have the result's shape",
    .build = build,
};
