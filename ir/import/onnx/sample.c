/*
 * sample.c - images read at places between their points: a look-up for each of
 * the points around a place, times its weight.
 */
#include <string.h>

#include "ir/import/emit.h"

enum { MAX_AXES = 3, MAX_TAPS = 4 };

typedef enum edge { EDGE_ZEROS, EDGE_BORDER, EDGE_REFLECTION } edge;

/* Values of x [b, c, sizes] at m places of each example. */
typedef struct sampling {
    mw_onnx_call *call;
    mw_id x;
    int n, taps; /* 1: the nearest point, 2: linear, 4: cubic */
    edge edge;
    bool align; /* -1 and 1 are the outer points, not their outer edges */
    int64_t batch, channels, size[MAX_AXES];
    mw_id at[MAX_AXES]; /* [b, m], places along each axis */
    mw_id index[MAX_AXES][MAX_TAPS], weight[MAX_AXES][MAX_TAPS];
} sampling;

static mw_id by(sampling *s, const char *def, mw_id x, double number)
{
    return mw_emit_by(s->call, def, x, number);
}

static mw_id two(sampling *s, const char *def, mw_id a, mw_id b)
{
    return mw_emit2(s->call, def, a, b);
}

/* Mirrored at low and high as often as it takes. */
static mw_id reflected(sampling *s, mw_id x, double low, double high)
{
    double range = high - low;
    if (range <= 0.0)
        return mw_emit_like(s->call, x, low);
    mw_id turn = by(s, "mod", by(s, "sub", x, low), 2.0 * range);
    mw_id back = two(s, "sub", mw_emit_like(s->call, turn, 2.0 * range), turn);
    return by(s, "add", two(s, "min", turn, back), low);
}

static mw_id clamped(sampling *s, mw_id x, double most)
{
    return by(s, "min", by(s, "max", x, 0.0), most);
}

/* A place, or a point, brought to where the image is. */
static mw_id brought(sampling *s, mw_id x, int axis)
{
    double last = (double)s->size[axis] - 1.0;
    if (s->edge == EDGE_REFLECTION)
        return s->align ? reflected(s, x, 0.0, last)
                        : reflected(s, x, -0.5, last + 0.5);
    return s->edge == EDGE_BORDER ? clamped(s, x, last) : x;
}

static void add_tap(sampling *s, int axis, int tap, mw_id point, mw_id weight)
{
    mw_onnx_call *call = s->call;
    double last = (double)s->size[axis] - 1.0;
    if (s->edge == EDGE_ZEROS) {
        mw_id inside = two(s, "and", by(s, "greater_equal", point, 0.0),
                           by(s, "less_equal", point, last));
        weight = mw_emit_where(call, inside, weight,
                               mw_emit_like(call, weight, 0.0));
    }
    point = clamped(s, brought(s, point, axis), last);
    s->index[axis][tap] = mw_emit_cast(call, point, MW_I64);
    s->weight[axis][tap] = weight;
}

/* Keys' cubic of a point at distance d, in [0, 1) or in [1, 2). */
static mw_id cubic(sampling *s, mw_id d, bool near)
{
    const double a = -0.75;
    const double c[4] = {near ? a + 2.0 : a, near ? -a - 3.0 : -5.0 * a,
                         near ? 0.0 : 8.0 * a, near ? 1.0 : -4.0 * a};
    mw_id y = by(s, "add", by(s, "mul", d, c[0]), c[1]);
    y = by(s, "add", two(s, "mul", y, d), c[2]);
    return by(s, "add", two(s, "mul", y, d), c[3]);
}

