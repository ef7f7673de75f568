/*
 * conv.c - convolution over 1 to 3 spatial dims, with strides, dilations,
 * padding and groups. A spatial dim of the result is split by a window on the
 * operand's; taps are pinned.
 */
#include "ir/conv.h"
#include "ir/direct.h"
#include "ir/grad.h"
#include "ir/rule.h"

enum { X, W };

static mw_status channels(mw_graph *graph, mw_op *op, bool grouped,
                          mw_tensor *out)
{
    int8_t letter = MW_NONE;
    MW_TRY(mw_conv_own(graph, op, X, 0, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    if (grouped) {
        MW_TRY(mw_conv_shared(graph, op, 1, 0, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    MW_TRY(mw_conv_own(graph, op, W, grouped, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    return mw_conv_shared(graph, op, 1 + grouped, 1 + grouped, &letter);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    return mw_conv_place(graph, op, &mw_conv_roles_forward, channels, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    return mw_conv_bind(graph, op, &mw_conv_roles_forward);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)named;
    return mw_conv_lower(placed, op, &mw_conv_roles_forward, lowering, spec);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    (void)operand;
    return mw_conv_window(graph, op, &mw_conv_roles_forward, axis, block);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_conv_ref(op, &mw_conv_roles_forward, in, out);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id x = op->in[X].tensor, w = op->in[W].tensor;
    if (mw_grad_wants(g, X))
        MW_TRY(mw_conv_grad(g, op, "conv_transpose", true,
                            (mw_id[]){dout[0], w}, x, &din[X]));
    if (mw_grad_wants(g, W))
        MW_TRY(mw_conv_grad(g, op, "conv_weight_grad", false,
                            (mw_id[]){x, dout[0]}, w, &din[W]));
    return MW_OK;
}

static const mw_attr_rule attrs[] = {MW_CONV_ATTRS, {0}};

const mw_op_def mw_op_conv = {
    .name = "conv",
    .brief = "convolution over 1 to 3 spatial dims",
    .family = "window",
    .min_in = 2,
    .max_in = 2,
    .attrs = attrs,
    .convolves = true,
    .fused = "conv_fused",
    .place = place,
    .bind = bind,
    .lower = lower,
    .reduce = MW_REDUCE_SUM,
    .same_dim = true,
    .linear = {1, 2},
    .flops = 2,
    .workspace = mw_conv_workspace,
    .window = window,
    .ref = ref,
    .grad = grad,
    .dear = true,
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim ci = 3\ndim co = 5\ndim h = 9\ndim w = 8\n"
            "dim h2 = 5 of h by conv\n"
            "input x : f32[n, ci, h, w]\nparam k : f32[co, ci, 3, 2]\n"
            "y = conv(x, k, strides=[2, 1], dilations=[1, 1], "
            "pads_begin=[1, 0], pads_end=[1, 1], in_axes=[2, 3], "
            "tap_axes=[2, 3], out_axes=[2, 3]) : f32[n, co, h2, w]\n"
            "output y\n",
            "model m\ndim n = 2\ndim g = 3\ndim ci = 2\ndim co = 2\ndim s = "
            "11\n"
            "dim s2 = 7 of s by conv\n"
            "input x : f64[n, g, ci, s]\nparam k : f64[g, co, ci, 3]\n"
            "y = conv(x, k, strides=[1], dilations=[2], pads_begin=[0], "
            "pads_end=[0], in_axes=[3], tap_axes=[3], out_axes=[3]) : "
            "f64[n, g, co, s2]\noutput y\n",
            "model m\ndim n = 2\ndim ci = 3\ndim co = 4\ndim h = 4\ndim w = 6\n"
            "dim w2 = 3 of w by conv\n"
            "input x : i32[n, ci, h, w]\nparam k : i32[co, ci, 4, 2]\n"
            "y = conv(x, k, strides=[4, 2], dilations=[1, 1], "
            "pads_begin=[0, 0], pads_end=[0, 0], in_axes=[2, 3], "
            "tap_axes=[2, 3], out_axes=[-1, 2]) : i32[n, co, w2]\noutput y\n",
            "model m\ndim n = 2\ndim ci = 2\ndim co = 3\ndim s = 11\n"
            "dim s2 = 5 of s by conv\n"
            "input x : f32[n, ci, s]\nparam k : f32[co, ci, 2]\n"
            "y = conv(x, k, strides=[2], dilations=[2], pads_begin=[0], "
            "pads_end=[1], in_axes=[2], tap_axes=[2], out_axes=[2]) : "
            "f32[n, co, s2]\noutput y\n",
            "model m\ndim ci = 2\ndim co = 2\ndim d = 3\ndim h = 5\n"
            "dim w = 4\ndim d2 = 2 of d by conv\ndim h2 = 3 of h by conv\n"
            "input x : f32[ci, d, h, w]\nparam k : f32[co, ci, 2, 3, 3]\n"
            "y = conv(x, k, strides=[1, 2, 1], dilations=[1, 1, 1], "
            "pads_begin=[0, 1, 1], pads_end=[0, 1, 1], in_axes=[1, 2, 3], "
            "tap_axes=[2, 3, 4], out_axes=[1, 2, 3]) : f32[co, d2, h2, w]\n"
            "output y\n",
            NULL,
        },
};
