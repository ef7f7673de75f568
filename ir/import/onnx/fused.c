/* fused.c - what ONNX Runtime's optimizer makes of an operator and the ones
 * that follow it. */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"
#include "ir/import/product.h"

/* The convolution, the operand that is added to it, the activation. */
static mw_status fused_conv(mw_onnx_call *call)
{
    mw_id y = mw_emit_conv_biased(call);
    const char *name = mw_onnx_text(call, "activation", "");
    const mw_onnx_attr *list = mw_onnx_attr_find(call, "activation_params");
    double p[MW_ACTIVATION_NUMBERS];
    for (int i = 0; i < MW_ACTIVATION_NUMBERS; i++)
        p[i] =
            list && i < list->n_floats ? (double)list->floats[i] : (double)NAN;
    if (mw_onnx_has(call, 3))
        y = mw_emit2(call, "add", y, call->in[3]);
    if (name[0] != '\0')
        y = mw_emit_activation(call, name, y, p);
    return mw_emit_set(call, 0, y);
}

static mw_status fused_gemm(mw_onnx_call *call)
{
    const char *name = mw_onnx_text(call, "activation", "");
    bool is_selu = strcmp(name, "Selu") == 0;
    const double p[MW_ACTIVATION_NUMBERS] = {
        mw_onnx_float(call, "activation_alpha", (double)NAN),
        mw_onnx_float(call, is_selu ? "activation_gamma" : "activation_beta",
                      (double)NAN)};
    mw_id y = mw_emit_gemm(call);
    if (name[0] != '\0')
        y = mw_emit_activation(call, name, y, p);
    return mw_emit_set(call, 0, y);
}

/* ---- EmbedLayerNormalization ---- */

/* How many of each example's tokens count: without a mask, 0. */
static mw_id count_tokens(mw_onnx_call *call, int64_t batch)
{
    const mw_axes axes = {.n = 1, .axis = {1}};
    if (!mw_onnx_has(call, 7))
        return mw_emit_broadcast(call, mw_emit_number(call, MW_I32, 0.0),
                                 &batch, 1);
    mw_id one = mw_emit_by(call, "equal", call->in[7], 1.0);
    return mw_emit_reduce(call, "reduce_sum", mw_emit_cast(call, one, MW_I32),
                          &axes, false);
}

/* Words, places and, perhaps, segments are looked up, added and normalised. */
static mw_status embed(mw_onnx_call *call)
{
    double epsilon = mw_onnx_float(call, "epsilon", (double)1e-12F);
    mw_id ids = call->in[0];
    int rank = mw_emit_rank(call, ids);
    if (rank != 2 || mw_onnx_has(call, 1) != mw_onnx_has(call, 4))
        return mw_onnx_refuse(call,
                              "ids of rank %d, or segments without their "
                              "table",
                              rank);
    mw_id place = mw_onnx_has(call, 8)
                      ? call->in[8]
                      : mw_emit_iota(call, mw_emit_size(call, ids, 1), 0, 1);
    mw_id sum = mw_emit2(call, "add", mw_emit_gather(call, call->in[2], ids, 0),
                         mw_emit_gather(call, call->in[3], place, 0));
    if (mw_onnx_has(call, 1))
        sum = mw_emit2(call, "add", sum,
                       mw_emit_gather(call, call->in[4], call->in[1], 0));
    const mw_axes axes = {.n = 1, .axis = {2}};
    mw_id y = mw_emit_normalize(call, sum, &axes, epsilon).y;
    y = mw_emit2(call, "add", mw_emit2(call, "mul", y, call->in[5]),
                 call->in[6]);
    if (mw_emit_wanted(call, 1))
        MW_TRY(mw_emit_set(call, 1,
                           count_tokens(call, mw_emit_size(call, ids, 0))));
    (void)mw_emit_set(call, 2, sum);
    return mw_emit_set(call, 0, y);
}

#define MICROSOFT .domain = "com.microsoft", .since = 1
#define WINDOW "auto_pad dilations group kernel_shape pads strides"

static const mw_onnx_rule rules[] = {
    {MICROSOFT, .op = "EmbedLayerNormalization", .min_in = 7, .max_in = 9,
     .attrs = "epsilon mask_index_type", .build = embed},
    {MICROSOFT, .op = "FusedConv", .min_in = 2, .max_in = 4,
     .attrs = WINDOW " activation activation_params", .build = fused_conv},
    {MICROSOFT, .op = "FusedGemm", .min_in = 2, .max_in = 3,
     .attrs = "activation activation_alpha activation_beta activation_gamma "
              "alpha beta transA transB",
     .build = fused_gemm},
    {0},
};

const mw_onnx_def mw_onnx_fused = {.brief = "operators that ONNX Runtime fuses",
                                   .rules = rules};
