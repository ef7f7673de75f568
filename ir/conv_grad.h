/*
 * conv_grad.h - a convolution's gradients as matrix products over columns: what
 * the taps read of x, a row for each input channel and tap, a column for each
 * pixel of o. The weight's gradient is columns times o, summed over pixels; the
 * input's is the weight times o, added up where the columns came from. Columns
 * are made, or added up, slab by slab in the workspace.
 */
#ifndef MW_IR_CONV_GRAD_H
#define MW_IR_CONV_GRAD_H

#include "ir/conv.h"

enum {
    MW_COLUMN_ROWS = 512,   /* of a slab, at most */
    MW_COLUMN_PIXELS = 1024 /* of a slab, at most */
};

/* What a letter that is not spatial counts. */
typedef enum mw_conv_side {
    MW_CONV_GROUPS, /* in all three */
    MW_CONV_EXAMPLES,
    MW_CONV_INPUTS,  /* channels of x */
    MW_CONV_OUTPUTS, /* channels of o */
    MW_CONV_SIDES    /* how many kinds there are; of a tap: none of them */
} mw_conv_side;

mw_conv_side mw_conv_side_of(const mw_op *op, const mw_conv_roles *roles,
                             int letter);

/* Elements of a slab's parts. */
typedef struct mw_conv_columns {
    int64_t rows, outputs, pixels; /* of a slab */
} mw_conv_columns;

/* Of blocks with so many rows of columns, output channels and pixels. */
mw_conv_columns mw_conv_columns_of(int64_t rows, int64_t outputs,
                                   int64_t pixels);

/* Bytes of the columns, of o's part, of the weight's part; all multiples of
 * 64. */
void mw_conv_columns_bytes(const mw_conv_columns *columns, mw_dtype dtype,
                           int64_t bytes[3]);

/* def->workspace. */
int64_t mw_conv_grad_workspace(const mw_graph *graph, const mw_op *op,
                               const mw_conv_roles *roles,
                               const int64_t extent[MW_MAX_LETTERS]);

#endif
