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

// A window op's attributes, the spatial axes being the last of all operands.
typedef struct window {
    int64_t strides[MW_MAX_SPACE], dilations[MW_MAX_SPACE], pads[MW_MAX_SPACE],
        in_axes[MW_MAX_SPACE], tap_axes[MW_MAX_SPACE];
} window;

static void fill_window(window *w, const mw_taps *taps, int n)
{
    for (int i = 0; i < n; i++) {
        w->strides[i] = taps->stride;
        w->dilations[i] = 1;
        w->pads[i] = taps->pad;
        w->in_axes[i] = 2 + i;
        w->tap_axes[i] = taps->taps == 1 ? -1 : 2 + i;
    }
}

static mw_attr list(const char *name, const int64_t *values, int n)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INTS, .n = n, .i = values};
}

// Only taps that meet another element ask for a convolution.
static bool is_pointwise(const mw_taps *t)
{
    return t->taps == 1 && t->stride == 1 && t->pad == 0;
}

static mw_id convolve(mw_draft *net, mw_id x, mw_id w,
                      const mw_convolution *conv, const mw_space *to)
{
    const char *dims = mw_draft_image_dims(net, conv->to, to);
    window at;
    int n = to->n;
    if (is_pointwise(&conv->taps))
        return mw_draft_einsum(net, x, w, dims);
    fill_window(&at, &conv->taps, n);
    const mw_attr attr[] = {
        list("strides", at.strides, n),  list("dilations", at.dilations, n),
        list("pads_begin", at.pads, n),  list("pads_end", at.pads, n),
        list("in_axes", at.in_axes, n),  list("tap_axes", at.tap_axes, n),
        list("out_axes", at.in_axes, n),
    };
    mw_id in[] = {x, w};
    return mw_draft_add(net, &(mw_draft_op){.def = "conv",
                                            .in = in,
                                            .n_in = 2,
                                            .attr = attr,
                                            .n_attr = 7,
                                            .dtype = net->dtype,
                                            .dims = dims});
}

mw_id mw_draft_conv(mw_draft *net, mw_id x, const mw_convolution *conv,
                    mw_space *space)
{
    mw_space to = mw_draft_shrink(net, space, &conv->taps, "conv");
    const char *dims = mw_draft_text(net, "%s %s", conv->to, conv->from);
    double fan_in = (double)mw_draft_size(net, conv->from);
    for (int i = 0; i < to.n; i++) {
        dims = mw_draft_text(net, "%s %lld", dims, (long long)conv->taps.taps);
        fan_in *= (double)conv->taps.taps;
    }
    mw_id w = mw_draft_param(net, mw_draft_text(net, "%s.weight", conv->name),
                             dims, mw_draft_normal(sqrt(2 / fan_in)));
    mw_id y = convolve(net, x, w, conv, &to);
    if (conv->bias)
        y = mw_draft_map2(
            net, "add", y,
            mw_draft_param(net, mw_draft_text(net, "%s.bias", conv->name),
                           conv->to, mw_draft_fill(0)));
    *space = to;
    return y;
}

mw_id mw_draft_batch_norm(mw_draft *net, mw_id x, const char *name,
                          const char *channels, const mw_space *space)
{
    return mw_draft_norm(net, x,
                         &(mw_norm_layer){
                             .name = name,
                             .weight = channels,
                             .over = mw_draft_image_dims(net, "", space),
                             .bias = true,
                         });
}

mw_id mw_draft_pool_all(mw_draft *net, mw_id x, const mw_space *space)
{
    const char *dims = "";
    for (int i = 0; i < space->n; i++)
        dims = mw_draft_text(net, "%s %s", dims, space->dim[i]);
    return mw_draft_mean(net, x, dims);
}
