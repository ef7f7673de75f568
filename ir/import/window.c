/* window.c - a node's windows. */
#include "ir/import/window.h"

#include <string.h>

#include "ir/import/emit.h"

mw_status mw_window_list(mw_onnx_call *call, const char *name, int n,
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
static mw_status pad_same(mw_onnx_call *call, mw_window *w, bool upper)
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

mw_status mw_window_read(mw_onnx_call *call, mw_window *w)
{
    int64_t pads[2 * MW_WINDOW_SPATIAL];
    MW_TRY(mw_window_list(call, "strides", w->n, 1, w->stride));
    MW_TRY(mw_window_list(call, "dilations", w->n, 1, w->dilation));
    MW_TRY(mw_window_list(call, "pads", 2 * w->n, 0, pads));
    for (int i = 0; i < w->n; i++) {
        w->begin[i] = pads[i];
        w->end[i] = pads[i + w->n];
        if (mw_emit_size(call, call->in[0], i + 2) > INT64_MAX / 4)
            return mw_onnx_refuse(call, "spatial axis %d is too long", i);
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

mw_attr mw_window_ints(const char *name, const int64_t *v, int n)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INTS, .n = n, .i = v};
}

void mw_window_attrs(const mw_window *w, mw_attr attr[4])
{
    attr[0] = mw_window_ints("strides", w->stride, w->n);
    attr[1] = mw_window_ints("dilations", w->dilation, w->n);
    attr[2] = mw_window_ints("pads_begin", w->begin, w->n);
    attr[3] = mw_window_ints("pads_end", w->end, w->n);
}
