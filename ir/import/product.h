/*
 * product.h - matrix products and convolutions as several operators need them.
 */
#ifndef MW_IR_IMPORT_PRODUCT_H
#define MW_IR_IMPORT_PRODUCT_H

#include "ir/import/onnx.h"

/* The product of MatMul: the last two axes, the others broadcast. */
mw_id mw_emit_matmul(mw_onnx_call *call, mw_id a, mw_id b);

/* The convolution that the node's attributes describe, of x, which has the
 * shape of input 0, by weight. */
mw_id mw_emit_conv(mw_onnx_call *call, mw_id x, mw_id weight);

/* What Conv, Gemm, AveragePool and MaxPool give of the node's inputs, from the
 * first. */
mw_id mw_emit_conv_biased(mw_onnx_call *call);
mw_id mw_emit_gemm(mw_onnx_call *call);
mw_id mw_emit_average_pool(mw_onnx_call *call);
mw_id mw_emit_max_pool(mw_onnx_call *call);

/* An activation by its ONNX name, with as many of its numbers, in the order of
 * its attributes, as are given: NaN is not given. */
enum { MW_ACTIVATION_NUMBERS = 2 };
mw_id mw_emit_activation(mw_onnx_call *call, const char *name, mw_id x,
                         const double given[MW_ACTIVATION_NUMBERS]);

#endif
