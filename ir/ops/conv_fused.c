/*
 * conv_fused.c - a convolution and what follows it element by element: a
 * channel's factor and summand, another tensor of the result's shape, bounds.
 * Bounds are right for complete sums only, so no contracted channel is split.
 */
#include <string.h>

#include "ir/direct.h"
#include "ir/number.h"
#include "ir/rule.h"

enum { X, W };

static mw_status refuse_operands(const mw_graph *graph, const mw_op *op)
{
    mw_conv_end end;
    mw_conv_end_of(op, &end);
    int n = 2 + (end.scale != MW_NONE) + (end.shift != MW_NONE) +
            (end.add != MW_NONE);
    mw_dtype dtype;
    MW_TRY(mw_rule_same_dtype(graph, op, 0, &dtype));
    if (!mw_dtype_is_float(dtype))
        return mw_op_fail(graph, op, "is %s, wanted floats",
                          mw_dtype_name(dtype));
    if (op->n_in != n)
        return mw_op_fail(graph, op, "%d operands, wanted %d with '%s'",
                          op->n_in, n, mw_op_attr(op, "with")->text);
    return MW_OK;
}

// The operand's axes are the result's, or those of its channels, in order.
static mw_status bind_extra(const mw_graph *graph, mw_op *op, int i,
                            bool channels)
{
    const mw_tensor *in = mw_op_in(graph, op, i), *out = mw_op_out(graph, op);
    int next = 0;
    for (int a = 0; a < out->rank; a++) {
        int8_t letter = op->out[0].letter[a];
        bool is_channel =
            mw_tensor_axis(mw_op_in(graph, op, W), out->axis[a].dim) != MW_NONE;
        if (channels && !is_channel)
            continue;
        if (next >= in->rank || in->axis[next].dim != out->axis[a].dim)
            return mw_op_fail(
                graph, op, "operand %d, '%s': axis %d, wanted '%s' there", i,
                in->name, next, graph->dim[out->axis[a].dim].name);
        op->in[i].letter[next++] = letter;
    }
    if (next < in->rank)
        return mw_op_fail(graph, op, "operand %d, '%s', has %d axes, wanted %d",
                          i, in->name, in->rank, next);
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    mw_conv_end end;
    MW_TRY(mw_conv_bind(graph, op, &mw_conv_roles_forward));
    MW_TRY(refuse_operands(graph, op));
    mw_conv_end_of(op, &end);
    if (end.scale != MW_NONE)
        MW_TRY(bind_extra(graph, op, end.scale, true));
    if (end.shift != MW_NONE)
        MW_TRY(bind_extra(graph, op, end.shift, true));
    if (end.add != MW_NONE)
        MW_TRY(bind_extra(graph, op, end.add, false));
    for (int l = 0; l < op->n_letters; l++)
        if (!mw_op_letter_in_output(op, l))
            op->letter[l].pinned = true;
    return MW_OK;
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    (void)operand;
    return mw_conv_window(graph, op, &mw_conv_roles_forward, axis, block);
}

static double value(const mw_view *view, int64_t i)
{
    mw_number number;
    mw_numbers_load(view->dtype, view->data, i, 1, 1, &number);
    return number.f;
}

// The channel of element i, as the row-major index of its axes.
static int64_t channel_of(const mw_op *op, const mw_view *out, int64_t i)
{
    int64_t channel = 0, step = 1;
    for (int a = out->rank - 1; a >= 0; a--) {
        int64_t index = i % out->size[a];
        i /= out->size[a];
        bool is_channel = false;
        for (int k = 0; k < MW_MAX_RANK; k++)
            is_channel =
                is_channel || op->in[W].letter[k] == op->out[0].letter[a];
        if (!is_channel)
            continue;
        channel += index * step;
        step *= out->size[a];
    }
    return channel;
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_conv_end end;
    int64_t n = 1;
    mw_conv_end_of(op, &end);
    mw_conv_ref(op, &mw_conv_roles_forward, in, out);
    for (int a = 0; a < out->rank; a++)
        n *= out->size[a];
    for (int64_t i = 0; i < n; i++) {
        int64_t channel = channel_of(op, out, i);
        mw_number y = {.f = value(out, i)};
        if (end.scale != MW_NONE)
            y.f *= value(&in[end.scale], channel);
        if (end.shift != MW_NONE)
            y.f += value(&in[end.shift], channel);
        if (end.add != MW_NONE)
            y.f += value(&in[end.add], i);
        y.f = y.f < (double)end.low ? (double)end.low : y.f;
        y.f = y.f > (double)end.high ? (double)end.high : y.f;
        mw_numbers_store(out->dtype, out->data, i, 1, 1, &y);
    }
}

static const mw_attr_rule attrs[] = {
    MW_CONV_ATTRS,
    {"with", MW_ATTR_TEXT, MW_ATTR_NAMED, false},
    {"low", MW_ATTR_FLOAT, MW_ATTR_NAMED, true},
    {"high", MW_ATTR_FLOAT, MW_ATTR_NAMED, true},
    {0},
};

const mw_op_def mw_op_conv_fused = {
    .name = "conv_fused",
    .brief = "conv * scale + shift + add, held between low and high",
    .family = "window",
    .min_in = 2,
    .max_in = 5,
    .attrs = attrs,
    .convolves = true,
    .bind = bind,
    .reduce = MW_REDUCE_SUM,
    .same_dim = true,
    .flops = 2,
    .workspace = mw_conv_workspace,
    .window = window,
    .ref = ref,
    .no_grad = "gradients are made before ops are fused",
    .dear = true,
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim ci = 3\ndim co = 5\ndim h = 9\ndim w = 8\n"
            "dim h2 = 5 of h by conv\n"
            "input x : f32[n, h, w, ci]\nparam k : f32[co, ci, 3, 2]\n"
            "param s : f32[co]\nparam b : f32[co]\n"
            "input r : f32[n, h2, w, co]\n"
            "y = conv_fused(x, k, s, b, r, strides=[2, 1], dilations=[1, 1], "
            "pads_begin=[1, 0], pads_end=[1, 1], in_axes=[1, 2], "
            "tap_axes=[2, 3], out_axes=[1, 2], with=\"scale shift add\", "
            "low=0) : f32[n, h2, w, co]\noutput y\n",
            "model m\ndim n = 2\ndim g = 3\ndim ci = 2\ndim co = 2\ndim s = "
            "11\ndim s2 = 7 of s by conv\n"
            "input x : f64[n, g, ci, s]\nparam k : f64[g, co, ci, 3]\n"
            "param b : f64[g, co]\n"
            "y = conv_fused(x, k, b, strides=[1], dilations=[2], "
            "pads_begin=[0], pads_end=[0], in_axes=[3], tap_axes=[3], "
            "out_axes=[3], with=\"shift\", low=-1, high=6) : "
            "f64[n, g, co, s2]\noutput y\n",
            "model m\ndim n = 2\ndim g = 3\ndim s = 6\n"
            "input x : f32[n, s, g]\nparam k : f32[g, 3]\n"
            "input r : f32[n, s, g]\n"
            "y = conv_fused(x, k, r, strides=[1], dilations=[1], "
            "pads_begin=[1], pads_end=[1], in_axes=[1], tap_axes=[1], "
            "out_axes=[1], with=\"add\", high=3) : f32[n, s, g]\noutput y\n",
            NULL,
        },
};
