/*
 * conv_fuse.h - passes over a named graph with convolutions, for inference,
 * before the search: what follows a convolution element by element becomes
 * part of it, and its channels come last.
 *
 * A `conv` and the maps behind it, each the only reader of the last, become one
 * `conv_fused` at the convolution's place: factors and summands of a channel
 * (a bias, a batch norm with stored statistics), one tensor of the result's
 * shape that is there by then (a residual), bounds by numbers (relu, clip).
 */
#ifndef MW_IR_CONV_FUSE_H
#define MW_IR_CONV_FUSE_H

#include "ir/graph.h"

/* Tensors that someone refers to by name: they stay, with their axes. */
typedef struct mw_kept {
    int n;
    const char *const *name;
} mw_kept;

bool mw_is_kept(const mw_kept *kept, const mw_tensor *tensor);

/* to: initialised, empty, in an arena that lives as long. */
mw_status mw_conv_fuse(const mw_graph *from, const mw_kept *kept,
                       mw_graph *to) MW_MUST_CHECK;

/* Tensors between convolutions, and what maps and windows make of them, get
 * their channels last; a transpose stands where others meet them. */
mw_status mw_channels_last(const mw_graph *from, const mw_kept *kept,
                           mw_graph *to) MW_MUST_CHECK;

/* Both, where there is a convolution and nothing is updated; else from itself.
 */
mw_status mw_conv_passes(mw_graph *graph, const mw_kept *kept) MW_MUST_CHECK;

#endif
