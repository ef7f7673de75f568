/*
 * cross_entropy.c - the mean, over labels that count, of log(sum exp(x)) -
 * x[label] along the last axis, from which the largest was taken off first: a
 * split class dimension leaves a partial maximum and partial sums.
 */
#include "ir/loss.h"

// The result without its last dimension.
static mw_tensor without_last(const mw_tensor *result)
{
    mw_tensor as = *result;
    int n = as.file_rank > 0 ? as.file_axis[as.file_rank - 1] : 1;
    as.rank -= n;
    as.file_rank -= as.file_rank > 0;
    return as;
}

static mw_status check(mw_grad *g, const mw_tensor *result)
{
    int last = result->file_rank > 0 ? result->file_axis[result->file_rank - 1]
                                     : result->rank > 0;
    if (last == 1 && result->axis[result->rank - 1].dim != MW_NONE)
        return MW_OK;
    return mw_fail(g->ctx, MW_EUSAGE,
                   "cross-entropy: the last axis of '%s' is %d dims, wanted "
                   "one, the classes",
                   result->name, last);
}

// log(sum(exp(x))) along what `like` lacks; nothing flows through the shift.
static mw_status log_sum(mw_grad *g, mw_id x, mw_id like, mw_id *y)
{
    mw_id top, off, e, sum;
    MW_TRY(mw_grad_reduce(g, "reduce_max", x, like, &top));
    MW_TRY(mw_grad_map2(g, "sub", x, top, &off));
    MW_TRY(mw_grad_map1(g, "exp", off, &e));
    MW_TRY(mw_grad_reduce(g, "reduce_sum", e, like, &sum));
    MW_TRY(mw_grad_map1(g, "log", sum, &sum));
    return mw_grad_map2(g, "add", sum, top, y);
}

// x at the labels, those that do not count taken for 0.
static mw_status look_up(mw_grad *g, mw_id x, mw_id labels, mw_id counts,
                         mw_id *y)
{
    const mw_tensor *from = &g->graph->tensor[x];
    const int64_t dim = from->axis[from->rank - 1].dim;
    mw_dtype dtype = from->dtype;
    mw_id zero, safe;
    MW_TRY(mw_grad_const(g, g->graph->tensor[labels].dtype, 0, &zero));
    MW_TRY(mw_grad_where(g, counts, labels, zero, &safe));
    const mw_attr attr = {
        .name = "dim", .kind = MW_ATTR_DIM, .n = 1, .i = &dim};
    const mw_op_spec spec = {.def = "gather",
                             .n_in = 2,
                             .in = (const mw_id[]){x, safe},
                             .n_attr = 1,
                             .attr = &attr};
    return mw_grad_op(g, &spec, labels, dtype, y);
}

// total / max(n, 1)
static mw_status mean(mw_grad *g, mw_id each, mw_id counts, mw_id *y)
{
    mw_dtype dtype = g->graph->tensor[each].dtype;
    mw_id zero, kept, total, ones, n;
    MW_TRY(mw_grad_const(g, dtype, 0, &zero));
    MW_TRY(mw_grad_where(g, counts, each, zero, &kept));
    MW_TRY(mw_loss_sum(g, kept, &total));
    MW_TRY(mw_grad_cast(g, counts, dtype, &ones));
    MW_TRY(mw_loss_sum(g, ones, &n));
    MW_TRY(mw_grad_scalar(g, "max", n, 1, &n));
    return mw_grad_map2(g, "div", total, n, y);
}

static mw_status build(mw_grad *g, const mw_loss *loss, mw_id *scalar)
{
    const mw_tensor result = g->graph->tensor[loss->result];
    MW_TRY(check(g, &result));
    mw_tensor as = without_last(&result);
    as.dtype = loss->index;
    mw_id labels, ignored, counts, lse, own, each;
    MW_TRY(mw_loss_labels(g, loss, &as, &labels));
    MW_TRY(mw_grad_scalar(g, "equal", labels, loss->ignore, &ignored));
    MW_TRY(mw_grad_map1(g, "not", ignored, &counts));
    MW_TRY(log_sum(g, loss->result, labels, &lse));
    MW_TRY(look_up(g, loss->result, labels, counts, &own));
    MW_TRY(mw_grad_map2(g, "sub", lse, own, &each));
    return mean(g, each, counts, scalar);
}

const mw_loss_def mw_loss_cross_entropy = {
    .name = "cross-entropy",
    .brief = "mean over labels of -log softmax at the label, along the last "
             "axis; labels of -100 do not count",
    .classes = true,
    .build = build,
};
