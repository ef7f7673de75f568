/* arrange.c - operators that reverse, place or sum up elements. */
#include <string.h>

#include "ir/import/emit.h"

static mw_attr place_attr(const char *name, const int64_t *value)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INT, .n = 1, .i = value};
}

/* ---- Hardmax ---- */

/* 1 at the first of the greatest elements along an axis, else 0. */
static mw_id hard(mw_onnx_call *call, mw_id x, int axis)
{
    const mw_axes axes = {.n = 1, .axis = {axis}};
    int64_t n = mw_emit_size(call, x, axis);
    mw_id best = mw_emit_reduce(call, "reduce_max", x, &axes, true);
    mw_id place = mw_emit_iota(call, n, axis, mw_emit_rank(call, x));
    mw_id at = mw_emit_where(call, mw_emit2(call, "equal", x, best), place,
                             mw_emit_like(call, place, (double)n));
    mw_id first = mw_emit_reduce(call, "reduce_min", at, &axes, true);
    return mw_emit_cast(call, mw_emit2(call, "equal", place, first),
                        mw_emit_dtype(call, x));
}

/* Before opset 13 all axes from `axis` on are one. */
static mw_status hardmax(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int64_t s[MW_MAX_RANK], flat[2] = {1, 1};
    bool together = call->opset < 13;
    int rank = mw_emit_shape(call, x, s);
    int axis =
        mw_emit_axis(call, mw_onnx_int(call, "axis", together ? 1 : -1), rank);
    MW_TRY(call->status);
    if (!together)
        return mw_emit_set(call, 0, hard(call, x, axis));
    for (int i = 0; i < rank; i++)
        flat[i >= axis] *= s[i];
    mw_id y = hard(call, mw_emit_reshape(call, x, flat, 2), 1);
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, s, rank));
}

/* ---- ReverseSequence ---- */

/* A look-up with an index for each element. */
static mw_id take_along(mw_onnx_call *call, mw_id x, mw_id index, int axis)
{
    int64_t shape[MW_MAX_RANK];
    const int64_t place = axis, one = 1;
    const mw_attr attr[] = {place_attr("axis", &place),
                            place_attr("along", &one)};
    int rank = mw_emit_shape(call, x, shape);
    index = mw_emit_broadcast(call, index, shape, rank);
    return mw_emit(call, "gather", (mw_id[]){x, index}, 2, attr, 2);
}

/* A vector along one axis of a tensor of that rank. */
static mw_id lay_along(mw_onnx_call *call, mw_id v, int axis, int rank)
{
    int64_t shape[MW_MAX_RANK];
    for (int i = 0; i < rank; i++)
        shape[i] = i == axis ? mw_emit_size(call, v, 0) : 1;
    return mw_emit_reshape(call, v, shape, rank);
}

/* The first steps of each example backwards, as many as it has. */
static mw_status reverse_sequence(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x);
    int time = mw_emit_axis(call, mw_onnx_int(call, "time_axis", 0), rank);
    int batch = mw_emit_axis(call, mw_onnx_int(call, "batch_axis", 1), rank);
    MW_TRY(call->status);
    if (time == batch || mw_emit_rank(call, call->in[1]) != 1)
        return mw_onnx_refuse(call,
                              "time_axis %d, batch_axis %d, lengths of rank %d",
                              time, batch, mw_emit_rank(call, call->in[1]));
    mw_id length =
        lay_along(call, mw_emit_cast(call, call->in[1], MW_I64), batch, rank);
    mw_id step = mw_emit_iota(call, mw_emit_size(call, x, time), time, rank);
    mw_id last = mw_emit_by(call, "sub", length, 1.0);
    mw_id index = mw_emit_where(call, mw_emit2(call, "less", step, length),
                                mw_emit2(call, "sub", last, step), step);
    return mw_emit_set(call, 0, take_along(call, x, index, time));
}

/* ---- CenterCropPad ---- */

