/*
 * conv_weight_grad.c - what a convolution sends back to its weight: for each
 * tap the sum, over examples and outputs, of what it read times what flows
 * back. The examples and the spatial dims of the outputs are contracted and may
 * be split; of x a rank reads the windows of its outputs.
 */
#include "ir/conv.h"
#include "ir/conv_grad.h"
#include "ir/rule.h"

enum { X, O };

const mw_conv_roles mw_conv_weight_grad_roles = {
    .x = 0,
    .w = 2,
    .o = 1,
    .anchor = 1,
    .derived = 0,
    .axes = {"in_axes", "out_axes", "tap_axes"},
};

static mw_status channels(mw_graph *graph, mw_op *op, bool grouped,
                          mw_tensor *out)
{
    int8_t letter = MW_NONE;
    MW_TRY(mw_conv_shared(graph, op, 0, 0, &letter));
    if (grouped) {
        MW_TRY(mw_conv_shared(graph, op, 1, 1, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    MW_TRY(mw_conv_own(graph, op, O, 1 + grouped, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    MW_TRY(mw_conv_own(graph, op, X, 1 + grouped, &letter));
    return mw_out_axis(graph, op, out, letter);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    return mw_conv_place(graph, op, &mw_conv_weight_grad_roles, channels, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    return mw_conv_bind(graph, op, &mw_conv_weight_grad_roles);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)named;
    return mw_conv_lower(placed, op, &mw_conv_weight_grad_roles, lowering,
                         spec);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    (void)operand;
    return mw_conv_window(graph, op, &mw_conv_weight_grad_roles, axis, block);
}

static int64_t workspace(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS])
{
    return mw_conv_grad_workspace(graph, op, &mw_conv_weight_grad_roles,
                                  extent);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_conv_ref(op, &mw_conv_weight_grad_roles, in, out);
}

static const mw_attr_rule attrs[] = {
    MW_CONV_ATTRS,
    {"kernel", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {0},
};

const mw_op_def mw_op_conv_weight_grad = {
    .name = "conv_weight_grad",
    .brief = "what a convolution sends back to its weight",
    .family = "window",
    .min_in = 2,
    .max_in = 2,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .reduce = MW_REDUCE_SUM,
    .linear = {1, 2},
    .flops = 2,
    .workspace = workspace,
    .window = window,
    .ref = ref,
    .no_grad = "it is a gradient itself",
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim ci = 3\ndim co = 5\ndim h = 9\ndim w = 8\n"
            "dim h2 = 5 of h by conv\n"
            "input x : f32[n, ci, h, w]\ninput d : f32[n, co, h2, w]\n"
            "y = conv_weight_grad(x, d, strides=[2, 1], dilations=[1, 1], "
            "pads_begin=[1, 0], pads_end=[1, 1], in_axes=[2, 3], "
            "out_axes=[2, 3], tap_axes=[2, 3]) : f32[co, ci, 3, 2]\n"
            "output y\n",
            "model m\ndim n = 3\ndim ci = 8\ndim co = 9\ndim h = 8\n"
            "dim w = 7\ndim w2 = 4 of w by conv\n"
            "input x : f32[n, ci, h, w]\ninput d : f32[n, co, h, w2]\n"
            "y = conv_weight_grad(x, d, strides=[1, 2], dilations=[1, 1], "
            "pads_begin=[1, 1], pads_end=[1, 1], in_axes=[2, 3], "
            "out_axes=[2, 3], tap_axes=[2, 3]) : f32[co, ci, 3, 3]\n"
            "output y\n",
            "model m\ndim n = 2\ndim g = 3\ndim ci = 2\ndim co = 2\n"
            "dim s = 11\ndim s2 = 7 of s by conv\n"
            "input x : f64[n, g, ci, s]\ninput d : f64[n, g, co, s2]\n"
            "y = conv_weight_grad(x, d, strides=[1], dilations=[2], "
            "pads_begin=[0], pads_end=[0], in_axes=[3], out_axes=[3], "
            "tap_axes=[3]) : f64[g, co, ci, 3]\noutput y\n",
            "model m\ndim n = 2\ndim ci = 3\ndim co = 4\ndim h = 4\ndim w = 6\n"
            "dim w2 = 3 of w by conv\n"
            "input x : i32[n, ci, h, w]\ninput d : i32[n, co, w2]\n"
            "y = conv_weight_grad(x, d, strides=[4, 2], dilations=[1, 1], "
            "pads_begin=[0, 0], pads_end=[0, 0], in_axes=[2, 3], "
            "out_axes=[-1, 2], tap_axes=[2, 3]) : i32[co, ci, 4, 2]\n"
            "output y\n",
            "model m\ndim n = 3\ndim ci = 2\ndim co = 3\ndim s = 5\n"
            "input x : f32[n, ci, s]\ninput d : f32[n, co, s]\n"
            "y = conv_weight_grad(x, d, strides=[1], dilations=[1], "
            "pads_begin=[0], pads_end=[0], in_axes=[2], out_axes=[2], "
            "tap_axes=[-1]) : f32[co, ci]\noutput y\n",
            NULL,
        },
};
