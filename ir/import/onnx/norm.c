/* norm.c - normalisations, in primitives: statistics are reductions like any
 * other, so a normalised dimension may be split. */
#include <string.h>

#include "ir/import/emit.h"

/* Sums of squares of half floats overflow: they are computed in f32. */
static mw_id widened(mw_onnx_call *call, mw_id x)
{
    mw_dtype dtype = mw_emit_dtype(call, x);
    bool half = dtype == MW_F16 || dtype == MW_BF16;
    return half ? mw_emit_cast(call, x, MW_F32) : x;
}

/* y scale + bias, either left out when MW_NONE; in the type of `like`. */
static mw_id scaled(mw_onnx_call *call, mw_id y, mw_id scale, mw_id bias,
                    mw_id like)
{
    if (scale != MW_NONE)
        y = mw_emit2(call, "mul", y, widened(call, scale));
    if (bias != MW_NONE)
        y = mw_emit2(call, "add", y, widened(call, bias));
    return mw_emit_cast(call, y, mw_emit_dtype(call, like));
}

static mw_axes normalised(mw_onnx_call *call, mw_id x)
{
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", -1),
                            mw_emit_rank(call, x));
    return mw_axes_from(call, x, axis);
}

static mw_status layer_norm(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    mw_axes axes = normalised(call, x);
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    mw_normal n = mw_emit_normalize(call, widened(call, x), &axes, epsilon);
    (void)mw_emit_set(call, 1, n.mean);
    (void)mw_emit_set(call, 2, n.inverse);
    return mw_emit_set(call, 0,
                       scaled(call, n.y, call->in[1], mw_onnx_in(call, 2), x));
}

/* x / sqrt(mean(x x) + epsilon); *inverse: what x is multiplied by. */
static mw_id rms(mw_onnx_call *call, mw_id x, const mw_axes *axes,
                 mw_id *inverse)
{
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    mw_id square = mw_emit_mean(call, mw_emit2(call, "mul", x, x), axes, true);
    mw_id root =
        mw_emit1(call, "sqrt", mw_emit_by(call, "add", square, epsilon));
    *inverse = mw_emit1(call, "reciprocal", root);
    return mw_emit2(call, "mul", x, *inverse);
}

static mw_status rms_norm(mw_onnx_call *call)
{
    mw_id x = call->in[0], inverse;
    mw_axes axes = normalised(call, x);
    mw_id y = rms(call, widened(call, x), &axes, &inverse);
    (void)mw_emit_set(call, 1, inverse);
    return mw_emit_set(call, 0, scaled(call, y, call->in[1], MW_NONE, x));
}

/* Of the sum of input and skip: (input, skip, scale, bias, added) or, for the
 * simplified form, (input, skip, scale, added). */
static mw_status skip_norm(mw_onnx_call *call)
{
    bool simple = strcmp(call->rule->arg, "simple") == 0;
    mw_id sum = mw_emit2(call, "add", call->in[0], call->in[1]), inverse;
    mw_id added = mw_onnx_in(call, simple ? 3 : 4);
    if (added != MW_NONE)
        sum = mw_emit2(call, "add", sum, added);
    mw_axes axes = mw_axes_from(call, sum, mw_emit_rank(call, sum) - 1);
    mw_id x = widened(call, sum), y;
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    if (simple) {
        y = rms(call, x, &axes, &inverse);
        (void)mw_emit_set(call, 2, inverse);
    } else {
        mw_normal n = mw_emit_normalize(call, x, &axes, epsilon);
        y = n.y;
        (void)mw_emit_set(call, 1, n.mean);
        (void)mw_emit_set(call, 2, n.inverse);
    }
    (void)mw_emit_set(call, 3, sum);
    mw_id bias = simple ? MW_NONE : mw_onnx_in(call, 3);
    return mw_emit_set(call, 0, scaled(call, y, call->in[2], bias, sum));
}

/* [C] as [C, 1, 1, ...], to meet the channels of x. */
static mw_id by_channel(mw_onnx_call *call, mw_id v, mw_id x)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_rank(call, x) - 1;
    for (int i = 0; i < rank; i++)
        shape[i] = i == 0 && v != MW_NONE ? mw_emit_size(call, v, 0) : 1;
    return v == MW_NONE ? v : mw_emit_reshape(call, v, shape, rank);
}