static mw_status center_crop_pad(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x);
    mw_onnx_list axes = mw_onnx_ints(call, "axes");
    mw_onnx_list shape = mw_onnx_in_ints(call, 1);
    MW_TRY(call->status);
    if (shape.n != (axes.given ? axes.n : rank))
        return mw_onnx_refuse(call, "%d sizes for %d axes", shape.n,
                              axes.given ? axes.n : rank);
    for (int i = 0; i < shape.n; i++) {
        int axis = mw_emit_axis(call, axes.given ? axes.v[i] : i, rank);
        MW_TRY(call->status);
        int64_t n = mw_emit_size(call, x, axis), more = shape.v[i] - n;
        if (shape.v[i] < 0)
            return mw_onnx_refuse(call, "size %lld of axis %d",
                                  (long long)shape.v[i], axis);
        if (more < 0)
            x = mw_emit_slice(call, x, axis, -more / 2, 1, shape.v[i]);
        else if (more > 0)
            x = mw_emit_pad(call, x, axis, more / 2, more - more / 2, 0.0);
    }
    return mw_emit_set(call, 0, x);
}

/* ---- Col2Im ---- */

/* Columns back in their places, summed up where they overlap: where each
 * element of a column of each position goes, or the image's size when it is
 * outside. */
typedef struct columns {
    int n;
    const int64_t *image, *block;
    int64_t stride[MW_MAX_RANK], dilation[MW_MAX_RANK], pad[MW_MAX_RANK];
    int64_t steps[MW_MAX_RANK];
    int64_t pixels, taps, positions;
} columns;

static void read_list(mw_onnx_call *call, const char *name, int n,
                      int64_t otherwise, int64_t v[])
{
    mw_onnx_list list = mw_onnx_ints(call, name);
    if (list.given && list.n < n)
        (void)mw_onnx_refuse(call, "%s has %d numbers, wanted %d", name, list.n,
                             n);
    for (int i = 0; i < n; i++)
        v[i] = list.given && i < list.n ? list.v[i] : otherwise;
}

static mw_status read_columns(mw_onnx_call *call, columns *c)
{
    int64_t pads[2 * MW_MAX_RANK];
    mw_onnx_list image = mw_onnx_in_ints(call, 1);
    mw_onnx_list block = mw_onnx_in_ints(call, 2);
    MW_TRY(call->status);
    *c = (columns){.n = image.n,
                   .image = image.v,
                   .block = block.v,
                   .pixels = 1,
                   .taps = 1,
                   .positions = 1};
    if (image.n != block.n || image.n > MW_MAX_RANK - 2)
        return mw_onnx_refuse(call, "an image of %d axes, blocks of %d",
                              image.n, block.n);
    read_list(call, "strides", c->n, 1, c->stride);
    read_list(call, "dilations", c->n, 1, c->dilation);
    read_list(call, "pads", 2 * c->n, 0, pads);
    for (int i = 0; i < c->n; i++) {
        c->pad[i] = pads[i];
        int64_t reach = c->dilation[i] * (c->block[i] - 1) + 1;
        int64_t room = c->image[i] + pads[i] + pads[i + c->n] - reach;
        if (c->stride[i] < 1 || c->block[i] < 1 || c->image[i] < 1 || room < 0)
            return mw_onnx_refuse(call, "a block does not fit along axis %d",
                                  i);
        c->steps[i] = room / c->stride[i] + 1;
        c->pixels *= c->image[i];
        c->taps *= c->block[i];
        c->positions *= c->steps[i];
    }
    return call->status;
}

static int64_t pixel_of(const columns *c, int64_t tap, int64_t position)
{
    int64_t pixel = 0, each = 1;
    for (int i = c->n - 1; i >= 0; i--) {
        int64_t at = position % c->steps[i] * c->stride[i] +
                     tap % c->block[i] * c->dilation[i] - c->pad[i];
        if (at < 0 || at >= c->image[i])
            return c->pixels;
        pixel += at * each;
        each *= c->image[i];
        position /= c->steps[i];
        tap /= c->block[i];
    }
    return pixel;
}

