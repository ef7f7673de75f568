/* pool.c - pooling over windows, and over everything. */
#include <string.h>

#include "ir/import/emit.h"
#include "ir/import/window.h"

static mw_status read_pool(mw_onnx_call *call, mw_window *w)
{
    *w = (mw_window){.n = mw_emit_rank(call, call->in[0]) - 2};
    if (w->n < 1 || w->n > MW_WINDOW_SPATIAL)
        return mw_onnx_refuse(call, "input of rank %d, wanted 3 to 5",
                              w->n + 2);
    if (!mw_onnx_attr_find(call, "kernel_shape"))
        return mw_onnx_refuse(call, "kernel_shape is missing");
    MW_TRY(mw_window_list(call, "kernel_shape", w->n, 1, w->kernel));
    return mw_window_read(call, w);
}

static mw_id windows_of(mw_onnx_call *call, const char *def, mw_id x,
                        const mw_window *w, int64_t count_pads)
{
    static const int64_t axes[] = {2, 3, 4};
    int64_t ceil = mw_onnx_int(call, "ceil_mode", 0);
    mw_attr attr[8];
    int n = 7;
    mw_window_attrs(w, attr);
    attr[4] = mw_window_ints("kernel", w->kernel, w->n);
    attr[5] = mw_window_ints("in_axes", axes, w->n);
    attr[6] =
        (mw_attr){.name = "ceil", .kind = MW_ATTR_INT, .n = 1, .i = &ceil};
    if (count_pads)
        attr[n++] = (mw_attr){.name = "count_pads",
                              .kind = MW_ATTR_INT,
                              .n = 1,
                              .i = &count_pads};
    return mw_emit(call, def, &x, 1, attr, n);
}

static mw_status max_pool(mw_onnx_call *call)
{
    mw_window w;
    if (mw_emit_wanted(call, 1))
        return mw_onnx_refuse(call, "Indices are not supported");
    MW_TRY(read_pool(call, &w));
    return mw_emit_set(call, 0,
                       windows_of(call, "pool_max", call->in[0], &w, 0));
}

static mw_status average_pool(mw_onnx_call *call)
{
    mw_window w;
    MW_TRY(read_pool(call, &w));
    int64_t pads = mw_onnx_int(call, "count_include_pad", 0);
    return mw_emit_set(call, 0,
                       windows_of(call, "pool_average", call->in[0], &w, pads));
}

/* |x|^p, and the root of a sum of them. */
static mw_id power(mw_onnx_call *call, mw_id x, double p)
{
    x = mw_emit1(call, "abs", x);
    return p == 1.0 ? x : mw_emit_by(call, "pow", x, p);
}

static mw_id root(mw_onnx_call *call, mw_id x, double p)
{
    return p == 1.0 ? x : mw_emit_by(call, "pow", x, 1.0 / p);
}

static double norm_of(mw_onnx_call *call)
{
    double p = (double)mw_onnx_int(call, "p", 2);
    if (p < 1.0)
        (void)mw_onnx_refuse(call, "p is %g, wanted at least 1", p);
    return p < 1.0 ? 1.0 : p;
}

static mw_status lp_pool(mw_onnx_call *call)
{
    mw_window w;
    double p = norm_of(call);
    MW_TRY(read_pool(call, &w));
    mw_id x = power(call, call->in[0], p);
    return mw_emit_set(call, 0,
                       root(call, windows_of(call, "pool_sum", x, &w, 0), p));
}

static mw_status global_lp_pool(mw_onnx_call *call)
{
    double p = norm_of(call);
    mw_id x = power(call, call->in[0], p);
    mw_axes axes = mw_axes_from(call, x, 2);
    return mw_emit_set(
        call, 0,
        root(call, mw_emit_reduce(call, "reduce_sum", x, &axes, true), p));
}

/* x / (bias + alpha / size * sum of squares of neighbouring channels)^beta. */
static mw_status local_norm(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int64_t size = mw_onnx_int(call, "size", 0);
    double alpha = mw_onnx_float(call, "alpha", 1e-4);
    double beta = mw_onnx_float(call, "beta", 0.75);
    double bias = mw_onnx_float(call, "bias", 1.0);
    MW_TRY(call->status);
    if (size < 1 || size > INT32_MAX || mw_emit_rank(call, x) < 2)
        return mw_onnx_refuse(call, "size is %lld, input of rank %d",
                              (long long)size, mw_emit_rank(call, x));
    const int64_t axis = 1;
    mw_window w = {.n = 1,
                   .kernel = {size},
                   .stride = {1},
                   .dilation = {1},
                   .begin = {(size - 1) / 2},
                   .end = {size / 2}};
    mw_attr attr[6];
    mw_window_attrs(&w, attr);
    attr[4] = mw_window_ints("kernel", w.kernel, 1);
    attr[5] = mw_window_ints("in_axes", &axis, 1);
    mw_id square = mw_emit2(call, "mul", x, x);
    mw_id sum = mw_emit(call, "pool_sum", &square, 1, attr, 6);
    sum = mw_emit_by(call, "mul", sum, alpha / (double)size);
    sum = mw_emit_by(call, "add", sum, bias);
    return mw_emit_set(
        call, 0, mw_emit2(call, "div", x, mw_emit_by(call, "pow", sum, beta)));
}

#define WINDOW "auto_pad ceil_mode dilations kernel_shape pads strides"

static const mw_onnx_rule rules[] = {
    {.op = "AveragePool",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = WINDOW " count_include_pad",
     .build = average_pool},
    {.op = "GlobalLpPool",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "p",
     .build = global_lp_pool},
    {.op = "LRN",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha beta bias size",
     .build = local_norm},
    {.op = "LpPool",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = WINDOW " p",
     .build = lp_pool},
    {.op = "MaxPool",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = WINDOW " storage_order",
     .build = max_pool},
    {0},
};

const mw_onnx_def mw_onnx_pool = {.brief = "pooling", .rules = rules};