static void weigh_axis(sampling *s, int axis)
{
    mw_onnx_call *call = s->call;
    mw_id x = s->at[axis];
    if (s->taps == 1) {
        x = brought(s, mw_emit1(call, "round", x), axis);
        add_tap(s, axis, 0, mw_emit1(call, "round", x),
                mw_emit_like(call, x, 1.0));
        return;
    }
    x = brought(s, x, axis);
    mw_id base = mw_emit1(call, "floor", x), rest = two(s, "sub", x, base);
    mw_id left = two(s, "sub", mw_emit_like(call, rest, 1.0), rest);
    if (s->taps == 2) {
        add_tap(s, axis, 0, base, left);
        add_tap(s, axis, 1, by(s, "add", base, 1.0), rest);
        return;
    }
    add_tap(s, axis, 0, by(s, "sub", base, 1.0),
            cubic(s, by(s, "add", rest, 1.0), false));
    add_tap(s, axis, 1, base, cubic(s, rest, true));
    add_tap(s, axis, 2, by(s, "add", base, 1.0), cubic(s, left, true));
    add_tap(s, axis, 3, by(s, "add", base, 2.0),
            cubic(s, by(s, "add", left, 1.0), false));
}

/* [b, c, m] of the points that tap number `tap` of each axis names. */
static mw_id read_taps(sampling *s, const int tap[], mw_id *weight)
{
    static const int64_t place = 2, one = 1;
    mw_onnx_call *call = s->call;
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &place},
        {.name = "along", .kind = MW_ATTR_INT, .n = 1, .i = &one}};
    mw_id index = s->index[0][tap[0]];
    *weight = s->weight[0][tap[0]];
    for (int a = 1; a < s->n; a++) {
        index = two(s, "add", by(s, "mul", index, (double)s->size[a]),
                    s->index[a][tap[a]]);
        *weight = two(s, "mul", *weight, s->weight[a][tap[a]]);
    }
    const int64_t shape[] = {s->batch, s->channels,
                             mw_emit_size(call, index, 1)};
    index =
        mw_emit_broadcast(call, mw_emit_unsqueeze(call, index, 1), shape, 3);
    *weight = mw_emit_unsqueeze(call, *weight, 1);
    return mw_emit(call, "gather", (mw_id[]){s->x, index}, 2, attr, 2);
}

/* [b, c, m]: the sum over the points around, or the greatest of the weighted
 * points. */
static mw_id sampled(sampling *s, const char *meet)
{
    int64_t shape[] = {s->batch, s->channels, 1};
    int tap[MAX_AXES] = {0}, a = 0;
    mw_id sum = MW_NONE;
    for (int i = 0; i < s->n; i++) {
        shape[2] *= s->size[i];
        weigh_axis(s, i);
    }
    s->x = mw_emit_reshape(s->call, s->x, shape, 3);
    while (a >= 0 && s->call->status == MW_OK) {
        mw_id weight, value = read_taps(s, tap, &weight);
        value = two(s, "mul", value, weight);
        sum = sum == MW_NONE ? value : two(s, meet, sum, value);
        for (a = s->n - 1; a >= 0 && ++tap[a] == s->taps; a--)
            tap[a] = 0;
    }
    return sum;
}

static mw_status open_image(mw_onnx_call *call, sampling *s)
{
    int64_t shape[MW_MAX_RANK];
    *s = (sampling){.call = call, .x = call->in[0], .taps = 2};
    int rank = mw_emit_shape(call, s->x, shape);
    MW_TRY(call->status);
    if (rank < 3 || rank > 2 + MAX_AXES)
        return mw_onnx_refuse(call, "input has rank %d, wanted 3 to %d", rank,
                              2 + MAX_AXES);
    s->n = rank - 2;
    s->batch = shape[0];
    s->channels = shape[1];
    for (int i = 0; i < s->n; i++)
        s->size[i] = shape[i + 2];
    return MW_OK;
}

/* ---- GridSample, AffineGrid ---- */

/* [b, m] of [-1, 1] as a place; the grid's last axis begins with the image's
 * last one. */
static mw_id place_of(sampling *s, mw_id grid, int axis)
{
    mw_onnx_call *call = s->call;
    double n = (double)s->size[axis];
    mw_id x = mw_emit_slice(call, grid, 2, s->n - 1 - axis, 1, 1);
    x = by(s, "add", mw_emit_squeeze(call, x, 2), 1.0);
    x = by(s, "mul", x, (s->align ? n - 1.0 : n) / 2.0);
    return s->align ? x : by(s, "sub", x, 0.5);
}

