/*
 * conv_direct.h - convolutions whose channels lie innermost, computed where
 * they lie (ir/direct.h): a few pixels by a panel of output channels at a time,
 * with what a tap reads of each pixel found by a pointer, which at the edges
 * points at zeros. Of strides, dilations, padding, groups and blocks with halos
 * only these pointers know.
 */
#ifndef MW_RUNTIME_CONV_DIRECT_H
#define MW_RUNTIME_CONV_DIRECT_H

#include "runtime/kernel.h"

/* False where ir/direct.h says that it does not fit. */
bool mw_conv_direct(const mw_kernel_call *call);

/* Puts the weight, operand 1, in the order in which it is read: as many bytes,
 * in `to`. A call whose `packed` has that bit finds it so. False as above. */
bool mw_conv_direct_pack(const mw_kernel_call *call, void *to);

#endif
