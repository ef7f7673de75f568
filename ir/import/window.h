/*
 * window.h - the windows of ONNX's convolutions and pooling: kernel, strides,
 * dilations and padding of each spatial axis, from a node's attributes.
 */
#ifndef MW_IR_IMPORT_WINDOW_H
#define MW_IR_IMPORT_WINDOW_H

#include "ir/import/onnx.h"

enum { MW_WINDOW_SPATIAL = 3 };

typedef struct mw_window {
    int n; /* spatial axes */
    int64_t kernel[MW_WINDOW_SPATIAL], stride[MW_WINDOW_SPATIAL];
    int64_t dilation[MW_WINDOW_SPATIAL];
    int64_t begin[MW_WINDOW_SPATIAL], end[MW_WINDOW_SPATIAL];
} mw_window;

/* A list attribute of n numbers of at least 0; of at least 1 where `otherwise`,
 * which stands for a missing list, is not 0. */
mw_status mw_window_list(mw_onnx_call *call, const char *name, int n,
                         int64_t otherwise, int64_t out[]) MW_MUST_CHECK;

/* Strides, dilations and padding over the axes of input 0 from its third; the
 * kernel must be set. */
mw_status mw_window_read(mw_onnx_call *call, mw_window *window) MW_MUST_CHECK;

/* The first four attributes of the window ops: strides, dilations, pads. */
void mw_window_attrs(const mw_window *window, mw_attr attr[4]);

mw_attr mw_window_ints(const char *name, const int64_t *v, int n);

#endif
