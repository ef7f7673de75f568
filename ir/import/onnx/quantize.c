/* quantize.c - integers that stand for reals: scale (q - zero point). */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"
#include "ir/number.h"

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
    if (mw_emit_rank(call, v) != 1 || call->status != MW_OK) {
        (void)mw_onnx_refuse(call, "scales in blocks are not supported");
        return MW_NONE;
    }
    for (int i = 0; i < rank; i++)
        shape[i] = i == axis ? mw_emit_size(call, v, 0) : 1;
    return mw_emit_reshape(call, v, shape, rank);
}

static mw_status check_scale(mw_onnx_call *call)
{
    mw_dtype scale = mw_emit_dtype(call, call->in[1]);
    if (mw_onnx_int(call, "block_size", 0) != 0)
        return mw_onnx_refuse(call, "scales in blocks are not supported");
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
    if (to != MW_U8 && to != MW_I8 && to != MW_U16 && to != MW_I16)
        return mw_onnx_refuse(call, "quantizing to %s is not supported",
                              mw_dtype_name(to));
    mw_id x = mw_emit_cast(call, call->in[0], MW_F32);
    mw_id scale = mw_emit_cast(call, call->in[1], MW_F32);
    mw_id y = mw_emit1(call, "round",
                       mw_emit2(call, "div", x, along_axis(call, scale, x)));
    if (mw_onnx_has(call, 2)) {
        mw_id zero = mw_emit_cast(call, call->in[2], MW_F32);
        y = mw_emit2(call, "add", y, along_axis(call, zero, x));
    }
    bool is_signed = to == MW_I8 || to == MW_I16;
    double low = is_signed ? (double)mw_number_least(to).i : 0.0;
    double high = is_signed ? (double)mw_number_largest(to).i
                            : (double)mw_number_largest(to).u;
    y = mw_emit_by(call, "max", y, low);
    y = mw_emit_by(call, "min", y, high);
    return mw_emit_set(call, 0, mw_emit_cast(call, y, to));
}

static const mw_onnx_rule rules[] = {
    {.op = "DequantizeLinear",
     .since = 10,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis block_size output_dtype",
     .build = dequantize},
    {.op = "QuantizeLinear",
     .since = 10,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis block_size output_dtype precision saturate",
     .build = quantize},
    {0},
};

const mw_onnx_def mw_onnx_quantize = {.brief = "quantized tensors",
                                      .rules = rules};
