/* quantize_runtime.c - ONNX Runtime's operators on integers that stand for
 * reals. */
#include "ir/import/emit.h"
#include "ir/import/product.h"
#include "ir/import/quantized.h"

/* Operand i, its scale and, perhaps, its zero point, as numbers. */
static mw_id numbers(mw_onnx_call *call, int i)
{
    mw_id scale = mw_emit_cast(call, call->in[i + 1], MW_F32);
    mw_id x = mw_emit_cast(call, mw_emit_centred(call, call->in[i], i + 2, 1),
                           MW_F32);
    return mw_emit2(call, "mul", x, mw_emit_from_last(call, scale, 1));
}

/* The node's output, of numbers: quantized by input `scale`, around the zero
 * point after it, or else as operand `like` is. */
static mw_status set_quantized(mw_onnx_call *call, mw_id x, int scale, int like)
{
    mw_id by = mw_emit_cast(call, call->in[scale], MW_F32);
    mw_dtype to = mw_emit_dtype(call, call->in[like]);
    x = mw_emit1(call, "round",
                 mw_emit2(call, "div", x, mw_emit_from_last(call, by, 1)));
    if (mw_onnx_has(call, scale + 1)) {
        mw_id zero = mw_emit_cast(call, call->in[scale + 1], MW_F32);
        x = mw_emit2(call, "add", x, mw_emit_from_last(call, zero, 1));
    }
    return mw_emit_set(call, 0, mw_emit_saturate(call, x, to));
}

static mw_status qlinear_map2(mw_onnx_call *call)
{
    mw_id a = numbers(call, 0), b = numbers(call, 3);
    return set_quantized(call, mw_emit2(call, call->rule->arg, a, b), 6, 0);
}

static mw_status qlinear_sigmoid(mw_onnx_call *call)
{
    mw_id y = mw_emit1(call, "sigmoid", numbers(call, 0));
    return set_quantized(call, y, 3, 0);
}

static mw_status qlinear_leaky_relu(mw_onnx_call *call)
{
    double alpha = mw_onnx_float(call, "alpha", 0.01);
    mw_id x = numbers(call, 0);
    mw_id y = mw_emit_where(call, mw_emit_by(call, "less", x, 0.0),
                            mw_emit_by(call, "mul", x, alpha), x);
    return set_quantized(call, y, 3, 0);
}

static mw_status qlinear_softmax(mw_onnx_call *call)
{
    mw_id x = numbers(call, 0);
    int rank = mw_emit_rank(call, x);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", -1), rank);
    mw_axes axes = {.n = 1, .axis = {axis}};
    if (mw_onnx_int(call, "opset", 13) < 13)
        axes = mw_axes_from(call, x, axis);
    return set_quantized(call, mw_emit_softmax(call, x, &axes), 3, 0);
}

static mw_status qlinear_global_average(mw_onnx_call *call)
{
    mw_id x = numbers(call, 0);
    bool last = mw_onnx_int(call, "channels_last", 0) != 0;
    mw_axes axes = mw_axes_from(call, x, last ? 1 : 2);
    axes.n -= last ? 1 : 0;
    return set_quantized(call, mw_emit_mean(call, x, &axes, true), 3, 0);
}

/* Inputs: scale and zero point of the result, then three for each operand. */
static mw_status qlinear_concat(mw_onnx_call *call)
{
    int n = (call->n_in - 2) / 3;
    mw_id *in = MW_NEW_ARRAY(call->arena, n, mw_id);
    if (!in)
        return MW_ENOMEM;
    if (call->n_in != 2 + 3 * n)
        return mw_onnx_refuse(call,
                              "it has %d inputs, wanted 2 and 3 for "
                              "each operand",
                              call->n_in);
    for (int i = 0; i < n; i++)
        in[i] = numbers(call, 2 + 3 * i);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", 0),
                            mw_emit_rank(call, in[0]));
    return set_quantized(call, mw_emit_concat(call, in, n, axis), 0, 2);
}

static mw_id turned(mw_onnx_call *call, mw_id x, const char *attr)
{
    static const int64_t swap[] = {1, 0};
    return mw_onnx_int(call, attr, 0) ? mw_emit_transpose(call, x, swap) : x;
}

