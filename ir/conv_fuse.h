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

/* What both rebuild with: tensors and ops of `from` in `to`. */
typedef struct mw_rebuild {
    const mw_graph *from;
    mw_graph *to;
    mw_id *now; /* of each tensor of from: its id in to, or MW_NONE */
} mw_rebuild;

mw_status mw_rebuild_open(mw_rebuild *r, const mw_graph *from,
                          mw_graph *to) MW_MUST_CHECK;
/* The tensor's id in to, copied if it is not there. */
mw_status mw_rebuild_tensor(mw_rebuild *r, mw_id tensor,
                            mw_id *id) MW_MUST_CHECK;
/* Adds a tensor under its own name, or one made of it that is free. */
mw_status mw_rebuild_new(mw_rebuild *r, mw_tensor *tensor, const char *ending,
                         mw_id *id) MW_MUST_CHECK;
mw_status mw_rebuild_op(mw_rebuild *r, const mw_op *op) MW_MUST_CHECK;
/* What no op reads; conditions; interference. */
mw_status mw_rebuild_close(mw_rebuild *r) MW_MUST_CHECK;

#endif
