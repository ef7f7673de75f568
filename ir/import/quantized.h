/*
 * quantized.h - integers that stand for reals, as several operators need them.
 */
#ifndef MW_IR_IMPORT_QUANTIZED_H
#define MW_IR_IMPORT_QUANTIZED_H

#include "ir/import/onnx.h"

/* The nearest value that the type holds. */
mw_id mw_emit_saturate(mw_onnx_call *call, mw_id x, mw_dtype to);

/* A vector along an axis, counted from the last, of an operand of products. */
mw_id mw_emit_from_last(mw_onnx_call *call, mw_id v, int axis);

/* x less its zero point, in i32: input `zero` of the node, if it is there,
 * along an axis counted from the last. */
mw_id mw_emit_centred(mw_onnx_call *call, mw_id x, int zero, int axis);

/* round(sum * scale of a * scale of b / scale of y) + zero point of y; scales
 * of b lie along an axis of y counted from the last. */
mw_id mw_emit_requantize(mw_onnx_call *call, mw_id sum, const int scale[3],
                         const int axis[3]);

/* x in u8, by the scale and zero point that give its range and 0 a place. */
typedef struct mw_quantized {
    mw_id y, scale, zero;
} mw_quantized;
mw_quantized mw_emit_quantize_dynamic(mw_onnx_call *call, mw_id x);

#endif
