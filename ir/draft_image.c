/* draft_image.c - convolutions, pooling and batch norm. */
#include "ir/draft_image.h"

#include <math.h>
#include <string.h>

#include "ir/rule.h"

static int64_t shrunk(int64_t size, const mw_taps *t)
{
    int64_t room = size + 2 * t->pad - t->taps;
    return room < 0 ? 0 : room / t->stride + 1;
}

// A dim of that size that was derived so before: the two sides of a sum.
static const char *derived_dim(const mw_draft *net, const char *from,
                               int64_t size, const char *how)
{
    mw_id of = mw_graph_find_dim(net->graph, from);
    for (int i = 0; i < net->graph->n_dims; i++) {
        const mw_dim *dim = &net->graph->dim[i];
        if (dim->of == of && dim->size == size && strcmp(dim->how, how) == 0)
            return dim->name;
    }
    return NULL;
}

// Else "height" to "height.1", "height.1" to "height.2": the next free name.
static const char *new_dim(mw_draft *net, const char *from, int64_t size,
                           const char *how)
{
    const char *name = derived_dim(net, from, size, how);
    int n = (int)strcspn(from, ".");
    for (int i = 1; !name && net->status == MW_OK; i++) {
        const char *next = mw_draft_text(net, "%.*s.%d", n, from, i);
        if (mw_graph_find_dim(net->graph, next) == MW_NONE)
            name = next;
    }
    mw_draft_dim_of(net, name, size, from, how);
    return name;
}

mw_space mw_draft_shrink(mw_draft *net, const mw_space *from,
                         const mw_taps *taps, const char *how)
{
    mw_space to = *from;
    for (int i = 0; i < from->n && net->status == MW_OK; i++) {
        int64_t before = mw_draft_size(net, from->dim[i]);
        int64_t size = shrunk(before, taps);
        if (size < 1)
            mw_draft_refuse(net,
                            "nothing is left of '%s', which is %lld where "
                            "windows are %lld",
                            from->dim[i], (long long)before,
                            (long long)taps->taps);
        if (size == before)
            continue;
        to.dim[i] = new_dim(net, from->dim[i], size, how);
    }
    return to;
}

const char *mw_draft_image_dims(mw_draft *net, const char *channels,
                                const mw_space *space)
{
    const char *text = mw_draft_text(net, "batch %s", channels);
    for (int i = 0; i < space->n; i++)
        text = mw_draft_text(net, "%s %s", text, space->dim[i]);
    return text;
}

// A window op, whose spatial axes are the last of all operands.
static mw_id slide(mw_draft *net, const char *def, const mw_id in[], int n_in,
                   const mw_taps *taps, int n, const char *dims)
{
    int64_t kernel[MW_MAX_SPACE], strides[MW_MAX_SPACE], ones[MW_MAX_SPACE],
        pads[MW_MAX_SPACE], axes[MW_MAX_SPACE], tap_axes[MW_MAX_SPACE];
    for (int i = 0; i < n; i++) {
        kernel[i] = taps->taps;
        strides[i] = taps->stride;
        ones[i] = 1;
        pads[i] = taps->pad;
        axes[i] = 2 + i;
        tap_axes[i] = taps->taps == 1 ? -1 : 2 + i;
    }
    const struct list {
        const char *name;
        const int64_t *values;
    } lists[] = {{"strides", strides},
                 {"dilations", ones},
                 {"pads_begin", pads},
                 {"pads_end", pads},
                 {"in_axes", axes},
                 {"out_axes", axes},
                 n_in == 2 ? (struct list){"tap_axes", tap_axes}
                           : (struct list){"kernel", kernel}};
    mw_attr attr[7];
    for (int i = 0; i < 7; i++)
        attr[i] = (mw_attr){.name = lists[i].name,
                            .kind = MW_ATTR_INTS,
                            .n = n,
                            .i = lists[i].values};
    return mw_draft_add(net, &(mw_draft_op){.def = def,
                                            .in = in,
                                            .n_in = n_in,
                                            .attr = attr,
                                            .n_attr = 7,
                                            .dtype = net->dtype,
                                            .dims = dims});
}

