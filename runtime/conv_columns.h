/*
 * conv_columns.h - gradients of convolutions on BLAS, slab by slab as
 * ir/conv_grad.h says.
 */
#ifndef MW_RUNTIME_CONV_COLUMNS_H
#define MW_RUNTIME_CONV_COLUMNS_H

#include "ir/conv.h"
#include "runtime/kernel.h"

/* False, with nothing written: too few channels for matrices, or another type
 * than f32 and f64. */
bool mw_conv_columns_run(const mw_kernel_call *call,
                         const mw_conv_roles *roles);

#endif