static mw_status read_modes(mw_onnx_call *call, sampling *s)
{
    static const struct {
        const char *name;
        int taps;
    } modes[] = {{"nearest", 1}, {"linear", 2},  {"bilinear", 2},
                 {"cubic", 4},   {"bicubic", 4}, {NULL, 0}};
    static const char *const edges[] = {"zeros", "border", "reflection", NULL};
    const char *mode = mw_onnx_text(call, "mode", "linear");
    const char *padding = mw_onnx_text(call, "padding_mode", "zeros");
    int i = 0, k = 0;
    while (modes[i].name && strcmp(modes[i].name, mode) != 0)
        i++;
    while (edges[k] && strcmp(edges[k], padding) != 0)
        k++;
    if (!modes[i].name || !edges[k])
        return mw_onnx_refuse(call, "mode '%s', padding_mode '%s'", mode,
                              padding);
    s->taps = modes[i].taps;
    s->edge = (edge)k;
    s->align = mw_onnx_int(call, "align_corners", 0) != 0;
    return call->status;
}

static mw_status grid_sample(mw_onnx_call *call)
{
    sampling s;
    int64_t g[MW_MAX_RANK], out[MW_MAX_RANK], flat[3] = {0, 1, 0};
    MW_TRY(open_image(call, &s));
    MW_TRY(read_modes(call, &s));
    int rank = mw_emit_shape(call, call->in[1], g);
    if (rank != s.n + 2 || g[0] != s.batch || g[rank - 1] != s.n)
        return mw_onnx_refuse(call,
                              "the grid has %d axes, wanted %d for %lld "
                              "examples",
                              rank, s.n + 2, (long long)s.batch);
    out[0] = flat[0] = s.batch;
    out[1] = s.channels;
    flat[2] = s.n;
    for (int i = 1; i < rank - 1; i++) {
        flat[1] *= g[i];
        out[i + 1] = g[i];
    }
    mw_id grid = mw_emit_reshape(call, call->in[1], flat, 3);
    for (int i = 0; i < s.n; i++)
        s.at[i] = place_of(&s, grid, i);
    mw_id y = sampled(&s, "add");
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, out, rank));
}

/* Points of [-1, 1] along an axis of n, as one axis of a tensor. */
static mw_id spread(mw_onnx_call *call, int64_t n, int axis, int rank,
                    bool align)
{
    mw_id i = mw_emit_cast(call, mw_emit_iota(call, n, axis, rank), MW_F64);
    double step = align ? n > 1 ? 2.0 / (double)(n - 1) : 0.0 : 2.0 / (double)n;
    double first = align ? -1.0 : step / 2.0 - 1.0;
    return mw_emit_by(call, "add", mw_emit_by(call, "mul", i, step), first);
}

/* Each point of an image turned and moved by its example's matrix. */
static mw_status affine_grid(mw_onnx_call *call)
{
    mw_onnx_list size = mw_onnx_in_ints(call, 1);
    bool align = mw_onnx_int(call, "align_corners", 0) != 0;
    int64_t shape[MW_MAX_RANK], flat[2] = {1, 0}, out[MW_MAX_RANK];
    mw_id part[MAX_AXES + 1];
    MW_TRY(call->status);
    int n = size.n - 2;
    if (n < 2 || n > MAX_AXES || mw_emit_rank(call, call->in[0]) != 3 ||
        mw_emit_size(call, call->in[0], 1) != n ||
        mw_emit_size(call, call->in[0], 2) != n + 1)
        return mw_onnx_refuse(call, "%d sizes do not fit the matrices", size.n);
    for (int i = 0; i < n; i++) {
        shape[i] = size.v[i + 2];
        flat[0] *= shape[i];
        out[i + 1] = shape[i];
    }
    flat[1] = 1;
    out[0] = size.v[0];
    out[n + 1] = n;
    mw_dtype dtype = mw_emit_dtype(call, call->in[0]);
    for (int i = 0; i <= n; i++) {
        mw_id x = i < n ? spread(call, shape[n - 1 - i], n - 1 - i, n, align)
                        : mw_emit_number(call, MW_F64, 1.0);
        x = mw_emit_broadcast(call, x, shape, n);
        part[i] = mw_emit_cast(call, mw_emit_reshape(call, x, flat, 2), dtype);
    }
    mw_id base = mw_emit_concat(call, part, n + 1, 1);
    mw_id y =
        mw_emit_einsum(call, "bij,mj->bmi", (mw_id[]){call->in[0], base}, 2);
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, out, n + 2));
}

