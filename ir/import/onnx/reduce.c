/* reduce.c - operators that sum, compare or normalise over axes. */
#include <string.h>

#include "ir/import/emit.h"

/* Axes of a Reduce*; all of them when none are given, unless the node says
 * that this means none. */
static mw_axes reduced_axes(mw_onnx_call *call, int moved)
{
    mw_onnx_list list = mw_onnx_list_of(call, "axes", moved, 1);
    int rank = mw_emit_rank(call, call->in[0]);
    mw_axes axes = {0};
    if (list.n == 0 && mw_onnx_int(call, "noop_with_empty_axes", 0) != 0)
        return axes;
    if (list.n == 0)
        return mw_axes_from(call, call->in[0], 0);
    uint32_t seen = 0;
    for (int i = 0; i < list.n && call->status == MW_OK; i++) {
        int axis = mw_emit_axis(call, list.v[i], rank);
        if (!(seen & 1U << axis))
            axes.axis[axes.n++] = axis;
        seen |= 1U << axis;
    }
    return axes;
}

/* arg: "BEFORE PRIMITIVE AFTER", a map or "-" before and after. */
static mw_status reduce(mw_onnx_call *call)
{
    bool is_sum = strcmp(call->node->op, "ReduceSum") == 0;
    mw_axes axes = reduced_axes(call, is_sum ? 13 : 18);
    bool keep = mw_onnx_int(call, "keepdims", 1) != 0;
    mw_id x = call->in[0];
    const char *arg = call->rule->arg;
    const char *after = strrchr(arg, ' ') + 1;
    if (strncmp(arg, "abs", 3) == 0)
        x = mw_emit1(call, "abs", x);
    if (strncmp(arg, "square", 6) == 0)
        x = mw_emit2(call, "mul", x, x);
    mw_id y = strstr(arg, " mean ")
                  ? mw_emit_mean(call, x, &axes, keep)
                  : mw_emit_reduce(call,
                                   strstr(arg, " max ")    ? "reduce_max"
                                   : strstr(arg, " min ")  ? "reduce_min"
                                   : strstr(arg, " prod ") ? "reduce_prod"
                                                           : "reduce_sum",
                                   x, &axes, keep);
    if (strcmp(after, "-") != 0)
        y = mw_emit1(call, after, y);
    return mw_emit_set(call, 0, y);
}

/* max + log(sum(exp(x - max))) */
static mw_status log_sum_exp(mw_onnx_call *call)
{
    mw_axes axes = reduced_axes(call, 18);
    bool keep = mw_onnx_int(call, "keepdims", 1) != 0;
    mw_id x = call->in[0];
    mw_id most = mw_emit_reduce(call, "reduce_max", x, &axes, true);
    mw_id e = mw_emit1(call, "exp", mw_emit2(call, "sub", x, most));
    mw_id sum = mw_emit_reduce(call, "reduce_sum", e, &axes, true);
    mw_id y = mw_emit2(call, "add", most, mw_emit1(call, "log", sum));
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(call, y, shape), n = 0;
    uint32_t dropped = 0;
    for (int i = 0; i < axes.n && !keep; i++)
        dropped |= 1U << axes.axis[i];
    for (int i = 0; i < rank; i++)
        if (!(dropped & 1U << i))
            shape[n++] = shape[i];
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, shape, n));
}

/* The least (or greatest) index at which x has its extreme. */
static mw_status arg_extreme(mw_onnx_call *call)
{
    bool last = mw_onnx_int(call, "select_last_index", 0) != 0;
    bool keep = mw_onnx_int(call, "keepdims", 1) != 0;
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x);
    mw_axes axes = {
        .n = 1,
        .axis = {mw_emit_axis(call, mw_onnx_int(call, "axis", 0), rank)}};
    if (call->status != MW_OK)
        return call->status;
    int64_t n = mw_emit_size(call, x, axes.axis[0]);
    mw_id best = mw_emit_reduce(call, call->rule->arg, x, &axes, true);
    mw_id at = mw_emit2(call, "equal", x, best);
    mw_id index = mw_emit_iota(call, n, axes.axis[0], rank);
    mw_id none = mw_emit_like(call, index, last ? -1.0 : (double)n);
    mw_id candidates = mw_emit_where(call, at, index, none);
    return mw_emit_set(call, 0,
                       mw_emit_reduce(call, last ? "reduce_max" : "reduce_min",
                                      candidates, &axes, keep));
}

