/* quantize.c - integers that stand for reals: scale (q - zero point). */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"
#include "ir/import/product.h"
#include "ir/import/quantized.h"
#include "ir/number.h"

/* One element for each `block` of n along an axis: each as often as it is
 * needed. */
static mw_id repeated(mw_onnx_call *call, mw_id v, int axis, int64_t block,
                      int64_t n)
{
    int64_t wide[MW_MAX_RANK + 1], flat[MW_MAX_RANK];
    int rank = mw_emit_shape(call, v, flat);
    for (int i = 0; i < rank; i++)
        wide[i + (i > axis)] = flat[i];
    wide[axis + 1] = block;
    if (call->status != MW_OK || block > n + 1 ||
        flat[axis] != (n + block - 1) / block) {
        (void)mw_onnx_refuse(call, "scales in blocks of %lld do not fit",
                             (long long)block);
        return MW_NONE;
    }
    flat[axis] *= block;
    v = mw_emit_unsqueeze(call, v, axis + 1);
    v = mw_emit_broadcast(call, v, wide, rank + 1);
    v = mw_emit_reshape(call, v, flat, rank);
    return mw_emit_slice(call, v, axis, 0, 1, n);
}

/* A scale or zero point per tensor, or along an axis of x. */
static mw_id along_axis(mw_onnx_call *call, mw_id v, mw_id x)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_rank(call, x);
    if (mw_emit_rank(call, v) == 0)
        return v;
    if (mw_emit_rank(call, v) == 1 && mw_emit_size(call, v, 0) == 1)
        return mw_emit_reshape(call, v, NULL, 0);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", 1), rank);
    int64_t block = mw_onnx_int(call, "block_size", 0);
    if (block > 0 && mw_emit_rank(call, v) == rank && rank < MW_MAX_RANK)
        return repeated(call, v, axis, block, mw_emit_size(call, x, axis));
    if (mw_emit_rank(call, v) != 1 || call->status != MW_OK) {
        (void)mw_onnx_refuse(call, "scales of rank %d for an input of rank %d",
                             mw_emit_rank(call, v), rank);
        return MW_NONE;
    }
    for (int i = 0; i < rank; i++)
        shape[i] = i == axis ? mw_emit_size(call, v, 0) : 1;
    return mw_emit_reshape(call, v, shape, rank);
}

static mw_status check_scale(mw_onnx_call *call)
{
    mw_dtype scale = mw_emit_dtype(call, call->in[1]);
    if (!mw_dtype_is_float(scale))
        return mw_onnx_refuse(call, "scale is %s", mw_dtype_name(scale));
    return MW_OK;
}

static mw_status dequantize(mw_onnx_call *call)
{
    MW_TRY(check_scale(call));
    mw_id x = mw_emit_cast(call, call->in[0], MW_F32);
    if (mw_onnx_has(call, 2)) {
        mw_id zero = mw_emit_cast(call, call->in[2], MW_F32);
        x = mw_emit2(call, "sub", x, along_axis(call, zero, x));
    }
    mw_id scale = mw_emit_cast(call, call->in[1], MW_F32);
    mw_id y = mw_emit2(call, "mul", x, along_axis(call, scale, x));
    return mw_emit_set(call, 0,
                       mw_emit_cast(call, y, mw_emit_dtype(call, call->in[1])));
}

mw_id mw_emit_saturate(mw_onnx_call *call, mw_id x, mw_dtype to)
{
    bool is_signed = mw_dtype_class(to) == MW_CLASS_SIGNED;
    double low = is_signed ? (double)mw_number_least(to).i : 0.0;
    double high = is_signed ? (double)mw_number_largest(to).i
                            : (double)mw_number_largest(to).u;
    x = mw_emit_by(call, "max", x, low);
    x = mw_emit_by(call, "min", x, high);
    if (mw_dtype_bits(to) < 8)
        x = mw_emit_cast(call, x, MW_I32);
    return mw_emit_cast(call, x, to);
}

