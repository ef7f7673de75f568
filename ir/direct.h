/*
 * direct.h - a convolution whose channels lie innermost is computed directly:
 * no matrix of windows is made, and of the room only a slab of weights is
 * needed, put in the order in which they are read. Whether an op is such a one
 * follows from the order of its axes. The plan's workspace, the kernel and the
 * pass that puts channels last all ask here. Pure arithmetic.
 */
#ifndef MW_IR_DIRECT_H
#define MW_IR_DIRECT_H

#include "ir/conv.h"

enum { MW_DIRECT_TAPS = 1024 };

typedef struct mw_letters {
    int n;
    int8_t letter[MW_MAX_LETTERS];
} mw_letters;

/* The letters of axes that are not spatial, by the operands that have them. */
typedef struct mw_direct {
    /* x ends with `in`, the result with `out`; depthwise: there is neither,
     * and both end with `group`. */
    bool fits, depthwise;
    mw_letters batch; /* x, o; as the result has them */
    mw_letters group; /* x, w, o; likewise */
    mw_letters in;    /* x, w; as x has them */
    mw_letters out;   /* w, o; as the result has them */
} mw_direct;

/* Of a named convolution with results of this type. */
void mw_direct_analyse(const mw_op *op, mw_dtype dtype, mw_direct *direct);

/* Only the order of its axes may keep it from fitting: which letters are what
 * is known then. */
bool mw_direct_could(const mw_op *op, mw_dtype dtype, mw_direct *direct);

/* def->workspace of convolutions: that of whichever way they are computed. */
int64_t mw_conv_workspace(const mw_graph *graph, const mw_op *op,
                          const int64_t extent[MW_MAX_LETTERS]);

#endif