static mw_status col2im(mw_onnx_call *call)
{
    columns c;
    int64_t s[MW_MAX_RANK], shape[MW_MAX_RANK];
    MW_TRY(read_columns(call, &c));
    if (mw_emit_shape(call, call->in[0], s) != 3 || s[1] % c.taps != 0 ||
        s[2] != c.positions)
        return mw_onnx_refuse(call,
                              "the input has no columns of %lld taps at %lld "
                              "positions",
                              (long long)c.taps, (long long)c.positions);
    int64_t *at = MW_NEW_ARRAY(call->arena, c.taps * c.positions, int64_t);
    if (!at)
        return MW_ENOMEM;
    for (int64_t k = 0; k < c.taps * c.positions; k++)
        at[k] = pixel_of(&c, k / c.positions, k % c.positions);
    const int64_t flat[] = {s[0], s[1] / c.taps, c.taps * c.positions};
    const int64_t axis = 2, size = c.pixels + 1, along = 0;
    const mw_attr attr[] = {place_attr("axis", &axis),
                            place_attr("size", &size),
                            place_attr("along", &along)};
    mw_id in[] = {mw_emit_reshape(call, call->in[0], flat, 3),
                  mw_emit_vector(call, at, c.taps * c.positions)};
    mw_id y = mw_emit(call, "scatter_add", in, 2, attr, 3);
    y = mw_emit_slice(call, y, 2, 0, 1, c.pixels);
    shape[0] = flat[0];
    shape[1] = flat[1];
    for (int i = 0; i < c.n; i++)
        shape[i + 2] = c.image[i];
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, shape, c.n + 2));
}

/* ---- MaxUnpool, TensorScatter ---- */

static mw_id put(mw_onnx_call *call, const mw_id in[3], int64_t axis,
                 int64_t along)
{
    const mw_attr attr[] = {
        place_attr("axis", &axis),
        place_attr("along", &along),
        {.name = "mode", .kind = MW_ATTR_TEXT, .text = "set"}};
    return mw_emit(call, "scatter", in, 3, attr, 3);
}

/* Values at their places in what was pooled, zeros elsewhere; a larger shape
 * that is asked for is reached by zeros behind. */
static mw_status max_unpool(mw_onnx_call *call)
{
    int64_t s[MW_MAX_RANK], kernel[MW_MAX_RANK], stride[MW_MAX_RANK];
    int64_t pads[2 * MW_MAX_RANK], all = 1;
    mw_id x = call->in[0];
    int rank = mw_emit_shape(call, x, s), n = rank - 2;
    int64_t count = mw_tensor_elements(mw_emit_tensor(call, x));
    if (n < 1)
        return mw_onnx_refuse(call, "input has rank %d, wanted 3 or more",
                              rank);
    read_list(call, "kernel_shape", n, 1, kernel);
    read_list(call, "strides", n, 1, stride);
    read_list(call, "pads", 2 * n, 0, pads);
    mw_onnx_list wanted = mw_onnx_in_ints(call, 2);
    MW_TRY(call->status);
    for (int i = 0; i < n; i++)
        s[i + 2] =
            (s[i + 2] - 1) * stride[i] + kernel[i] - pads[i] - pads[i + n];
    for (int i = 0; i < rank; i++) {
        all *= s[i];
        if (s[i] < 0 ||
            (wanted.given && (wanted.n != rank || wanted.v[i] < s[i])))
            return mw_onnx_refuse(call, "axis %d would have size %lld", i,
                                  (long long)s[i]);
    }
    mw_id zeros = mw_emit_broadcast(call, mw_emit_like(call, x, 0.0), &all, 1);
    mw_id index = mw_emit_cast(call, call->in[1], MW_I64);
    const mw_id in[] = {zeros, mw_emit_reshape(call, index, &count, 1),
                        mw_emit_reshape(call, x, &count, 1)};
    mw_id y = mw_emit_reshape(call, put(call, in, 0, 0), s, rank);
    for (int i = 0; wanted.given && i < rank; i++)
        if (wanted.v[i] > s[i])
            y = mw_emit_pad(call, y, i, 0, wanted.v[i] - s[i], 0.0);
    return mw_emit_set(call, 0, y);
}

