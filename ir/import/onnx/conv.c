/* conv.c - convolutions over windows. */
#include <string.h>

#include "ir/import/emit.h"
#include "ir/import/product.h"
#include "ir/import/window.h"

/* x's axis split into (groups, rest); of the weight, of the input's axis 1. */
static mw_id split_groups(mw_onnx_call *call, mw_id x, int axis, int64_t group)
{
    int64_t shape[MW_MAX_RANK + 1];
    int rank = mw_emit_shape(call, x, shape);
    for (int i = rank; i > axis; i--)
        shape[i] = shape[i - 1];
    shape[axis] = group;
    shape[axis + 1] /= group;
    return mw_emit_reshape(call, x, shape, rank + 1);
}

/* [n, g, c, ...] as [n, g c, ...]. */
static mw_id join_groups(mw_onnx_call *call, mw_id y)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(call, y, shape);
    if (call->status != MW_OK)
        return MW_NONE;
    shape[1] *= shape[2];
    for (int i = 2; i + 1 < rank; i++)
        shape[i] = shape[i + 1];
    return mw_emit_reshape(call, y, shape, rank - 1);
}

/* Groups are an axis of their own: [n, g, ci, ...] by [g, co, ci, ...]. extra:
 * one more attribute, or NULL. */
static mw_id convolve(mw_onnx_call *call, const char *def, const mw_window *w,
                      const mw_id operand[2], int64_t group,
                      const mw_attr *extra)
{
    mw_id in[2] = {operand[0], operand[1]};
    mw_attr attr[6];
    int n = 5;
    mw_window_attrs(w, attr);
    attr[4] =
        (mw_attr){.name = "group", .kind = MW_ATTR_INT, .n = 1, .i = &group};
    if (extra)
        attr[n++] = *extra;
    if (group == 1)
        return mw_emit(call, def, in, 2, attr, n);
    in[0] = split_groups(call, in[0], 1, group);
    in[1] = split_groups(call, in[1], 0, group);
    return join_groups(call, mw_emit(call, def, in, 2, attr, n));
}

/* The kernel's extents are the weight's; a stated kernel_shape agrees. */
static mw_status read_kernel(mw_onnx_call *call, mw_id weight, mw_window *w)
{
    MW_TRY(mw_window_list(call, "kernel_shape", w->n, 0, w->kernel));
    for (int i = 0; i < w->n; i++) {
        int64_t stored = mw_emit_size(call, weight, i + 2);
        if (mw_onnx_attr_find(call, "kernel_shape") && w->kernel[i] != stored)
            return mw_onnx_refuse(
                call, "kernel_shape[%d] is %lld, the weight's %lld", i,
                (long long)w->kernel[i], (long long)stored);
        if (stored > INT32_MAX)
            return mw_onnx_refuse(call, "spatial axis %d is too long", i);
        w->kernel[i] = stored;
    }
    return MW_OK;
}

/* y and the bias of its channels, input 2, if there is one. */
static mw_id biased(mw_onnx_call *call, mw_id y, int64_t channels, int n)
{
    if (!mw_onnx_has(call, 2) || call->status != MW_OK)
        return y;
    int64_t shape[MW_WINDOW_SPATIAL + 1] = {channels, 1, 1, 1};
    return mw_emit2(call, "add", y,
                    mw_emit_reshape(call, call->in[2], shape, n + 1));
}

static mw_status check_channels(mw_onnx_call *call, mw_id x, mw_id weight,
                                int64_t group)
{
    int64_t in = mw_emit_size(call, x, 1), out = mw_emit_size(call, weight, 0);
    if (group < 1 || out % group != 0 || in % group != 0 ||
        in / group != mw_emit_size(call, weight, 1))
        return mw_onnx_refuse(call,
                              "%lld groups of %lld input channels do not make "
                              "%lld, or do not divide %lld output channels",
                              (long long)group,
                              (long long)mw_emit_size(call, weight, 1),
                              (long long)in, (long long)out);
    return MW_OK;
}