static mw_status quantize(mw_onnx_call *call)
{
    MW_TRY(check_scale(call));
    mw_dtype to =
        mw_onnx_has(call, 2) ? mw_emit_dtype(call, call->in[2]) : MW_U8;
    int64_t code = mw_onnx_int(call, "output_dtype", 0);
    if (code != 0 && !mw_onnx_has(call, 2) &&
        (code < 0 || code > INT16_MAX || !mw_dtype_by_onnx((int)code, &to)))
        return mw_onnx_refuse(call, "element type %lld is not supported",
                              (long long)code);
    bool floats = mw_dtype_is_float(to);
    if (mw_dtype_bits(to) > (floats ? 8 : 16) || to == MW_BOOL)
        return mw_onnx_refuse(call, "quantizing to %s is not supported",
                              mw_dtype_name(to));
    mw_id x = mw_emit_cast(call, call->in[0], MW_F32);
    mw_id scale = mw_emit_cast(call, call->in[1], MW_F32);
    mw_id y = mw_emit2(call, "div", x, along_axis(call, scale, x));
    if (!floats)
        y = mw_emit1(call, "round", y);
    if (mw_onnx_has(call, 2)) {
        mw_id zero = mw_emit_cast(call, call->in[2], MW_F32);
        y = mw_emit2(call, "add", y, along_axis(call, zero, x));
    }
    bool held = mw_onnx_int(call, "saturate", 1) != 0;
    return mw_emit_set(call, 0,
                       floats ? mw_emit_held(call, y, to, held)
                              : mw_emit_saturate(call, y, to));
}

/* ---- DynamicQuantizeLinear ---- */

mw_quantized mw_emit_quantize_dynamic(mw_onnx_call *call, mw_id x)
{
    mw_axes all = mw_axes_from(call, x, 0);
    mw_quantized q;
    mw_id low = mw_emit_reduce(call, "reduce_min", x, &all, false);
    mw_id high = mw_emit_reduce(call, "reduce_max", x, &all, false);
    low = mw_emit_by(call, "min", low, 0.0);
    high = mw_emit_by(call, "max", high, 0.0);
    mw_id range = mw_emit2(call, "sub", high, low);
    mw_id empty = mw_emit_by(call, "equal", range, 0.0);
    range = mw_emit_where(call, empty, mw_emit_like(call, range, 1.0), range);
    q.scale = mw_emit_by(call, "div", range, 255.0);
    mw_id zero = mw_emit2(call, "div", mw_emit1(call, "neg", low), q.scale);
    q.zero = mw_emit_saturate(call, mw_emit1(call, "round", zero), MW_U8);
    mw_id y = mw_emit1(call, "round", mw_emit2(call, "div", x, q.scale));
    y = mw_emit2(call, "add", y, mw_emit_cast(call, q.zero, MW_F32));
    q.y = mw_emit_saturate(call, y, MW_U8);
    return q;
}

static mw_status quantize_dynamic(mw_onnx_call *call)
{
    mw_quantized q = mw_emit_quantize_dynamic(call, call->in[0]);
    (void)mw_emit_set(call, 1, q.scale);
    (void)mw_emit_set(call, 2, q.zero);
    return mw_emit_set(call, 0, q.y);
}

/* ---- products of integers ---- */

mw_id mw_emit_from_last(mw_onnx_call *call, mw_id v, int axis)
{
    int64_t shape[MW_MAX_RANK];
    if (v == MW_NONE || mw_emit_rank(call, v) != 1)
        return v;
    if (mw_emit_size(call, v, 0) == 1)
        return mw_emit_reshape(call, v, NULL, 0);
    shape[0] = mw_emit_size(call, v, 0);
    for (int i = 1; i < axis; i++)
        shape[i] = 1;
    return mw_emit_reshape(call, v, shape, axis);
}

mw_id mw_emit_centred(mw_onnx_call *call, mw_id x, int zero, int axis)
{
    x = mw_emit_cast(call, x, MW_I32);
    if (!mw_onnx_has(call, zero))
        return x;
    mw_id z = mw_emit_cast(call, call->in[zero], MW_I32);
    return mw_emit2(call, "sub", x, mw_emit_from_last(call, z, axis));
}

