/*
 * conv.h - convolution, the convolution's gradients, and what their rows,
 * kernels and the cost model read from an op.
 *
 * Three tensors meet, whichever of them is the result: x, the weight w and o,
 * the outputs. Along a spatial axis, output index o and tap t read input index
 * o * stride + t * dilation - pad_begin. A convolution gives o; the gradient
 * of its input, a transposed convolution, gives x; that of its weight gives w.
 * In a placed op the axes follow from the rank, in a named one attributes hold
 * them.
 */
#ifndef MW_IR_CONV_H
#define MW_IR_CONV_H

#include "ir/op.h"

enum { MW_MAX_SPATIAL = 3 };

typedef struct mw_spatial {
    int x_axis, w_axis, out_axis; /* MW_NONE where the size is 1 */
    int64_t stride, dilation, pad_begin, pad_end;
} mw_spatial;

/* Of a `conv`: how many there are. */
int mw_conv_spatial(const mw_op *op, mw_spatial spatial[MW_MAX_SPATIAL]);

/* Operands of convolutions and their gradients: 0 and 1 are the inputs. */
enum { MW_CONV_RESULT = 2 };
const mw_operand *mw_conv_operand(const mw_op *op, int i);

/* Which operand is which. */
typedef struct mw_conv_roles {
    int x, w, o;
    /* The split one of x and o that all follows from, and the other, which is
     * read through windows of it. The anchor is the result or is summed. */
    int anchor, derived;
    const char *axes[3]; /* attribute of each operand's spatial axes */
} mw_conv_roles;

/* What a fused convolution does to a sum: y * scale + shift + add, held between
 * low and high. Operands, or MW_NONE. */
typedef struct mw_conv_end {
    int scale, shift, add;
    float low, high;
} mw_conv_end;

/* Of a plain convolution: nothing. */
void mw_conv_end_of(const mw_op *op, mw_conv_end *end);

extern const mw_conv_roles mw_conv_roles_forward;
extern const mw_conv_roles mw_conv_transpose_roles, mw_conv_weight_grad_roles;

/* Spatial axes by role: x_axis is one of the operand that is x, … */
int mw_conv_axes(const mw_op *op, const mw_conv_roles *roles,
                 mw_spatial spatial[MW_MAX_SPATIAL]);

/* That of an operand, or MW_NONE. */
int mw_conv_axis(const mw_conv_roles *roles, int operand,
                 const mw_spatial *spatial);

/* The channels and other axes of a placed op, before its spatial ones. */
typedef mw_status mw_conv_channels(mw_graph *graph, mw_op *op, bool grouped,
                                   mw_tensor *out);

mw_status mw_conv_place(mw_graph *graph, mw_op *op, const mw_conv_roles *roles,
                        mw_conv_channels *channels,
                        mw_tensor *out) MW_MUST_CHECK;
mw_status mw_conv_bind(mw_graph *graph, mw_op *op,
                       const mw_conv_roles *roles) MW_MUST_CHECK;
mw_status mw_conv_lower(const mw_graph *placed, const mw_op *op,
                        const mw_conv_roles *roles, const mw_lowering *lowering,
                        mw_op_spec *spec) MW_MUST_CHECK;
mw_span mw_conv_window(const mw_graph *graph, const mw_op *op,
                       const mw_conv_roles *roles, int axis, mw_span block);
void mw_conv_ref(const mw_op *op, const mw_conv_roles *roles,
                 const mw_view in[], mw_view *out);

/* Placed: a letter for an axis of input i that is not of size 1. */
mw_status mw_conv_own(const mw_graph *graph, mw_op *op, int i, int axis,
                      int8_t *letter) MW_MUST_CHECK;
/* Placed: one letter for an axis of input 0 and one of input 1.
 * MW_EINPUT: their sizes differ. */
mw_status mw_conv_shared(const mw_graph *graph, mw_op *op, int axis0, int axis1,
                         int8_t *letter) MW_MUST_CHECK;

/* Appends a convolution or gradient of the same windows, `def`, whose result
 * is of like's dimensions. swap: its in_axes are op's out_axes, and the other
 * way round. */
mw_status mw_conv_grad(struct mw_grad *g, const mw_op *op, const char *def,
                       bool swap, const mw_id in[2], mw_id like,
                       mw_id *y) MW_MUST_CHECK;

/* Attributes that all of them take. */
#define MW_CONV_ATTRS                                                          \
    {"strides", MW_ATTR_INTS, MW_ATTR_BOTH, false},                            \
        {"dilations", MW_ATTR_INTS, MW_ATTR_BOTH, false},                      \
        {"pads_begin", MW_ATTR_INTS, MW_ATTR_BOTH, false},                     \
        {"pads_end", MW_ATTR_INTS, MW_ATTR_BOTH, false},                       \
        {"group", MW_ATTR_INT, MW_ATTR_PLACED, true},                          \
        {"in_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false},                       \
        {"tap_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false},                      \
    {                                                                          \
        "out_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false                         \
    }

#endif