static mw_status check_channels(mw_onnx_call *call, mw_id x)
{
    if (mw_emit_rank(call, x) < 2)
        return mw_onnx_refuse(call, "input has rank %d, wanted 2 or more",
                              mw_emit_rank(call, x));
    for (int i = 1; i < call->n_in; i++)
        if (mw_emit_rank(call, call->in[i]) != 1)
            return mw_onnx_refuse(call, "input %d has rank %d, wanted 1", i,
                                  mw_emit_rank(call, call->in[i]));
    return MW_OK;
}

/* Normalised by the statistics of the batch, which also move the stored ones:
 * outputs 1 and 2. */
static mw_status batch_norm_training(mw_onnx_call *call)
{
    mw_id x = widened(call, call->in[0]);
    mw_axes axes = {.n = 0};
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    double momentum = mw_onnx_float(call, "momentum", (double)0.9F);
    for (int i = 0; i < mw_emit_rank(call, x); i++)
        if (i != 1)
            axes.axis[axes.n++] = i;
    mw_id mean = mw_emit_mean(call, x, &axes, false);
    mw_id off = mw_emit2(call, "sub", x, by_channel(call, mean, x));
    mw_id variance =
        mw_emit_mean(call, mw_emit2(call, "mul", off, off), &axes, false);
    mw_id root =
        mw_emit1(call, "sqrt", mw_emit_by(call, "add", variance, epsilon));
    mw_id factor = mw_emit2(call, "div", widened(call, call->in[1]), root);
    mw_id y =
        scaled(call, off, by_channel(call, factor, x),
               by_channel(call, widened(call, call->in[2]), x), call->in[0]);
    const mw_id now[2] = {mean, variance};
    for (int i = 0; i < 2; i++) {
        mw_id stored = widened(call, call->in[3 + i]);
        mw_id moved =
            mw_emit2(call, "add", mw_emit_by(call, "mul", stored, momentum),
                     mw_emit_by(call, "mul", now[i], 1 - momentum));
        moved = mw_emit_cast(call, moved, mw_emit_dtype(call, call->in[3 + i]));
        if (mw_emit_wanted(call, 1 + i))
            MW_TRY(mw_emit_set(call, 1 + i, moved));
    }
    return mw_emit_set(call, 0, y);
}

/* With stored statistics it is a scale and a shift, computed beforehand. */
static mw_status batch_norm(mw_onnx_call *call)
{
    if (mw_onnx_int(call, "spatial", 1) != 1)
        return mw_onnx_refuse(call, "spatial=0 is not supported");
    mw_id x = call->in[0];
    MW_TRY(check_channels(call, x));
    if (mw_onnx_int(call, "training_mode", 0) != 0)
        return batch_norm_training(call);
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    mw_id root =
        mw_emit1(call, "sqrt",
                 mw_emit_by(call, "add", widened(call, call->in[4]), epsilon));
    mw_id factor = mw_emit2(call, "div", widened(call, call->in[1]), root);
    mw_id shift =
        mw_emit2(call, "sub", widened(call, call->in[2]),
                 mw_emit2(call, "mul", widened(call, call->in[3]), factor));
    mw_id y = scaled(call, widened(call, x), by_channel(call, factor, x),
                     by_channel(call, shift, x), x);
    return mw_emit_set(call, 0, y);
}

static mw_status instance_norm(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    MW_TRY(check_channels(call, x));
    mw_axes axes = mw_axes_from(call, x, 2);
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    mw_normal n = mw_emit_normalize(call, widened(call, x), &axes, epsilon);
    mw_id y = scaled(call, n.y, by_channel(call, call->in[1], x),
                     by_channel(call, call->in[2], x), x);
    return mw_emit_set(call, 0, y);
}