static mw_status read_conv(mw_onnx_call *call, mw_id x, mw_id weight,
                           int64_t group, mw_window *w)
{
    *w = (mw_window){.n = mw_emit_rank(call, x) - 2};
    if (w->n < 1 || w->n > MW_WINDOW_SPATIAL ||
        mw_emit_rank(call, weight) != w->n + 2)
        return mw_onnx_refuse(
            call,
            "input of rank %d and weight of rank %d, wanted 3 to 5, and equal",
            mw_emit_rank(call, x), mw_emit_rank(call, weight));
    MW_TRY(check_channels(call, x, weight, group));
    MW_TRY(read_kernel(call, weight, w));
    return mw_window_read(call, w);
}

mw_id mw_emit_conv(mw_onnx_call *call, mw_id x, mw_id weight)
{
    mw_window w;
    int64_t group = mw_onnx_int(call, "group", 1);
    if (call->status != MW_OK || read_conv(call, x, weight, group, &w) != MW_OK)
        return MW_NONE;
    const mw_id in[2] = {x, weight};
    return convolve(call, "conv", &w, in, group, NULL);
}

mw_id mw_emit_conv_biased(mw_onnx_call *call)
{
    mw_id y = mw_emit_conv(call, call->in[0], call->in[1]);
    return biased(call, y, mw_emit_size(call, call->in[1], 0),
                  mw_emit_rank(call, y) - 2);
}

static mw_status conv(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, mw_emit_conv_biased(call));
}

/* Padding that makes the stated output_shape, or stride times the input where
 * auto_pad says SAME; what it cannot take away is added at the end. */
static mw_status transposed_pads(mw_onnx_call *call, mw_window *w,
                                 int64_t extra[])
{
    int64_t wanted[MW_WINDOW_SPATIAL];
    bool stated = mw_onnx_ints(call, "output_shape").given;
    const char *mode = mw_onnx_text(call, "auto_pad", "NOTSET");
    bool upper = strcmp(mode, "SAME_UPPER") == 0;
    bool same = upper || strcmp(mode, "SAME_LOWER") == 0;
    MW_TRY(mw_window_list(call, "output_shape", w->n, 0, wanted));
    for (int i = 0; i < w->n && (stated || same); i++) {
        int64_t n = mw_emit_size(call, call->in[0], i + 2);
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t full = (n - 1) * w->stride[i] + extra[i] + reach;
        int64_t total = full - (stated ? wanted[i] : n * w->stride[i]);
        if (total < 0) {
            extra[i] -= total;
            total = 0;
        }
        w->begin[i] = upper ? total / 2 : total - total / 2;
        w->end[i] = total - w->begin[i];
    }
    return call->status;
}

static mw_status conv_transpose(mw_onnx_call *call)
{
    mw_id x = call->in[0], weight = call->in[1];
    mw_window w = {.n = mw_emit_rank(call, x) - 2};
    int64_t group = mw_onnx_int(call, "group", 1);
    int64_t extra[MW_WINDOW_SPATIAL];
    if (w.n < 1 || w.n > MW_WINDOW_SPATIAL ||
        mw_emit_rank(call, weight) != w.n + 2)
        return mw_onnx_refuse(
            call,
            "input of rank %d and weight of rank %d, wanted 3 to 5, and equal",
            mw_emit_rank(call, x), mw_emit_rank(call, weight));
    int64_t in = mw_emit_size(call, x, 1);
    if (group < 1 || in % group != 0 || in != mw_emit_size(call, weight, 0))
        return mw_onnx_refuse(call,
                              "%lld groups of %lld input channels, and a "
                              "weight for %lld",
                              (long long)group, (long long)in,
                              (long long)mw_emit_size(call, weight, 0));
    MW_TRY(read_kernel(call, weight, &w));
    MW_TRY(mw_window_read(call, &w));
    MW_TRY(mw_window_list(call, "output_padding", w.n, 0, extra));
    MW_TRY(transposed_pads(call, &w, extra));
    const mw_attr padding = mw_window_ints("output_padding", extra, w.n);
    mw_id y = convolve(call, "conv_transpose", &w, call->in, group, &padding);
    y = biased(call, y, mw_emit_size(call, weight, 1) * group, w.n);
    return mw_emit_set(call, 0, y);
}

static const mw_onnx_rule rules[] = {
    {.op = "Conv",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "auto_pad dilations group kernel_shape pads strides",
     .build = conv},
    {.op = "ConvTranspose",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "auto_pad dilations group kernel_shape output_padding "
              "output_shape pads strides",
     .build = conv_transpose},
    {0},
};

const mw_onnx_def mw_onnx_conv = {.brief = "convolutions", .rules = rules};
