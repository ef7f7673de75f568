/* pool.c - pooling over windows, and over everything. */
#include <math.h>

#include "ir/import/emit.h"
#include "ir/import/product.h"
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
    attr[7] = (mw_attr){
        .name = "count_pads", .kind = MW_ATTR_INT, .n = 1, .i = &count_pads};
    n += count_pads != 0;
    return mw_emit(call, def, &x, 1, attr, n);
}

/* ---- the places of maxima ---- */

/* Tap by tap: the elements that it meets, and their places in the input; the
 * first of equal ones stays. */
typedef struct search {
    mw_onnx_call *call;
    const mw_window *w;
    int64_t out[MW_WINDOW_SPATIAL];
    mw_id padded, places;
    mw_id best, where;
} search;

/* 0, 1, … over the input; with storage_order the last two axes exchanged. */
static mw_id all_places(mw_onnx_call *call, const mw_window *w)
{
    int64_t shape[MW_MAX_RANK], n = 1, swapped[MW_MAX_RANK];
    int64_t perm[MW_MAX_RANK];
    int rank = mw_emit_shape(call, call->in[0], shape);
    bool columns = mw_onnx_int(call, "storage_order", 0) != 0 && w->n >= 2;
    for (int i = 0; i < rank; i++) {
        n *= shape[i];
        swapped[i] = shape[i];
        perm[i] = i;
    }
    for (int i = 0; columns && i < w->n; i++) {
        perm[2 + i] = rank - 1 - i;
        swapped[2 + i] = shape[rank - 1 - i];
    }
    mw_id places = mw_emit_iota(call, n, 0, 1);
    places = mw_emit_reshape(call, places, swapped, rank);
    return columns ? mw_emit_transpose(call, places, perm) : places;
}

static void meet_tap(search *s, const int64_t tap[])
{
    mw_id x = s->padded, place = s->places;
    for (int i = 0; i < s->w->n; i++) {
        int64_t start = tap[i] * s->w->dilation[i];
        x = mw_emit_slice(s->call, x, i + 2, start, s->w->stride[i], s->out[i]);
        place = mw_emit_slice(s->call, place, i + 2, start, s->w->stride[i],
                              s->out[i]);
    }
    if (s->best == MW_NONE) {
        s->best = x;
        s->where = place;
        return;
    }
    mw_id more = mw_emit2(s->call, "greater", x, s->best);
    s->best = mw_emit_where(s->call, more, x, s->best);
    s->where = mw_emit_where(s->call, more, place, s->where);
}

static mw_status find_places(mw_onnx_call *call, const mw_window *w, mw_id y)
{
    enum { MAX_TAPS = 1024 };
    search s = {.call = call, .w = w, .best = MW_NONE};
    int64_t taps = 1, tap[MW_WINDOW_SPATIAL] = {0};
    s.padded = call->in[0];
    s.places = all_places(call, w);
    for (int i = 0; i < w->n; i++) {
        int64_t n = mw_emit_size(call, call->in[0], i + 2);
        s.out[i] = mw_emit_size(call, y, i + 2);
        int64_t reach = (s.out[i] - 1) * w->stride[i] +
                        (w->kernel[i] - 1) * w->dilation[i] + 1;
        int64_t after = reach - n - w->begin[i];
        after = after < 0 ? 0 : after;
        s.padded = mw_emit_pad(call, s.padded, i + 2, w->begin[i], after,
                               -(double)INFINITY);
        s.places = mw_emit_pad(call, s.places, i + 2, w->begin[i], after, 0);
        taps = taps > MAX_TAPS ? taps : taps * w->kernel[i];
    }
    MW_TRY(call->status);
    if (taps > MAX_TAPS)
        return mw_onnx_refuse(call,
                              "Indices of windows of more than %d "
                              "elements are not supported",
                              MAX_TAPS);
    for (int64_t t = 0; t < taps; t++) {
        meet_tap(&s, tap);
        for (int i = w->n - 1; i >= 0 && ++tap[i] == w->kernel[i]; i--)
            tap[i] = 0;
    }
    return mw_emit_set(call, 1, s.where);
}

mw_id mw_emit_max_pool(mw_onnx_call *call)
{
    mw_window w;
    if (call->status != MW_OK || read_pool(call, &w) != MW_OK)
        return MW_NONE;
    return windows_of(call, "pool_max", call->in[0], &w, 0);
}

static mw_status max_pool(mw_onnx_call *call)
{
    mw_window w;
    mw_id y = mw_emit_max_pool(call);
    MW_TRY(read_pool(call, &w));
    if (mw_emit_wanted(call, 1))
        MW_TRY(find_places(call, &w, y));
    return mw_emit_set(call, 0, y);
}

mw_id mw_emit_average_pool(mw_onnx_call *call)
{
    mw_window w;
    if (call->status != MW_OK || read_pool(call, &w) != MW_OK)
        return MW_NONE;
    int64_t pads = mw_onnx_int(call, "count_include_pad", 0);
    return windows_of(call, "pool_average", call->in[0], &w, pads);
}

static mw_status average_pool(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, mw_emit_average_pool(call));
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