/* ---- RoiAlign ---- */

/* Samples of a box along an axis: [boxes, out * ratio], and whether they lie
 * outside by more than a point. */
typedef struct boxes {
    sampling s;
    double scale, shift;
    bool widened; /* to a point at least */
    int64_t n, out[2], ratio;
} boxes;

static mw_id column(mw_onnx_call *call, mw_id rois, int i)
{
    return mw_emit_slice(call, rois, 1, i, 1, 1);
}

static mw_id box_places(boxes *b, mw_id rois, int axis)
{
    mw_onnx_call *call = b->s.call;
    sampling *s = &b->s;
    int64_t count = b->out[axis] * b->ratio;
    mw_id from = by(s, "mul", column(call, rois, 1 - axis), b->scale);
    mw_id to = by(s, "mul", column(call, rois, 3 - axis), b->scale);
    mw_id length = two(s, "sub", to, from);
    if (b->widened)
        length = by(s, "max", length, 1.0);
    mw_id step = mw_emit_cast(call, mw_emit_iota(call, count, 1, 2),
                              mw_emit_dtype(call, rois));
    mw_id part = by(s, "div", by(s, "add", step, 0.5), (double)count);
    mw_id at = two(s, "add", from, two(s, "mul", part, length));
    return by(s, "sub", at, b->shift);
}

/* Places along both axes as [boxes, m]; what lies too far out is moved there,
 * where nothing is. */
static void cross_places(boxes *b, mw_id rois)
{
    mw_onnx_call *call = b->s.call;
    sampling *s = &b->s;
    int64_t h = b->out[0] * b->ratio, w = b->out[1] * b->ratio;
    const int64_t all[] = {b->n, h, w}, flat[] = {b->n, h * w};
    mw_id at[2], far[2];
    for (int axis = 0; axis < 2; axis++) {
        mw_id x = mw_emit_unsqueeze(call, box_places(b, rois, axis), 2 - axis);
        double last = (double)s->size[axis] - 1.0;
        far[axis] = two(s, "or", by(s, "less", x, -1.0),
                        by(s, "greater", x, last + 1.0));
        at[axis] = clamped(s, x, last);
    }
    mw_id out = two(s, "or", far[0], far[1]);
    for (int axis = 0; axis < 2; axis++) {
        mw_id x = mw_emit_where(call, out, mw_emit_like(call, at[axis], -9.0),
                                at[axis]);
        x = mw_emit_broadcast(call, x, all, 3);
        s->at[axis] = mw_emit_reshape(call, x, flat, 2);
    }
}

static mw_status read_boxes(mw_onnx_call *call, boxes *b)
{
    const char *usual = call->opset < 16 ? "output_half_pixel" : "half_pixel";
    const char *mode =
        mw_onnx_text(call, "coordinate_transformation_mode", usual);
    b->widened = strcmp(mode, "output_half_pixel") == 0;
    b->shift = b->widened ? 0.0 : 0.5;
    b->scale = mw_onnx_float(call, "spatial_scale", 1.0);
    b->out[0] = mw_onnx_int(call, "output_height", 1);
    b->out[1] = mw_onnx_int(call, "output_width", 1);
    b->ratio = mw_onnx_int(call, "sampling_ratio", 0);
    MW_TRY(call->status);
    if (b->ratio < 1 || b->out[0] < 1 || b->out[1] < 1)
        return mw_onnx_refuse(call,
                              "a sampling_ratio of %lld is not supported: how "
                              "many samples there are would depend on the "
                              "boxes",
                              (long long)b->ratio);
    b->n = mw_emit_size(call, call->in[1], 0);
    if (b->s.n != 2 || mw_emit_rank(call, call->in[1]) != 2 ||
        mw_emit_size(call, call->in[1], 1) != 4)
        return mw_onnx_refuse(call, "boxes are no rows of four numbers, or "
                                    "the input is no image");
    return MW_OK;
}

