/* conv.c - convolutions, in any order of axes, with both operands dilated and
 * padding that may cut. */
#include <string.h>

#include "ir/import/stablehlo_moves.h"

enum { MAX_SPATIAL = 3 };

/* Places of the axes: [batch, feature, spatial...] of the input and result,
 * [out, in, spatial...] of the kernel. */
typedef struct layout {
    int64_t input[MW_MAX_RANK], kernel[MW_MAX_RANK], output[MW_MAX_RANK];
} layout;

typedef struct window {
    int n; /* spatial axes */
    mw_hlo_ints stride, pad, grown, dilation, reversed;
} window;

/* [b, 0, 1, f]: the place of each of `roles`, then of 0, 1, ... */
static mw_status read_axes(mw_hlo_call *call, const mw_hlo_item *list,
                           const char *roles, int rank, int64_t place[])
{
    if (list->kind != MW_HLO_LIST || list->n != rank)
        return mw_hlo_refuse(call, "dim_numbers name %lld axes of %d",
                             (long long)list->n, rank);
    for (int i = 0; i < rank; i++)
        place[i] = -1;
    for (int i = 0; i < rank; i++) {
        const mw_hlo_item *item = &list->item[i];
        int64_t at = -1;
        if (item->kind == MW_HLO_INT && item->i >= 0 && item->i < rank - 2)
            at = 2 + item->i;
        else if (item->kind == MW_HLO_WORD && strlen(item->text) == 1 &&
                 strchr(roles, item->text[0]))
            at = strchr(roles, item->text[0]) - roles;
        if (at < 0 || place[at] >= 0)
            return mw_hlo_refuse(call,
                                 "axis %d of dim_numbers is unknown or "
                                 "there twice",
                                 i);
        place[at] = i;
    }
    return MW_OK;
}

static mw_status read_layout(mw_hlo_call *call, int rank, layout *to)
{
    const mw_hlo_item *whole = mw_hlo_attr(call, "dim_numbers");
    const mw_hlo_item *part[3];
    int n = 0;
    if (!whole)
        whole = mw_hlo_attr(call, "dimension_numbers");
    for (int64_t k = 0; whole && k < whole->n && n < 3; k++)
        if (whole->item[k].kind == MW_HLO_LIST)
            part[n++] = &whole->item[k];
    if (n != 3)
        return mw_hlo_refuse(call, "dim_numbers are no [..]x[..]->[..]");
    MW_TRY(read_axes(call, part[0], "bf", rank, to->input));
    MW_TRY(read_axes(call, part[1], "oi", rank, to->kernel));
    return read_axes(call, part[2], "bf", rank, to->output);
}

/* A list of the pretty `window = {...}`, or an attribute of its own. */
static mw_hlo_ints window_list(mw_hlo_call *call, const char *pretty,
                               const char *generic, int n, int64_t otherwise)
{
    const mw_hlo_item *whole = mw_hlo_attr(call, "window");
    const mw_hlo_item *item = whole ? mw_hlo_item_find(whole, pretty) : NULL;
    if (!item)
        return mw_hlo_list(call, generic, n, otherwise);
    mw_hlo_ints list = mw_hlo_ints_of(call, item);
    if (call->emit.status == MW_OK && list.n != n)
        (void)mw_hlo_refuse(call, "'%s' has %d numbers, wanted %d", pretty,
                            list.n, n);
    return list;
}

static mw_status read_window(mw_hlo_call *call, window *w)
{
    w->stride = window_list(call, "stride", "window_strides", w->n, 1);
    w->pad = window_list(call, "pad", "padding", 2 * w->n, 0);
    w->grown = window_list(call, "lhs_dilate", "lhs_dilation", w->n, 1);
    w->dilation = window_list(call, "rhs_dilate", "rhs_dilation", w->n, 1);
    w->reversed = window_list(call, "reverse", "window_reversal", w->n, 0);
    MW_TRY(call->emit.status);
    for (int i = 0; i < w->n; i++)
        if (w->stride.v[i] < 1 || w->grown.v[i] < 1 || w->dilation.v[i] < 1 ||
            w->stride.v[i] > INT32_MAX || w->grown.v[i] > INT32_MAX ||
            w->dilation.v[i] > INT32_MAX)
            return mw_hlo_refuse(call,
                                 "spatial axis %d has stride %lld and "
                                 "dilations %lld and %lld",
                                 i, (long long)w->stride.v[i],
                                 (long long)w->grown.v[i],
                                 (long long)w->dilation.v[i]);
    return MW_OK;
}

/* x's axis split into (groups, rest). */
static mw_id split(mw_onnx_call *e, mw_id x, int axis, int64_t group)
{
    int64_t shape[MW_MAX_RANK + 1];
    int rank = mw_emit_shape(e, x, shape);
    if (e->status != MW_OK || group == 1)
        return x;
    for (int i = rank; i > axis; i--)
        shape[i] = shape[i - 1];
    shape[axis] = group;
    shape[axis + 1] /= group;
    return mw_emit_reshape(e, x, shape, rank + 1);
}

/* Axes (axis, axis + 1) as one. */
static mw_id merge(mw_onnx_call *e, mw_id x, int axis)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(e, x, shape);
    if (e->status != MW_OK)
        return x;
    shape[axis] *= shape[axis + 1];
    for (int i = axis + 1; i + 1 < rank; i++)
        shape[i] = shape[i + 1];
    return mw_emit_reshape(e, x, shape, rank - 1);
}