/* A product with the integers of a bias; without a scale for it, in numbers. */
static mw_status qlinear_gemm(mw_onnx_call *call)
{
    static const int scale[3] = {1, 4, 7}, axis[3] = {1, 1, 1};
    bool turns = mw_onnx_int(call, "transB", 0) != 0;
    if (mw_emit_rank(call, call->in[0]) != 2 ||
        mw_emit_rank(call, call->in[3]) != 2)
        return mw_onnx_refuse(call, "operands have %d and %d axes, wanted 2",
                              mw_emit_rank(call, call->in[0]),
                              mw_emit_rank(call, call->in[3]));
    if (mw_onnx_float(call, "alpha", 1.0) != 1.0)
        return mw_onnx_refuse(call, "alpha is %g, wanted 1",
                              mw_onnx_float(call, "alpha", 1.0));
    mw_id a = turned(call, mw_emit_centred(call, call->in[0], 2, 1), "transA");
    mw_id b = turned(call, mw_emit_centred(call, call->in[3], 5, turns ? 2 : 1),
                     "transB");
    mw_id sum = mw_emit_matmul(call, a, b);
    if (mw_onnx_has(call, 6))
        sum = mw_emit2(call, "add", sum, call->in[6]);
    if (mw_onnx_has(call, 8))
        return mw_emit_set(call, 0, mw_emit_requantize(call, sum, scale, axis));
    if (mw_onnx_has(call, 7))
        return mw_onnx_refuse(call, "the result has a scale and no zero point");
    mw_id by = mw_emit2(call, "mul", mw_emit_from_last(call, call->in[1], 1),
                        mw_emit_from_last(call, call->in[4], 1));
    sum = mw_emit_cast(call, sum, MW_F32);
    return mw_emit_set(call, 0, mw_emit2(call, "mul", sum, by));
}

/* ---- with windows, the channels perhaps last ---- */

/* x with its channels moved from the last axis to the second, or back. */
static mw_id move_last(mw_onnx_call *call, mw_id x, bool back)
{
    int64_t perm[MW_MAX_RANK];
    int rank = mw_emit_rank(call, x);
    if (rank < 3)
        return x;
    for (int i = 0; i < rank; i++)
        perm[i] = i == 0 ? 0 : back ? i + 1 : i - 1;
    perm[back ? rank - 1 : 1] = back ? 1 : rank - 1;
    return mw_emit_transpose(call, x, perm);
}

static mw_id move_channels(mw_onnx_call *call, mw_id x, bool back)
{
    bool is_last = mw_onnx_int(call, "channels_last", 0) != 0;
    return is_last ? move_last(call, x, back) : x;
}

/* The same node with another first input. */
static mw_status with_first(mw_onnx_call *call, mw_id x, mw_onnx_call *moved)
{
    mw_id *in = MW_NEW_ARRAY(call->arena, call->n_in, mw_id);
    MW_TRY(call->status);
    if (!in)
        return MW_ENOMEM;
    for (int i = 0; i < call->n_in; i++)
        in[i] = i == 0 ? x : call->in[i];
    *moved = *call;
    moved->in = in;
    return MW_OK;
}

static mw_status qlinear_average_pool(mw_onnx_call *call)
{
    mw_onnx_call moved;
    MW_TRY(
        with_first(call, move_channels(call, numbers(call, 0), false), &moved));
    mw_id y = mw_emit_average_pool(&moved);
    MW_TRY(moved.status);
    return set_quantized(call, move_channels(call, y, true), 3, 0);
}

/* Greatest elements need no scale. */
static mw_status max_pool_last(mw_onnx_call *call)
{
    mw_onnx_call moved;
    MW_TRY(with_first(call, move_last(call, call->in[0], false), &moved));
    mw_id y = mw_emit_max_pool(&moved);
    MW_TRY(moved.status);
    return mw_emit_set(call, 0, move_last(call, y, true));
}

static mw_status qlinear_conv(mw_onnx_call *call)
{
    static const int scale[3] = {1, 4, 6};
    mw_onnx_call moved;
    MW_TRY(with_first(call, move_channels(call, call->in[0], false), &moved));
    int rank = mw_emit_rank(call, call->in[0]);
    const int axis[3] = {1, rank - 1, 1};
    mw_id x = mw_emit_centred(&moved, moved.in[0], 2, 1);
    mw_id w = mw_emit_centred(&moved, moved.in[3], 5, rank);
    mw_id sum = mw_emit_conv(&moved, x, w);
    if (mw_onnx_has(call, 8))
        sum = mw_emit2(&moved, "add", sum,
                       mw_emit_from_last(&moved, call->in[8], rank - 1));
    mw_id y = mw_emit_requantize(&moved, sum, scale, axis);
    MW_TRY(moved.status);
    return mw_emit_set(call, 0, move_channels(call, y, true));
}

/* ---- means and choices ---- */

static mw_status qlinear_mean(mw_onnx_call *call)
{
    mw_id x = numbers(call, 0);
    mw_onnx_list list = mw_onnx_ints(call, "axes");
    mw_axes axes = mw_axes_from(call, x, 0);
    int rank = mw_emit_rank(call, x);
    if (list.given && list.n > rank)
        return mw_onnx_refuse(call, "%d axes of %d", list.n, rank);
    for (int i = 0; list.given && i < list.n; i++)
        axes.axis[i] = mw_emit_axis(call, list.v[i], rank);
    axes.n = list.given ? list.n : axes.n;
    bool keep = mw_onnx_int(call, "keepdims", 1) != 0;
    return set_quantized(call, mw_emit_mean(call, x, &axes, keep), 3, 0);
}

