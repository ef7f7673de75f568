/*
 * conv.h - the spatial axes of a convolution, which its row, its kernels and
 * the cost model read from the op. In a placed op they follow from the rank, in
 * a named one attributes hold them.
 */
#ifndef MW_IR_CONV_H
#define MW_IR_CONV_H

#include "ir/op.h"

enum { MW_MAX_SPATIAL = 3 };

/* Output index o and tap t read input index o * stride + t * dilation - pad. */
typedef struct mw_spatial {
    int x_axis, w_axis, out_axis; /* MW_NONE where the size is 1 */
    int64_t stride, dilation, pad_begin, pad_end;
} mw_spatial;

/* How many there are. */
int mw_conv_spatial(const mw_op *op, mw_spatial spatial[MW_MAX_SPATIAL]);

#endif