static mw_attr ints(const char *name, const int64_t *v, int n)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INTS, .n = n, .i = v};
}

/* [n, c, ...] by [o, i, ...]; groups are an axis of their own. */
static mw_id convolve(mw_onnx_call *e, const mw_id operand[2], const window *w,
                      int64_t group)
{
    int64_t begin[MAX_SPATIAL], end[MAX_SPATIAL];
    for (int i = 0; i < w->n; i++) {
        begin[i] = w->pad.v[2 * i] > 0 ? w->pad.v[2 * i] : 0;
        end[i] = w->pad.v[2 * i + 1] > 0 ? w->pad.v[2 * i + 1] : 0;
    }
    mw_attr attr[] = {
        ints("strides", w->stride.v, w->n),
        ints("dilations", w->dilation.v, w->n),
        ints("pads_begin", begin, w->n),
        ints("pads_end", end, w->n),
        {.name = "group", .kind = MW_ATTR_INT, .n = 1, .i = &group}};
    mw_id in[2] = {split(e, operand[0], 1, group),
                   split(e, operand[1], 0, group)};
    mw_id y = mw_emit(e, "conv", in, 2, attr, 5);
    return group == 1 ? y : merge(e, y, 1);
}

/* What the input and kernel of a window need before: zeros between elements,
 * cuts, reversal. */
static void prepare(mw_hlo_call *call, const window *w, mw_id operand[2])
{
    mw_onnx_call *e = &call->emit;
    mw_id zero = mw_emit_like(e, operand[0], 0.0);
    for (int i = 0; i < w->n && e->status == MW_OK; i++) {
        const mw_hlo_padding padding = {
            .low = w->pad.v[2 * i] < 0 ? w->pad.v[2 * i] : 0,
            .high = w->pad.v[2 * i + 1] < 0 ? w->pad.v[2 * i + 1] : 0,
            .interior = w->grown.v[i] - 1};
        operand[0] = mw_hlo_pad(call, operand[0], i + 2, padding, zero);
        if (w->reversed.v[i])
            operand[1] = mw_hlo_flip(call, operand[1], i + 2);
    }
}

/* The batch's groups become groups of channels: [g n, c] to [n, g c]. */
static mw_id batch_to_channels(mw_onnx_call *e, mw_id x, int64_t group)
{
    int64_t perm[MW_MAX_RANK];
    x = split(e, x, 0, group);
    int rank = mw_emit_rank(e, x);
    for (int i = 0; i < rank; i++)
        perm[i] = i;
    perm[0] = 1;
    perm[1] = 0;
    return merge(e, mw_emit_transpose(e, x, perm), 1);
}

static mw_status check_groups(mw_hlo_call *call, const mw_id operand[2],
                              int64_t group, int64_t batches)
{
    mw_onnx_call *e = &call->emit;
    int64_t n = mw_emit_size(e, operand[0], 0);
    int64_t c = mw_emit_size(e, operand[0], 1);
    int64_t o = mw_emit_size(e, operand[1], 0);
    int64_t i = mw_emit_size(e, operand[1], 1);
    if (group < 1 || batches < 1 || (group > 1 && batches > 1) ||
        c % group != 0 || c / group != i || o % group != 0 ||
        n % batches != 0 || o % batches != 0)
        return mw_hlo_refuse(
            call,
            "%lld groups of features and %lld of the batch for [%lld, %lld] "
            "by [%lld, %lld]",
            (long long)group, (long long)batches, (long long)n, (long long)c,
            (long long)o, (long long)i);
    return MW_OK;
}

static mw_status convolution(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_dtype dtype = mw_hlo_out_dtype(call, 0);
    mw_id operand[2] = {mw_emit_cast(e, mw_hlo_in(call, 0), dtype),
                        mw_emit_cast(e, mw_hlo_in(call, 1), dtype)};
    int rank = mw_emit_rank(e, operand[0]);
    int64_t group = mw_hlo_int(call, "feature_group_count", 1);
    int64_t batches = mw_hlo_int(call, "batch_group_count", 1),
            back[MW_MAX_RANK];
    layout axes;
    window w = {.n = rank - 2};
    MW_TRY(e->status);
    if (rank < 3 || w.n > MAX_SPATIAL || mw_emit_rank(e, operand[1]) != rank)
        return mw_hlo_refuse(
            call, "operands have rank %d and %d, wanted 3 to 5, and equal",
            rank, mw_emit_rank(e, operand[1]));
    MW_TRY(read_layout(call, rank, &axes));
    MW_TRY(read_window(call, &w));
    operand[0] = mw_emit_transpose(e, operand[0], axes.input);
    operand[1] = mw_emit_transpose(e, operand[1], axes.kernel);
    MW_TRY(e->status);
    MW_TRY(check_groups(call, operand, group, batches));
    prepare(call, &w, operand);
    if (batches > 1)
        operand[0] = batch_to_channels(e, operand[0], batches);
    MW_TRY(e->status);
    mw_id y = convolve(e, operand, &w, group * batches);
    for (int i = 0; i < rank; i++)
        back[axes.output[i]] = i;
    return mw_hlo_set(call, 0, mw_emit_transpose(e, y, back));
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.convolution",
     .min_in = 2,
     .max_in = 2,
     .attrs = "dim_numbers dimension_numbers window window_strides padding "
              "lhs_dilation rhs_dilation window_reversal feature_group_count "
              "batch_group_count",
     .build = convolution},
    {0},
};

const mw_hlo_def mw_hlo_conv = {.brief = "convolutions", .rules = rules};