static mw_status roi_align(mw_onnx_call *call)
{
    boxes b;
    MW_TRY(open_image(call, &b.s));
    MW_TRY(read_boxes(call, &b));
    bool most = strcmp(mw_onnx_text(call, "mode", "avg"), "max") == 0;
    mw_id which = mw_emit_cast(call, call->in[2], MW_I64);
    b.s.x = mw_emit_gather(call, b.s.x, which, 0);
    b.s.batch = b.n;
    cross_places(&b, call->in[1]);
    mw_id y = sampled(&b.s, most ? "max" : "add");
    const int64_t apart[] = {b.n,     b.s.channels, b.out[0],
                             b.ratio, b.out[1],     b.ratio};
    const mw_axes samples = {.n = 2, .axis = {3, 5}};
    y = mw_emit_reshape(call, y, apart, 6);
    y = most ? mw_emit_reduce(call, "reduce_max", y, &samples, false)
             : mw_emit_mean(call, y, &samples, false);
    return mw_emit_set(call, 0, y);
}

/* ---- DeformConv ---- */

/* Of each of two axes: the kernel, the result, and how the one goes along the
 * other. */
typedef struct deformed {
    sampling s;
    int64_t kernel[2], out[2], stride[2], dilation[2], pad[4];
    int64_t groups, offsets, taps, points;
} deformed;

static void read_pairs(mw_onnx_call *call, const char *name, int n,
                       int64_t otherwise, int64_t v[])
{
    mw_onnx_list list = mw_onnx_ints(call, name);
    if (list.given && list.n != n)
        (void)mw_onnx_refuse(call, "%s has %d numbers, wanted %d", name, list.n,
                             n);
    for (int i = 0; i < n; i++)
        v[i] = list.given && list.n == n ? list.v[i] : otherwise;
}

static mw_status read_deformed(mw_onnx_call *call, deformed *d)
{
    mw_id w = call->in[1], offset = call->in[2];
    MW_TRY(open_image(call, &d->s));
    if (d->s.n != 2 || mw_emit_rank(call, w) != 4 ||
        mw_emit_rank(call, offset) != 4)
        return mw_onnx_refuse(call, "more than two axes are not supported");
    read_pairs(call, "strides", 2, 1, d->stride);
    read_pairs(call, "dilations", 2, 1, d->dilation);
    read_pairs(call, "pads", 4, 0, d->pad);
    d->groups = mw_onnx_int(call, "group", 1);
    d->offsets = mw_onnx_int(call, "offset_group", 1);
    for (int i = 0; i < 2; i++) {
        d->kernel[i] = mw_emit_size(call, w, 2 + i);
        d->out[i] = mw_emit_size(call, offset, 2 + i);
    }
    d->taps = d->kernel[0] * d->kernel[1];
    d->points = d->out[0] * d->out[1];
    MW_TRY(call->status);
    if (d->groups < 1 || d->offsets < 1 || d->s.channels % d->groups != 0 ||
        d->s.channels % d->offsets != 0 ||
        mw_emit_size(call, w, 0) % d->groups != 0 ||
        mw_emit_size(call, w, 1) * d->groups != d->s.channels ||
        mw_emit_size(call, offset, 1) != d->offsets * d->taps * 2)
        return mw_onnx_refuse(call, "%lld groups, %lld of offsets, do not fit",
                              (long long)d->groups, (long long)d->offsets);
    return MW_OK;
}

