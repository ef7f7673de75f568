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

#endif