static mw_status global_pool(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    mw_axes axes = mw_axes_from(call, x, 2);
    bool mean = strcmp(call->rule->arg, "mean") == 0;
    return mw_emit_set(
        call, 0,
        mean ? mw_emit_mean(call, x, &axes, true)
             : mw_emit_reduce(call, "reduce_max", x, &axes, true));
}

/* Before opset 13 all axes from `axis` on are normalised together. */
static mw_status softmax(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x);
    bool together = call->opset < 13;
    int64_t given = mw_onnx_int(call, "axis", together ? 1 : -1);
    if (rank == 0 && given >= -1 && given <= 0)
        rank = 1;
    int axis =
        together && given == rank ? rank : mw_emit_axis(call, given, rank);
    mw_axes axes = {.n = 1, .axis = {axis}};
    if (together || mw_emit_rank(call, x) == 0)
        axes = mw_axes_from(call, x, axis);
    bool log = strcmp(call->rule->arg, "log") == 0;
    return mw_emit_set(call, 0,
                       log ? mw_emit_log_softmax(call, x, &axes)
                           : mw_emit_softmax(call, x, &axes));
}

/* y[j] = sum of x[i], i <= j. */
static mw_status cum_sum(mw_onnx_call *call)
{
    mw_onnx_list list = mw_onnx_in_ints(call, 1);
    mw_id x = call->in[0];
    if (call->status == MW_OK && list.n != 1)
        return mw_onnx_refuse(call, "axis has %d values, wanted one", list.n);
    MW_TRY(call->status);
    const int64_t axis = mw_emit_axis(call, list.v[0], mw_emit_rank(call, x));
    const int64_t reverse = mw_onnx_int(call, "reverse", 0) != 0;
    const int64_t exclusive = mw_onnx_int(call, "exclusive", 0) != 0;
    MW_TRY(call->status);
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "exclusive", .kind = MW_ATTR_INT, .n = 1, .i = &exclusive},
        {.name = "reverse", .kind = MW_ATTR_INT, .n = 1, .i = &reverse}};
    return mw_emit_set(call, 0, mw_emit(call, "cumsum", &x, 1, attr, 3));
}

#define REDUCE(name, how)                                                      \
    {                                                                          \
        .op = name, .since = 1, .early = 1, .min_in = 1, .max_in = 2,          \
        .build = reduce, .attrs = "axes keepdims noop_with_empty_axes",        \
        .arg = how                                                             \
    }

static const mw_onnx_rule rules[] = {
    {.op = "ArgMax",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis keepdims select_last_index",
     .build = arg_extreme,
     .arg = "reduce_max"},
    {.op = "ArgMin",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis keepdims select_last_index",
     .build = arg_extreme,
     .arg = "reduce_min"},
    {.op = "CumSum",
     .since = 11,
     .min_in = 2,
     .max_in = 2,
     .attrs = "exclusive reverse",
     .build = cum_sum},
    {.op = "GlobalAveragePool",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .build = global_pool,
     .arg = "mean"},
    {.op = "GlobalMaxPool",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .build = global_pool,
     .arg = "max"},
    {.op = "LogSoftmax",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis",
     .build = softmax,
     .arg = "log"},
    REDUCE("ReduceL1", "abs sum -"),
    REDUCE("ReduceL2", "square sum sqrt"),
    REDUCE("ReduceLogSum", "- sum log"),
    {.op = "ReduceLogSumExp",
     .since = 1,
     .min_in = 1,
     .max_in = 2,
     .attrs = "axes keepdims noop_with_empty_axes",
     .build = log_sum_exp},
    REDUCE("ReduceMax", "- max -"),
    REDUCE("ReduceMean", "- mean -"),
    REDUCE("ReduceMin", "- min -"),
    REDUCE("ReduceProd", "- prod -"),
    REDUCE("ReduceSum", "- sum -"),
    REDUCE("ReduceSumSquare", "square sum -"),
    {.op = "Softmax",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis",
     .build = softmax,
     .arg = "plain"},
    {0},
};

const mw_onnx_def mw_onnx_reduce = {.brief = "reductions and softmax",
                                    .rules = rules};