/* Updates of a cache, from each example's own place on. */
static mw_status tensor_scatter(mw_onnx_call *call)
{
    int64_t s[MW_MAX_RANK];
    mw_id cache = call->in[0], update = call->in[1];
    int rank = mw_emit_shape(call, update, s);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", -2), rank);
    const char *mode = mw_onnx_text(call, "mode", "linear");
    bool circular = strcmp(mode, "circular") == 0;
    MW_TRY(call->status);
    if (mw_emit_rank(call, cache) != rank || axis == 0 ||
        (!circular && strcmp(mode, "linear") != 0))
        return mw_onnx_refuse(call, "axis %d of rank %d, mode '%s'", axis,
                              mw_emit_rank(call, cache), mode);
    int64_t room = mw_emit_size(call, cache, axis);
    mw_id index = mw_emit_iota(call, s[axis], axis, rank);
    if (mw_onnx_has(call, 2)) {
        mw_id first = mw_emit_cast(call, call->in[2], MW_I64);
        index = mw_emit2(call, "add", index, lay_along(call, first, 0, rank));
    }
    if (circular)
        index = mw_emit_by(call, "mod", index, (double)room);
    const mw_id in[] = {cache, mw_emit_broadcast(call, index, s, rank), update};
    return mw_emit_set(call, 0, put(call, in, axis, 1));
}

/* ---- ai.onnx.ml ---- */

/* Chosen elements of the last axis. */
static mw_status extract_features(mw_onnx_call *call)
{
    mw_id x = call->in[0], index = mw_emit_cast(call, call->in[1], MW_I64);
    int64_t n = mw_tensor_elements(mw_emit_tensor(call, index));
    if (mw_emit_rank(call, x) == 1)
        x = mw_emit_unsqueeze(call, x, 0);
    int last = mw_emit_rank(call, x) - 1;
    MW_TRY(call->status);
    if (last < 0)
        return mw_onnx_refuse(call, "input has rank 0, wanted 1 or more");
    index = mw_emit_reshape(call, index, &n, 1);
    return mw_emit_set(call, 0, mw_emit_gather(call, x, index, last));
}

static mw_status binarize(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    double limit = mw_onnx_float(call, "threshold", 0.0);
    mw_id above = mw_emit_by(call, "greater", x, limit);
    return mw_emit_set(call, 0,
                       mw_emit_cast(call, above, mw_emit_dtype(call, x)));
}

static const mw_onnx_rule rules[] = {
    {.op = "ArrayFeatureExtractor",
     .domain = "ai.onnx.ml",
     .since = 1,
     .min_in = 2,
     .max_in = 2,
     .build = extract_features},
    {.op = "Binarizer",
     .domain = "ai.onnx.ml",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "threshold",
     .build = binarize},
    {.op = "CenterCropPad",
     .since = 18,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axes",
     .build = center_crop_pad},
    {.op = "Col2Im",
     .since = 18,
     .min_in = 3,
     .max_in = 3,
     .attrs = "dilations pads strides",
     .build = col2im},
    {.op = "Hardmax",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis",
     .build = hardmax},
    {.op = "MaxUnpool",
     .since = 9,
     .min_in = 2,
     .max_in = 3,
     .attrs = "kernel_shape pads strides",
     .build = max_unpool},
    {.op = "ReverseSequence",
     .since = 10,
     .min_in = 2,
     .max_in = 2,
     .attrs = "batch_axis time_axis",
     .build = reverse_sequence},
    {.op = "TensorScatter",
     .since = 24,
     .min_in = 2,
     .max_in = 3,
     .attrs = "axis mode",
     .build = tensor_scatter},
    {0},
};

const mw_onnx_def mw_onnx_arrange = {
    .brief = "elements reversed, placed or summed up", .rules = rules};