static mw_status qlinear_where(mw_onnx_call *call)
{
    mw_id y =
        mw_emit_where(call, call->in[0], numbers(call, 1), numbers(call, 4));
    return set_quantized(call, y, 7, 1);
}

/* ---- products that end in f32 ---- */

/* A sum of products of integers by the scales of both, and a bias. */
static mw_status set_numbers(mw_onnx_call *call, mw_id sum, mw_id scale_a,
                             int scale_b, int bias)
{
    mw_id a = mw_emit_from_last(call, scale_a, 2);
    mw_id b = mw_emit_from_last(call, call->in[scale_b], 1);
    mw_id y = mw_emit2(call, "mul", mw_emit_cast(call, sum, MW_F32),
                       mw_emit2(call, "mul", a, b));
    if (mw_onnx_has(call, bias))
        y = mw_emit2(call, "add", y, call->in[bias]);
    return mw_emit_set(call, 0, y);
}

static mw_status dynamic_matmul(mw_onnx_call *call)
{
    mw_quantized q = mw_emit_quantize_dynamic(call, call->in[0]);
    mw_id a = mw_emit2(call, "sub", mw_emit_cast(call, q.y, MW_I32),
                       mw_emit_cast(call, q.zero, MW_I32));
    mw_id b = mw_emit_centred(call, call->in[1], 3, 1);
    return set_numbers(call, mw_emit_matmul(call, a, b), q.scale, 2, 4);
}

static mw_status matmul_to_float(mw_onnx_call *call)
{
    mw_id a = mw_emit_centred(call, call->in[0], 4, 2);
    mw_id b = mw_emit_centred(call, call->in[1], 5, 1);
    return set_numbers(call, mw_emit_matmul(call, a, b), call->in[2], 3, 6);
}

#define MICROSOFT .domain = "com.microsoft", .since = 1
#define WINDOW "auto_pad channels_last dilations kernel_shape pads strides"

static const mw_onnx_rule rules[] = {
    {MICROSOFT, .op = "DynamicQuantizeMatMul", .min_in = 3, .max_in = 5,
     .build = dynamic_matmul},
    {MICROSOFT, .op = "MatMulIntegerToFloat", .min_in = 4, .max_in = 7,
     .build = matmul_to_float},
    {MICROSOFT, .op = "NhwcMaxPool", .min_in = 1, .max_in = 1,
     .attrs = "auto_pad ceil_mode dilations kernel_shape pads strides",
     .build = max_pool_last},
    {MICROSOFT, .op = "QGemm", .min_in = 6, .max_in = 9,
     .attrs = "alpha transA transB", .build = qlinear_gemm},
    {MICROSOFT, .op = "QLinearAdd", .min_in = 7, .max_in = 8,
     .build = qlinear_map2, .arg = "add"},
    {MICROSOFT, .op = "QLinearConcat", .min_in = 5, .max_in = -1,
     .attrs = "axis", .build = qlinear_concat},
    {MICROSOFT, .op = "QLinearGlobalAveragePool", .min_in = 4, .max_in = 5,
     .attrs = "channels_last", .build = qlinear_global_average},
    {MICROSOFT, .op = "QLinearLeakyRelu", .min_in = 4, .max_in = 5,
     .attrs = "alpha", .build = qlinear_leaky_relu},
    {MICROSOFT, .op = "QLinearMul", .min_in = 7, .max_in = 8,
     .build = qlinear_map2, .arg = "mul"},
    {MICROSOFT, .op = "QLinearSigmoid", .min_in = 4, .max_in = 5,
     .build = qlinear_sigmoid},
    {MICROSOFT, .op = "QLinearSoftmax", .min_in = 4, .max_in = 5,
     .attrs = "axis opset", .build = qlinear_softmax},
    {MICROSOFT, .op = "QLinearAveragePool", .min_in = 4, .max_in = 5,
     .attrs = WINDOW " ceil_mode count_include_pad",
     .build = qlinear_average_pool},
    {MICROSOFT, .op = "QLinearConv", .min_in = 8, .max_in = 9,
     .attrs = WINDOW " group", .build = qlinear_conv},
    {MICROSOFT, .op = "QLinearReduceMean", .min_in = 4, .max_in = 5,
     .attrs = "axes keepdims", .build = qlinear_mean},
    {MICROSOFT, .op = "QLinearWhere", .min_in = 9, .max_in = 9,
     .build = qlinear_where},
    {0},
};

const mw_onnx_def mw_onnx_quantize_runtime = {
    .brief = "quantized tensors of ONNX Runtime", .rules = rules};
