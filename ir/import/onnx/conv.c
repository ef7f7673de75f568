/* conv.c - convolutions over windows. */
#include <string.h>

#include "ir/import/emit.h"

enum { MAX_SPATIAL = 3 };

typedef struct window {
    int n; /* spatial axes */
    int64_t kernel[MAX_SPATIAL], stride[MAX_SPATIAL], dilation[MAX_SPATIAL];
    int64_t begin[MAX_SPATIAL], end[MAX_SPATIAL];
} window;

static mw_status read_list(mw_onnx_call *call, const char *name, int n,
                           int64_t otherwise, int64_t out[])
{
    mw_onnx_list list = mw_onnx_ints(call, name);
    if (list.given && list.n != n)
        return mw_onnx_refuse(call, "%s has %d numbers, wanted %d", name,
                              list.n, n);
    for (int i = 0; i < n; i++) {
        out[i] = list.given ? list.v[i] : otherwise;
        if (out[i] < 0 || out[i] > INT32_MAX || (otherwise && out[i] == 0))
            return mw_onnx_refuse(call, "%s has %lld", name, (long long)out[i]);
    }
    return call->status;
}

/* SAME_*: ceil(n / stride) outputs, the odd element of padding at the end or
 * at the beginning. */
static mw_status pad_same(mw_onnx_call *call, window *w, bool upper)
{
    for (int i = 0; i < w->n; i++) {
        int64_t n = mw_emit_size(call, call->in[0], i + 2);
        int64_t out = (n + w->stride[i] - 1) / w->stride[i];
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t pads = (out - 1) * w->stride[i] + reach - n;
        if (pads < 0)
            pads = 0;
        w->begin[i] = upper ? pads / 2 : pads - pads / 2;
        w->end[i] = pads - w->begin[i];
    }
    return MW_OK;
}

static mw_status read_window(mw_onnx_call *call, window *w)
{
    int64_t pads[2 * MAX_SPATIAL];
    MW_TRY(read_list(call, "strides", w->n, 1, w->stride));
    MW_TRY(read_list(call, "dilations", w->n, 1, w->dilation));
    MW_TRY(read_list(call, "pads", 2 * w->n, 0, pads));
    for (int i = 0; i < w->n; i++) {
        w->begin[i] = pads[i];
        w->end[i] = pads[i + w->n];
    }
    const char *mode = mw_onnx_text(call, "auto_pad", "NOTSET");
    bool upper = strcmp(mode, "SAME_UPPER") == 0;
    if (upper || strcmp(mode, "SAME_LOWER") == 0)
        return pad_same(call, w, upper);
    for (int i = 0; i < w->n && strcmp(mode, "VALID") == 0; i++)
        w->begin[i] = w->end[i] = 0;
    if (strcmp(mode, "VALID") != 0 && strcmp(mode, "NOTSET") != 0)
        return mw_onnx_refuse(call, "auto_pad is '%s'", mode);
    return MW_OK;
}

static mw_attr ints(const char *name, const int64_t *v, int n)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INTS, .n = n, .i = v};
}

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

/* Groups are an axis of their own: [n, g, ci, ...] by [g, co, ci, ...]. */
static mw_id convolve(mw_onnx_call *call, const window *w, int64_t group)
{
    mw_id in[2] = {call->in[0], call->in[1]};
    mw_attr attr[] = {
        ints("strides", w->stride, w->n),
        ints("dilations", w->dilation, w->n),
        ints("pads_begin", w->begin, w->n),
        ints("pads_end", w->end, w->n),
        {.name = "group", .kind = MW_ATTR_INT, .n = 1, .i = &group}};
    if (group == 1)
        return mw_emit(call, "conv", in, 2, attr, 5);
    in[0] = split_groups(call, in[0], 1, group);
    in[1] = split_groups(call, in[1], 0, group);
    mw_id y = mw_emit(call, "conv", in, 2, attr, 5);
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(call, y, shape);
    if (call->status != MW_OK)
        return MW_NONE;
    shape[1] *= shape[2];
    for (int i = 2; i + 1 < rank; i++)
        shape[i] = shape[i + 1];
    return mw_emit_reshape(call, y, shape, rank - 1);
}

/* The kernel's extents are the weight's; a stated kernel_shape agrees. */
static mw_status read_kernel(mw_onnx_call *call, window *w)
{
    MW_TRY(read_list(call, "kernel_shape", w->n, 0, w->kernel));
    for (int i = 0; i < w->n; i++) {
        int64_t stored = mw_emit_size(call, call->in[1], i + 2);
        if (mw_onnx_attr_find(call, "kernel_shape") && w->kernel[i] != stored)
            return mw_onnx_refuse(
                call, "kernel_shape[%d] is %lld, the weight's %lld", i,
                (long long)w->kernel[i], (long long)stored);
        if (stored > INT32_MAX ||
            mw_emit_size(call, call->in[0], i + 2) > INT64_MAX / 4)
            return mw_onnx_refuse(call, "spatial axis %d is too long", i);
        w->kernel[i] = stored;
    }
    return MW_OK;
}

static mw_status conv(mw_onnx_call *call)
{
    mw_id x = call->in[0], weight = call->in[1];
    window w = {.n = mw_emit_rank(call, x) - 2};
    int64_t group = mw_onnx_int(call, "group", 1);
    if (w.n < 1 || w.n > MAX_SPATIAL || mw_emit_rank(call, weight) != w.n + 2)
        return mw_onnx_refuse(
            call,
            "input of rank %d and weight of rank %d, wanted 3 to 5, and equal",
            mw_emit_rank(call, x), mw_emit_rank(call, weight));
    int64_t in = mw_emit_size(call, x, 1), out = mw_emit_size(call, weight, 0);
    if (group < 1 || out % group != 0 || in % group != 0 ||
        in / group != mw_emit_size(call, weight, 1))
        return mw_onnx_refuse(call,
                              "%lld groups of %lld input channels do not make "
                              "%lld, or do not divide %lld output channels",
                              (long long)group,
                              (long long)mw_emit_size(call, weight, 1),
                              (long long)in, (long long)out);
    MW_TRY(read_kernel(call, &w));
    MW_TRY(read_window(call, &w));
    mw_id y = convolve(call, &w, group);
    if (mw_onnx_has(call, 2)) {
        int64_t shape[MAX_SPATIAL + 1] = {out, 1, 1, 1};
        y = mw_emit2(call, "add", y,
                     mw_emit_reshape(call, call->in[2], shape, w.n + 1));
    }
    return mw_emit_set(call, 0, y);
}

static const mw_onnx_rule rules[] = {
    {.op = "Conv",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "auto_pad dilations group kernel_shape pads strides",
     .build = conv},
    {0},
};

const mw_onnx_def mw_onnx_conv = {.brief = "convolutions", .rules = rules};