/* Channels as (groups, rest); statistics over all but batch and groups. */
static mw_status group_norm(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    MW_TRY(check_channels(call, x));
    int64_t groups = mw_onnx_int(call, "num_groups", 0);
    int64_t shape[MW_MAX_RANK + 1], split[MW_MAX_RANK + 1];
    int rank = mw_emit_shape(call, x, shape);
    if (groups <= 0 || shape[1] % groups != 0 || rank == MW_MAX_RANK)
        return mw_onnx_refuse(call, "%lld groups do not divide %lld channels",
                              (long long)groups, (long long)shape[1]);
    /* before opset 21 */
    bool by_group = mw_emit_size(call, call->in[1], 0) == groups;
    split[0] = shape[0];
    split[1] = groups;
    split[2] = shape[1] / groups;
    for (int i = 2; i < rank; i++)
        split[i + 1] = shape[i];
    mw_id wide = mw_emit_reshape(call, widened(call, x), split, rank + 1);
    mw_axes axes = mw_axes_from(call, wide, 2);
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-5F);
    mw_normal n = mw_emit_normalize(call, wide, &axes, epsilon);
    mw_id y = by_group ? n.y : mw_emit_reshape(call, n.y, shape, rank);
    mw_id like = by_group ? wide : x;
    y = scaled(call, y, by_channel(call, call->in[1], like),
               by_channel(call, call->in[2], like), x);
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, shape, rank));
}

/* x / norm(x), over one axis. */
static mw_status lp_norm(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int64_t p = mw_onnx_int(call, "p", 2);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", -1),
                            mw_emit_rank(call, x));
    mw_axes axes = {.n = 1, .axis = {axis}};
    if (p != 1 && p != 2)
        return mw_onnx_refuse(call, "p is %lld, wanted 1 or 2", (long long)p);
    mw_id size =
        p == 1 ? mw_emit1(call, "abs", x) : mw_emit2(call, "mul", x, x);
    mw_id sum = mw_emit_reduce(call, "reduce_sum", size, &axes, true);
    if (p == 2)
        sum = mw_emit1(call, "sqrt", sum);
    return mw_emit_set(call, 0, mw_emit2(call, "div", x, sum));
}

static mw_status mean_variance(mw_onnx_call *call)
{
    static const int64_t usual[] = {0, 2, 3};
    mw_onnx_list list = mw_onnx_ints(call, "axes");
    if (!list.given)
        list = (mw_onnx_list){.given = true, .n = 3, .v = usual};
    mw_id x = call->in[0];
    mw_axes axes = {0};
    if (list.n > MW_MAX_RANK)
        return mw_onnx_refuse(call, "%d axes", list.n);
    for (int i = 0; i < list.n; i++)
        axes.axis[axes.n++] =
            mw_emit_axis(call, list.v[i], mw_emit_rank(call, x));
    mw_normal n = mw_emit_normalize(call, x, &axes, (double)1e-9F);
    return mw_emit_set(call, 0, n.y);
}

#define MS "com.microsoft"

static const mw_onnx_rule rules[] = {
    {.op = "BatchNormalization",
     .since = 1,
     .min_in = 5,
     .max_in = 5,
     .attrs = "epsilon momentum training_mode spatial",
     .build = batch_norm},
    {.op = "GroupNormalization",
     .since = 18,
     .min_in = 3,
     .max_in = 3,
     .attrs = "epsilon num_groups stash_type",
     .build = group_norm},
    {.op = "InstanceNormalization",
     .since = 1,
     .early = 1,
     .min_in = 3,
     .max_in = 3,
     .attrs = "epsilon",
     .build = instance_norm},
    {.op = "LayerNormalization",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis epsilon stash_type",
     .build = layer_norm},
    {.op = "LpNormalization",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis p",
     .build = lp_norm},
    {.op = "MeanVarianceNormalization",
     .since = 9,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axes",
     .build = mean_variance},
    {.op = "RMSNormalization",
     .since = 23,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axis epsilon stash_type",
     .build = rms_norm},
    {.op = "SimplifiedLayerNormalization",
     .since = 1,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axis epsilon stash_type",
     .build = rms_norm},
    {.op = "SimplifiedLayerNormalization",
     .domain = MS,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axis epsilon stash_type",
     .build = rms_norm},
    {.op = "SkipLayerNormalization",
     .domain = MS,
     .min_in = 3,
     .max_in = 5,
     .attrs = "epsilon",
     .build = skip_norm,
     .arg = "plain"},
    {.op = "SkipSimplifiedLayerNormalization",
     .domain = MS,
     .min_in = 3,
     .max_in = 4,
     .attrs = "epsilon",
     .build = skip_norm,
     .arg = "simple"},
    {0},
};

const mw_onnx_def mw_onnx_norm = {.brief = "normalisations", .rules = rules};
