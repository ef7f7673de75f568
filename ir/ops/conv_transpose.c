/*
 * conv_transpose.c - what a convolution sends back to its input: each element
 * of the operand is spread over the taps' places in the result. A spatial dim
 * of the result is split by a window on the operand's.
 */
#include "ir/conv.h"
#include "ir/conv_grad.h"
#include "ir/grad.h"
#include "ir/rule.h"

enum { O, W };

const mw_conv_roles mw_conv_transpose_roles = {
    .x = 2,
    .w = 1,
    .o = 0,
    .anchor = 2,
    .derived = 0,
    .axes = {"in_axes", "tap_axes", "out_axes"},
};

// The weight is [ci, co, taps…].
static mw_status channels(mw_graph *graph, mw_op *op, bool grouped,
                          mw_tensor *out)
{
    int8_t letter = MW_NONE;
    MW_TRY(mw_conv_own(graph, op, O, 0, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    if (grouped) {
        MW_TRY(mw_conv_shared(graph, op, 1, 0, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    MW_TRY(mw_conv_own(graph, op, W, 1 + grouped, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    return mw_conv_shared(graph, op, 1 + grouped, grouped, &letter);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    return mw_conv_place(graph, op, &mw_conv_transpose_roles, channels, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    return mw_conv_bind(graph, op, &mw_conv_transpose_roles);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)named;
    return mw_conv_lower(placed, op, &mw_conv_transpose_roles, lowering, spec);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    (void)operand;
    return mw_conv_window(graph, op, &mw_conv_transpose_roles, axis, block);
}

// Every tap of every element of the operand is used once, and the letters are
// of the result.
static double flops_of(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[MW_MAX_LETTERS])
{
    const mw_attr *in = mw_op_attr(op, "in_axes");
    const mw_attr *out = mw_op_attr(op, "out_axes");
    const mw_tensor *x = mw_op_out(graph, op), *o = mw_op_in(graph, op, O);
    double total = 2;
    for (int l = 0; l < op->n_letters; l++)
        total *= (double)extent[l];
    for (int i = 0; in && i < in->n; i++) {
        double whole = out->i[i] < 0 ? 1 : (double)x->axis[out->i[i]].size;
        double used = in->i[i] < 0 ? 1 : (double)o->axis[in->i[i]].size;
        total *= whole > 0 ? used / whole : 1;
    }
    return total;
}

static int64_t workspace(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS])
{
    return mw_conv_grad_workspace(graph, op, &mw_conv_transpose_roles, extent);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_conv_ref(op, &mw_conv_transpose_roles, in, out);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id o = op->in[O].tensor, w = op->in[W].tensor;
    if (mw_grad_wants(g, O))
        MW_TRY(mw_conv_grad(g, op, "conv", true, (mw_id[]){dout[0], w}, o,
                            &din[O]));
    if (mw_grad_wants(g, W))
        MW_TRY(mw_conv_grad(g, op, "conv_weight_grad", true,
                            (mw_id[]){dout[0], o}, w, &din[W]));
    return MW_OK;
}

static const mw_attr_rule attrs[] = {
    MW_CONV_ATTRS,
    {"output_padding", MW_ATTR_INTS, MW_ATTR_PLACED, true},
    {0},
};

const mw_op_def mw_op_conv_transpose = {
    .name = "conv_transpose",
    .brief = "what a convolution sends back to its input",
    .family = "window",
    .min_in = 2,
    .max_in = 2,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .reduce = MW_REDUCE_SUM,
    .same_dim = true,
    .linear = {1, 2},
    .flops_of = flops_of,
    .workspace = workspace,
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim ci = 3\ndim co = 5\ndim h = 5\ndim w = 8\n"
            "dim h2 = 10 of h by conv_transpose\n"
            "input x : f32[n, ci, h, w]\nparam k : f32[ci, co, 3, 3]\n"
            "y = conv_transpose(x, k, strides=[2, 1], dilations=[1, 1], "
            "pads_begin=[1, 1], pads_end=[0, 1], in_axes=[2, 3], "
            "tap_axes=[2, 3], out_axes=[2, 3]) : f32[n, co, h2, w]\n"
            "output y\n",
            "model m\ndim n = 2\ndim ci = 8\ndim co = 8\ndim s = 9\n"
            "dim s2 = 18 of s by conv_transpose\n"
            "input x : f32[n, ci, s]\nparam k : f32[ci, co, 2]\n"
            "y = conv_transpose(x, k, strides=[2], dilations=[1], "
            "pads_begin=[0], pads_end=[0], in_axes=[2], tap_axes=[2], "
            "out_axes=[2]) : f32[n, co, s2]\noutput y\n",
            "model m\ndim n = 2\ndim g = 3\ndim ci = 2\ndim co = 2\ndim s = 4\n"
            "dim s2 = 15 of s by conv_transpose\n"
            "input x : f64[n, g, ci, s]\nparam k : f64[g, co, ci, 3]\n"
            "y = conv_transpose(x, k, strides=[3], dilations=[2], "
            "pads_begin=[0], pads_end=[0], in_axes=[3], tap_axes=[3], "
            "out_axes=[3]) : f64[n, g, co, s2]\noutput y\n",
            "model m\ndim n = 2\ndim ci = 3\ndim co = 4\ndim h = 4\ndim w = 3\n"
            "dim w2 = 6 of w by conv_transpose\n"
            "input x : i32[n, ci, w]\nparam k : i32[co, ci, 4, 2]\n"
            "y = conv_transpose(x, k, strides=[1, 2], dilations=[1, 1], "
            "pads_begin=[0, 0], pads_end=[0, 0], in_axes=[-1, 2], "
            "tap_axes=[2, 3], out_axes=[2, 3]) : i32[n, co, h, w2]\noutput y\n",
            "model m\ndim ci = 2\ndim co = 2\ndim d = 2\ndim h = 3\n"
            "dim w = 4\ndim d2 = 3 of d by conv_transpose\n"
            "dim h2 = 6 of h by conv_transpose\n"
            "input x : f32[ci, d, h, w]\nparam k : f32[co, ci, 2, 3, 3]\n"
            "y = conv_transpose(x, k, strides=[1, 2, 1], dilations=[1, 1, 1], "
            "pads_begin=[0, 1, 1], pads_end=[0, 0, 1], in_axes=[1, 2, 3], "
            "tap_axes=[2, 3, 4], out_axes=[1, 2, 3]) : f32[co, d2, h2, w]\n"
            "output y\n",
            NULL,
        },
};