// The weight "FIRST SECOND taps taps", and its first values.
static mw_id weight_of(mw_draft *net, const mw_convolution *conv,
                       const char *channels, int n)
{
    double fan_in = (double)mw_draft_size(net, conv->from);
    for (int i = 0; i < n; i++) {
        channels =
            mw_draft_text(net, "%s %lld", channels, (long long)conv->taps.taps);
        fan_in *= (double)conv->taps.taps / (double)conv->taps.stride;
    }
    const char *name = mw_draft_text(net, "%s.weight", conv->name);
    double gain = conv->gain > 0 ? conv->gain : 1;
    return mw_draft_param(net, name, channels,
                          mw_draft_normal(gain * sqrt(2 / fan_in)));
}

static mw_id with_bias(mw_draft *net, mw_id y, const mw_convolution *conv)
{
    if (!conv->bias)
        return y;
    const char *name = mw_draft_text(net, "%s.bias", conv->name);
    mw_id bias = mw_draft_param(net, name, conv->to, mw_draft_fill(0));
    mw_draft_as(net, conv->name);
    return mw_draft_map2(net, "add", y, bias);
}

mw_id mw_draft_conv(mw_draft *net, mw_id x, const mw_convolution *conv,
                    mw_space *space)
{
    const mw_taps *taps = &conv->taps;
    mw_space to = mw_draft_shrink(net, space, taps, "conv");
    const char *channels = mw_draft_text(net, "%s %s", conv->to, conv->from);
    const char *dims = mw_draft_image_dims(net, conv->to, &to);
    mw_id in[] = {x, weight_of(net, conv, channels, to.n)}, y;
    if (!conv->bias)
        mw_draft_as(net, conv->name);
    // only taps that meet another element ask for a convolution
    if (taps->taps == 1 && taps->stride == 1 && taps->pad == 0)
        y = mw_draft_einsum(net, x, in[1], dims);
    else
        y = slide(net, "conv", in, 2, taps, to.n, dims);
    *space = to;
    return with_bias(net, y, conv);
}

mw_id mw_draft_conv_up(mw_draft *net, mw_id x, const mw_convolution *conv,
                       const mw_space *to)
{
    const char *channels = mw_draft_text(net, "%s %s", conv->from, conv->to);
    mw_id in[] = {x, weight_of(net, conv, channels, to->n)};
    if (!conv->bias)
        mw_draft_as(net, conv->name);
    mw_id y = slide(net, "conv_transpose", in, 2, &conv->taps, to->n,
                    mw_draft_image_dims(net, conv->to, to));
    return with_bias(net, y, conv);
}

mw_id mw_draft_pool_max(mw_draft *net, mw_id x, const char *channels,
                        const mw_taps *taps, mw_space *space)
{
    *space = mw_draft_shrink(net, space, taps, "pool");
    return slide(net, "pool_max", &x, 1, taps, space->n,
                 mw_draft_image_dims(net, channels, space));
}

mw_id mw_draft_batch_norm(mw_draft *net, mw_id x, const mw_batch_norm *norm,
                          const mw_space *space)
{
    enum { AUTO, BATCH, STORED };
    int64_t key = mw_draft_key(net, "norm");
    bool stored = key == STORED || (key == AUTO && !mw_draft_key(net, "loss"));
    mw_norm_layer layer = {.name = norm->name,
                           .weight = norm->affine ? norm->channels : NULL,
                           .over = mw_draft_image_dims(net, "", space),
                           .bias = norm->affine,
                           .quiet = norm->quiet,
                           .stored = stored ? norm->channels : NULL};
    return mw_draft_norm(net, x, &layer);
}

mw_id mw_draft_pool_all(mw_draft *net, mw_id x, const mw_space *space)
{
    const char *dims = "";
    for (int i = 0; i < space->n; i++)
        dims = mw_draft_text(net, "%s %s", dims, space->dim[i]);
    return mw_draft_mean(net, x, dims);
}
