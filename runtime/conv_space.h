/*
 * conv_space.h - the spatial axes of a convolution's gradient in the blocks of
 * a call.
 */
#ifndef MW_RUNTIME_CONV_SPACE_H
#define MW_RUNTIME_CONV_SPACE_H

#include "ir/conv.h"
#include "runtime/kernel.h"

typedef struct mw_conv_space {
    mw_spatial s;
    int64_t x_start, x_size, o_start, o_size, taps;
    int64_t step[3]; /* elements between neighbours in x, w, o; by operand */
} mw_conv_space;

const mw_view *mw_conv_view(const mw_kernel_call *call, int i);

/* How many there are. */
int mw_conv_spaces(const mw_kernel_call *call, const mw_conv_roles *roles,
                   mw_conv_space space[MW_MAX_SPATIAL]);

#endif