static mw_status matmul_integer(mw_onnx_call *call)
{
    mw_id a = mw_emit_centred(call, call->in[0], 2, 2);
    mw_id b = mw_emit_centred(call, call->in[1], 3, 1);
    return mw_emit_set(call, 0, mw_emit_matmul(call, a, b));
}

static mw_status conv_integer(mw_onnx_call *call)
{
    int rank = mw_emit_rank(call, call->in[0]);
    mw_id x = mw_emit_centred(call, call->in[0], 2, 1);
    mw_id w = mw_emit_centred(call, call->in[1], 3, rank);
    return mw_emit_set(call, 0, mw_emit_conv(call, x, w));
}

mw_id mw_emit_requantize(mw_onnx_call *call, mw_id sum, const int scale[3],
                         const int axis[3])
{
    mw_id s[3];
    int zero = scale[2] + 1;
    for (int i = 0; i < 3; i++)
        s[i] = mw_emit_from_last(
            call, mw_emit_cast(call, call->in[scale[i]], MW_F32), axis[i]);
    mw_id factor =
        mw_emit2(call, "div", mw_emit2(call, "mul", s[0], s[1]), s[2]);
    mw_id y = mw_emit2(call, "mul", mw_emit_cast(call, sum, MW_F32), factor);
    y = mw_emit1(call, "round", y);
    mw_id z = mw_emit_cast(call, call->in[zero], MW_F32);
    y = mw_emit2(call, "add", y, mw_emit_from_last(call, z, axis[2]));
    return mw_emit_saturate(call, y, mw_emit_dtype(call, call->in[zero]));
}

static mw_status qlinear_matmul(mw_onnx_call *call)
{
    static const int scale[3] = {1, 4, 6}, axis[3] = {2, 1, 1};
    mw_id a = mw_emit_centred(call, call->in[0], 2, 2);
    mw_id b = mw_emit_centred(call, call->in[3], 5, 1);
    mw_id sum = mw_emit_matmul(call, a, b);
    return mw_emit_set(call, 0, mw_emit_requantize(call, sum, scale, axis));
}

static mw_status qlinear_conv(mw_onnx_call *call)
{
    static const int scale[3] = {1, 4, 6};
    int rank = mw_emit_rank(call, call->in[0]);
    const int axis[3] = {1, rank - 1, 1};
    mw_id x = mw_emit_centred(call, call->in[0], 2, 1);
    mw_id w = mw_emit_centred(call, call->in[3], 5, rank);
    mw_id sum = mw_emit_conv(call, x, w);
    if (mw_onnx_has(call, 8))
        sum = mw_emit2(call, "add", sum,
                       mw_emit_from_last(call, call->in[8], rank - 1));
    return mw_emit_set(call, 0, mw_emit_requantize(call, sum, scale, axis));
}

#define CONV "auto_pad dilations group kernel_shape pads strides"

static const mw_onnx_rule rules[] = {
    {.op = "ConvInteger",
     .since = 10,
     .min_in = 2,
     .max_in = 4,
     .attrs = CONV,
     .build = conv_integer},
    {.op = "DequantizeLinear",
     .since = 10,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis block_size output_dtype",
     .build = dequantize},
    {.op = "DynamicQuantizeLinear",
     .since = 11,
     .min_in = 1,
     .max_in = 1,
     .build = quantize_dynamic},
    {.op = "MatMulInteger",
     .since = 10,
     .min_in = 2,
     .max_in = 4,
     .build = matmul_integer},
    {.op = "QLinearConv",
     .since = 10,
     .min_in = 8,
     .max_in = 9,
     .attrs = CONV,
     .build = qlinear_conv},
    {.op = "QLinearMatMul",
     .since = 10,
     .min_in = 8,
     .max_in = 8,
     .build = qlinear_matmul},
    {.op = "QuantizeLinear",
     .since = 10,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis block_size output_dtype precision saturate",
     .build = quantize},
    {.op = "DequantizeLinear",
     .domain = "com.microsoft",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis",
     .build = dequantize},
    {.op = "QuantizeLinear",
     .domain = "com.microsoft",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis",
     .build = quantize},
    {0},
};

const mw_onnx_def mw_onnx_quantize = {.brief = "quantized tensors",
                                      .rules = rules};
