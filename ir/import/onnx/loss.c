/* loss.c - losses over classes: the label's class is picked by comparison. */
#include <string.h>

#include "ir/import/emit.h"

typedef struct picked {
    mw_id loss, weight; /* of each sample; weight MW_NONE: all 1 */
} picked;

/* The element of axis 1 that the label names, 0 where it names none. */
static mw_id pick(mw_onnx_call *call, mw_id here, mw_id x)
{
    static const mw_axes axes = {.n = 1, .axis = {1}};
    mw_id kept = mw_emit_where(call, here, x, mw_emit_like(call, x, 0.0));
    return mw_emit_reduce(call, "reduce_sum", kept, &axes, false);
}

/* [C] as [C, 1, ...], to meet axis 1 of a tensor of that rank. */
static mw_id along_classes(mw_onnx_call *call, mw_id v, int rank)
{
    int64_t shape[MW_MAX_RANK];
    for (int i = 0; i < rank - 1; i++)
        shape[i] = i == 0 ? mw_emit_size(call, v, 0) : 1;
    return mw_emit_reshape(call, v, shape, rank - 1);
}

static picked pick_classes(mw_onnx_call *call, mw_id log_prob, mw_id labels)
{
    picked p = {.weight = MW_NONE};
    int rank = mw_emit_rank(call, log_prob);
    int64_t classes = mw_emit_size(call, log_prob, 1);
    mw_id index = mw_emit_cast(call, labels, MW_I64);
    mw_id here = mw_emit2(call, "equal", mw_emit_unsqueeze(call, index, 1),
                          mw_emit_iota(call, classes, 1, rank));
    p.loss = mw_emit1(call, "neg", pick(call, here, log_prob));
    if (mw_onnx_has(call, 2))
        p.weight = pick(call, here, along_classes(call, call->in[2], rank));
    if (mw_onnx_attr_find(call, "ignore_index")) {
        double ignored = (double)mw_onnx_int(call, "ignore_index", -1);
        mw_id out = mw_emit_by(call, "equal", index, ignored);
        mw_id one = mw_emit_like(call, p.loss, 1.0);
        p.weight = mw_emit_where(call, out, mw_emit_like(call, p.loss, 0.0),
                                 p.weight == MW_NONE ? one : p.weight);
    }
    if (p.weight != MW_NONE)
        p.loss = mw_emit2(call, "mul", p.loss, p.weight);
    return p;
}

static mw_status reduced(mw_onnx_call *call, const picked *p)
{
    const char *how = mw_onnx_text(call, "reduction", "mean");
    mw_axes all = mw_axes_from(call, p->loss, 0);
    if (strcmp(how, "none") == 0)
        return mw_emit_set(call, 0, p->loss);
    mw_id sum = mw_emit_reduce(call, "reduce_sum", p->loss, &all, false);
    if (strcmp(how, "sum") == 0)
        return mw_emit_set(call, 0, sum);
    if (strcmp(how, "mean") != 0)
        return mw_onnx_refuse(call, "reduction is '%s'", how);
    if (p->weight == MW_NONE)
        return mw_emit_set(call, 0, mw_emit_mean(call, p->loss, &all, false));
    mw_id weight = mw_emit_reduce(call, "reduce_sum", p->weight, &all, false);
    return mw_emit_set(call, 0, mw_emit2(call, "div", sum, weight));
}

/* arg: whether the scores are logarithms of probabilities already. */
static mw_status loss(mw_onnx_call *call)
{
    static const mw_axes classes = {.n = 1, .axis = {1}};
    mw_id x = call->in[0], labels = call->in[1];
    if (mw_emit_rank(call, x) < 2 ||
        mw_emit_rank(call, labels) != mw_emit_rank(call, x) - 1)
        return mw_onnx_refuse(call, "scores have rank %d, labels %d",
                              mw_emit_rank(call, x),
                              mw_emit_rank(call, labels));
    if (strcmp(call->rule->arg, "scores") == 0)
        x = mw_emit_log_softmax(call, x, &classes);
    (void)mw_emit_set(call, 1, x);
    picked p = pick_classes(call, x, labels);
    MW_TRY(call->status);
    return reduced(call, &p);
}

static const mw_onnx_rule rules[] = {
    {.op = "NegativeLogLikelihoodLoss",
     .since = 12,
     .min_in = 2,
     .max_in = 3,
     .attrs = "ignore_index reduction",
     .build = loss,
     .arg = "logs"},
    {.op = "SoftmaxCrossEntropyLoss",
     .since = 12,
     .min_in = 2,
     .max_in = 3,
     .attrs = "ignore_index reduction",
     .build = loss,
     .arg = "scores"},
    {0},
};

const mw_onnx_def mw_onnx_loss = {.brief = "losses over classes",
                                  .rules = rules};