/* Where tap k meets point p without an offset: [1, taps, points]. */
static mw_id met(deformed *d, int axis, mw_dtype dtype)
{
    mw_onnx_call *call = d->s.call;
    sampling *s = &d->s;
    const int64_t all[] = {d->kernel[0], d->kernel[1], d->out[0], d->out[1]};
    const int64_t flat[] = {1, d->taps, d->points};
    mw_id tap = mw_emit_iota(call, d->kernel[axis], axis, 4);
    mw_id point = mw_emit_iota(call, d->out[axis], 2 + axis, 4);
    mw_id at = two(s, "add", by(s, "mul", tap, (double)d->dilation[axis]),
                   by(s, "mul", point, (double)d->stride[axis]));
    at = by(s, "sub", at, (double)d->pad[axis]);
    at = mw_emit_reshape(call, mw_emit_broadcast(call, at, all, 4), flat, 3);
    return mw_emit_cast(call, at, dtype);
}

/* Each group of offsets is an example of its own. */
static mw_id columns_of(deformed *d)
{
    mw_onnx_call *call = d->s.call;
    sampling *s = &d->s;
    int64_t batch = s->batch * d->offsets, n = d->taps * d->points;
    const int64_t image[] = {batch, s->channels / d->offsets, s->size[0],
                             s->size[1]};
    const int64_t pairs[] = {batch, d->taps, 2, d->points};
    const int64_t flat[] = {batch, n}, row[] = {batch, 1, n};
    mw_id offset = mw_emit_reshape(call, call->in[2], pairs, 4);
    for (int axis = 0; axis < 2; axis++) {
        mw_id by_tap = mw_emit_slice(call, offset, 2, axis, 1, 1);
        mw_id at = two(s, "add", mw_emit_squeeze(call, by_tap, 2),
                       met(d, axis, mw_emit_dtype(call, offset)));
        s->at[axis] = mw_emit_reshape(call, at, flat, 2);
    }
    s->x = mw_emit_reshape(call, s->x, image, 4);
    s->batch = batch;
    s->channels = image[1];
    mw_id y = sampled(s, "add");
    if (mw_onnx_has(call, 4))
        y = two(s, "mul", y, mw_emit_reshape(call, call->in[4], row, 3));
    return y;
}

static mw_status deform_conv(mw_onnx_call *call)
{
    deformed d;
    MW_TRY(read_deformed(call, &d));
    int64_t batch = d.s.batch, in = d.s.channels / d.groups;
    int64_t made = mw_emit_size(call, call->in[1], 0);
    const int64_t windows[] = {batch, d.groups, in, d.taps, d.points};
    const int64_t weights[] = {d.groups, made / d.groups, in, d.taps};
    const int64_t shape[] = {batch, made, d.out[0], d.out[1]};
    const int64_t bias[] = {made, 1, 1};
    mw_id x = mw_emit_reshape(call, columns_of(&d), windows, 5);
    mw_id w = mw_emit_reshape(call, call->in[1], weights, 4);
    mw_id y = mw_emit_einsum(call, "ngckp,gock->ngop", (mw_id[]){x, w}, 2);
    y = mw_emit_reshape(call, y, shape, 4);
    if (mw_onnx_has(call, 3))
        y = mw_emit2(call, "add", y,
                     mw_emit_reshape(call, call->in[3], bias, 3));
    return mw_emit_set(call, 0, y);
}

static const mw_onnx_rule rules[] = {
    {.op = "DeformConv",
     .since = 19,
     .min_in = 3,
     .max_in = 5,
     .attrs = "dilations group kernel_shape offset_group pads strides",
     .build = deform_conv},
    {.op = "AffineGrid",
     .since = 20,
     .min_in = 2,
     .max_in = 2,
     .attrs = "align_corners",
     .build = affine_grid},
    {.op = "GridSample",
     .since = 16,
     .min_in = 2,
     .max_in = 2,
     .attrs = "align_corners mode padding_mode",
     .build = grid_sample},
    {.op = "RoiAlign",
     .since = 10,
     .min_in = 3,
     .max_in = 3,
     .attrs = "coordinate_transformation_mode mode output_height output_width "
              "sampling_ratio spatial_scale",
     .build = roi_align},
    {0},
};

const mw_onnx_def mw_onnx_sample = {.brief = "images read between their points",
                                    .rules = rules};
