/*
 * resize.c - Resize and Upsample, axis by axis: an axis of the result is a
 * look-up (nearest) or a contraction with a table of weights (linear, cubic),
 * both constants.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/import/emit.h"
#include "ir/number.h"

typedef struct resize {
    mw_onnx_call *call;
    const char *mode, *place, *nearest;
    double cubic, extrapolated;
    bool outside, antialias;
    int n; /* axes that are resized */
    int axis[MW_MAX_RANK];
    double scale[MW_MAX_RANK];
    int64_t size[MW_MAX_RANK];                   /* of the result */
    double begin[MW_MAX_RANK], end[MW_MAX_RANK]; /* region of interest */
} resize;

/* One axis: where its elements come from. */
typedef struct line {
    const resize *r;
    int64_t from, to;
    double scale, begin, end;
} line;

static bool is(const char *text, const char *wanted)
{
    return strcmp(text, wanted) == 0;
}

/* Where element i of the result lies in the input. */
static double source(const line *l, int64_t i)
{
    const char *place = l->r->place;
    double x = (double)i, n = (double)l->from;
    double wide = l->scale * n; /* of the result, before it was rounded */
    if (is(place, "align_corners"))
        return wide <= 1 ? 0 : x * (n - 1) / (wide - 1);
    if (is(place, "asymmetric"))
        return x / l->scale;
    if (is(place, "tf_half_pixel_for_nn"))
        return (x + 0.5) / l->scale;
    if (is(place, "pytorch_half_pixel") && wide <= 1)
        return -0.5;
    if (is(place, "tf_crop_and_resize") && l->to <= 1)
        return 0.5 * (l->begin + l->end) * (n - 1);
    if (is(place, "tf_crop_and_resize"))
        return l->begin * (n - 1) +
               x * (l->end - l->begin) * (n - 1) / ((double)l->to - 1);
    double half = (x + 0.5) / l->scale - 0.5;
    if (is(place, "half_pixel_symmetric"))
        half += n / 2 * (1 - (double)l->to / wide);
    return half;
}

static bool is_outside(const line *l, double at)
{
    return is(l->r->place, "tf_crop_and_resize") &&
           (at < 0 || at > (double)(l->from - 1));
}

static int64_t within(const line *l, double at)
{
    double most = (double)(l->from - 1);
    return (int64_t)(at < 0 ? 0 : at > most ? most : at);
}

static int64_t nearest(const line *l, int64_t i)
{
    const char *how = l->r->nearest;
    double at = source(l, i), low = floor(at);
    bool tie = at - low == 0.5;
    if (is(how, "floor"))
        return within(l, low);
    if (is(how, "ceil"))
        return within(l, ceil(at));
    if (tie)
        return within(l, is(how, "round_prefer_floor") ? low : low + 1);
    return within(l, floor(at + 0.5));
}

/* The filter's weight at a distance; support is half its width. */
static double filter(const resize *r, double d)
{
    double a = r->cubic;
    d = fabs(d);
    if (is(r->mode, "linear"))
        return d < 1 ? 1 - d : 0;
    if (d <= 1)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* A row of the table: the weights of the inputs of element i. */
static void weigh(const line *l, int64_t i, double *row)
{
    const resize *r = l->r;
    double at = source(l, i), sum = 0;
    double wide = r->antialias && l->scale < 1 ? 1 / l->scale : 1;
    double reach = (is(r->mode, "linear") ? 1 : 2) * wide;
    int64_t low = (int64_t)floor(at - reach) - 1;
    int64_t high = (int64_t)ceil(at + reach) + 1;
    for (int64_t k = low; k <= high; k++) {
        double w = filter(r, ((double)k - at) / wide);
        if (r->outside && (k < 0 || k >= l->from))
            continue;
        row[within(l, (double)k)] += w;
        sum += w;
    }
    for (int64_t k = 0; k < l->from && sum != 0; k++)
        row[k] /= sum;
}

static mw_id look_up(mw_onnx_call *call, const line *l, mw_id x, int axis)
{
    int64_t *at = MW_NEW_ARRAY(call->arena, l->to, int64_t);
    if (!at) {
        call->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < l->to; i++)
        at[i] = nearest(l, i);
    return mw_emit_gather(call, x, mw_emit_vector(call, at, l->to), axis);
}

/* "abcd,ec->abed" for the third axis of four. */
static mw_id contract(mw_onnx_call *call, mw_id x, mw_id table, int axis)
{
    char in[MW_MAX_RANK + 1] = "", out[MW_MAX_RANK + 1] = "";
    char spec[3 * MW_MAX_RANK];
    int rank = mw_emit_rank(call, x);
    for (int i = 0; i < rank && i < MW_MAX_RANK; i++) {
        in[i] = (char)('a' + i);
        out[i] = i == axis ? 'z' : in[i];
    }
    (void)snprintf(spec, sizeof spec, "%s,z%c->%s", in, in[axis], out);
    return mw_emit_einsum(call, spec, (mw_id[]){x, table}, 2);
}

static mw_id interpolate(mw_onnx_call *call, const line *l, mw_id x, int axis)
{
    double *row = MW_NEW_ARRAY(call->arena, l->from, double);
    float *table = MW_NEW_ARRAY(call->arena, l->from * l->to, float);
    if (!row || !table) {
        call->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < l->to; i++) {
        memset(row, 0, (size_t)l->from * sizeof *row);
        weigh(l, i, row);
        for (int64_t k = 0; k < l->from; k++)
            table[i * l->from + k] = (float)row[k];
    }
    mw_id weights = mw_emit_const(
        call, &(mw_tensor){.dtype = MW_F32,
                           .rank = 2,
                           .axis = {{.dim = MW_NONE, .size = l->to},
                                    {.dim = MW_NONE, .size = l->from}},
                           .data = {.kind = MW_DATA_MEMORY, .bytes = table}});
    weights = mw_emit_cast(call, weights, mw_emit_dtype(call, x));
    return contract(call, x, weights, axis);
}

/* Elements that come from outside the input get a value of their own. */
static mw_id extrapolate(mw_onnx_call *call, const line *l, mw_id x, int axis)
{
    int rank = mw_emit_rank(call, x);
    int64_t shape[MW_MAX_RANK];
    int64_t *flag = MW_NEW_ARRAY(call->arena, l->to, int64_t);
    bool any = false;
    if (!flag) {
        call->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < l->to; i++) {
        flag[i] = is_outside(l, source(l, i));
        any = any || flag[i];
    }
    if (!any)
        return x;
    for (int i = 0; i < rank; i++)
        shape[i] = i == axis ? l->to : 1;
    mw_id mask = mw_emit_vector(call, flag, l->to);
    mask =
        mw_emit_cast(call, mw_emit_reshape(call, mask, shape, rank), MW_BOOL);
    return mw_emit_where(call, mask, mw_emit_like(call, x, l->r->extrapolated),
                         x);
}

// Integers are interpolated as f32, as ONNX Runtime does, and cut off at the
// end.
static mw_status run(const resize *r)
{
    mw_onnx_call *call = r->call;
    mw_dtype dtype = mw_emit_dtype(call, call->in[0]);
    bool nearest = is(r->mode, "nearest");
    bool mixes = !nearest && mw_dtype_class(dtype) != MW_CLASS_FLOAT;
    mw_id x = call->in[0];
    if (mixes)
        x = mw_emit_cast(call, x, MW_F32);
    for (int k = 0; k < r->n; k++) {
        line l = {.r = r,
                  .from = mw_emit_size(call, x, r->axis[k]),
                  .to = r->size[k],
                  .scale = r->scale[k],
                  .begin = r->begin[k],
                  .end = r->end[k]};
        bool whole = l.begin == 0 && l.end == 1;
        if (l.from == l.to && l.scale == 1 && whole)
            continue;
        if (l.from == 0 || l.to > MW_FOLD_CONST_BYTES / (int64_t)8 ||
            l.to * l.from > MW_FOLD_CONST_BYTES)
            return mw_onnx_refuse(call, "axis %d from %lld to %lld elements",
                                  r->axis[k], (long long)l.from,
                                  (long long)l.to);
        x = nearest ? look_up(call, &l, x, r->axis[k])
                    : interpolate(call, &l, x, r->axis[k]);
        x = extrapolate(call, &l, x, r->axis[k]);
        MW_TRY(call->status);
    }
    if (mixes)
        x = mw_emit_cast(call, x, dtype);
    return mw_emit_set(call, 0, x);
}

/* ---- reading the node ---- */

/* The numbers of a known input; n 0 when it is left out or empty. */
static mw_status known_numbers(mw_onnx_call *call, int i, int most,
                               double out[], int *n)
{
    mw_id id = mw_onnx_in(call, i);
    const void *bytes;
    *n = 0;
    if (id == MW_NONE)
        return MW_OK;
    const mw_tensor tensor = *mw_emit_tensor(call, id);
    int64_t count = mw_tensor_elements(&tensor);
    if (count > most)
        return mw_onnx_refuse(call,
                              "input %d has %lld numbers, wanted at "
                              "most %d",
                              i, (long long)count, most);
    if (!mw_fold_known(call->graph, id))
        return mw_onnx_refuse(call, "input %d must be known to plan", i);
    MW_TRY(mw_fold_read(call->graph, id, call->arena, &bytes));
    for (*n = 0; *n < (int)count; ++*n)
        out[*n] =
            mw_fold_number(tensor.dtype, (const char *)bytes +
                                             *n * mw_dtype_bytes(tensor.dtype));
    return MW_OK;
}

static mw_status read_axes(resize *r, int n)
{
    mw_onnx_list list = mw_onnx_ints(r->call, "axes");
    int rank = mw_emit_rank(r->call, r->call->in[0]);
    r->n = list.given ? list.n : rank;
    for (int k = 0; k < r->n && k < MW_MAX_RANK; k++)
        r->axis[k] = mw_emit_axis(r->call, list.given ? list.v[k] : k, rank);
    MW_TRY(r->call->status);
    if (r->n != n || r->n > rank)
        return mw_onnx_refuse(r->call, "%d scales or sizes for %d axes", n,
                              r->n);
    return MW_OK;
}

/* One scale for all axes, the least or the largest, where the shape is kept. */
static void keep_aspect(resize *r, const char *policy)
{
    if (!is(policy, "not_larger") && !is(policy, "not_smaller"))
        return;
    double scale = r->scale[0];
    for (int k = 1; k < r->n; k++)
        scale = is(policy, "not_larger") ? fmin(scale, r->scale[k])
                                         : fmax(scale, r->scale[k]);
    for (int k = 0; k < r->n; k++) {
        int64_t from = mw_emit_size(r->call, r->call->in[0], r->axis[k]);
        r->scale[k] = scale;
        r->size[k] = (int64_t)floor(scale * (double)from + 0.5);
    }
}

/* An axis without elements stays one, whatever that is of none. */
static double scale_to(double size, int64_t from)
{
    return from == 0 && !(size > 0) ? 1.0 : size / (double)from;
}

static mw_status read_sizes(resize *r, const double scale[], int n_scales,
                            const double size[], int n_sizes)
{
    MW_TRY(read_axes(r, n_sizes ? n_sizes : n_scales));
    for (int k = 0; k < r->n; k++) {
        int64_t from = mw_emit_size(r->call, r->call->in[0], r->axis[k]);
        double wide = (r->end[k] - r->begin[k]) * (double)from;
        r->scale[k] = n_sizes ? scale_to(size[k], from) : scale[k];
        double to = n_sizes ? size[k] : floor(wide * scale[k]);
        if (!(to >= 0 && to <= 0x1p40) || !(r->scale[k] > 0))
            return mw_onnx_refuse(r->call, "axis %d is scaled by %g",
                                  r->axis[k], r->scale[k]);
        r->size[k] = (int64_t)to;
    }
    if (n_sizes)
        keep_aspect(
            r, mw_onnx_text(r->call, "keep_aspect_ratio_policy", "stretch"));
    return r->call->status;
}

static mw_status check_words(const resize *r)
{
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const char *const places[] = {
        "half_pixel",          "align_corners",        "asymmetric",
        "pytorch_half_pixel",  "tf_half_pixel_for_nn", "tf_crop_and_resize",
        "half_pixel_symmetric"};
    bool mode = false, place = false;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        mode = mode || is(r->mode, modes[i]);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        place = place || is(r->place, places[i]);
    if (!mode || !place)
        return mw_onnx_refuse(r->call, "'%s' is not supported",
                              mode ? r->place : r->mode);
    return MW_OK;
}

static mw_status read_region(resize *r)
{
    double roi[2 * MW_MAX_RANK];
    int n = 0;
    for (int k = 0; k < MW_MAX_RANK; k++) {
        r->begin[k] = 0;
        r->end[k] = 1;
    }
    if (!is(r->place, "tf_crop_and_resize"))
        return MW_OK;
    MW_TRY(known_numbers(r->call, 1, 2 * MW_MAX_RANK, roi, &n));
    for (int k = 0; k < n / 2; k++) {
        r->begin[k] = roi[k];
        r->end[k] = roi[k + n / 2];
    }
    return MW_OK;
}

static mw_status resize_rule(mw_onnx_call *call)
{
    bool old = call->opset < 11;
    double scale[MW_MAX_RANK], size[MW_MAX_RANK];
    int n_scales = 0, n_sizes = 0;
    resize r = {.call = call,
                .mode = mw_onnx_text(call, "mode", "nearest"),
                .place = mw_onnx_text(call, "coordinate_transformation_mode",
                                      old ? "asymmetric" : "half_pixel"),
                .nearest = mw_onnx_text(call, "nearest_mode",
                                        old ? "floor" : "round_prefer_floor"),
                .cubic = mw_onnx_float(call, "cubic_coeff_a", -0.75),
                .extrapolated = mw_onnx_float(call, "extrapolation_value", 0),
                .outside = mw_onnx_int(call, "exclude_outside", 0) != 0,
                .antialias = mw_onnx_int(call, "antialias", 0) != 0};
    MW_TRY(check_words(&r));
    MW_TRY(read_region(&r));
    MW_TRY(known_numbers(call, old ? 1 : 2, MW_MAX_RANK, scale, &n_scales));
    if (!old)
        MW_TRY(known_numbers(call, 3, MW_MAX_RANK, size, &n_sizes));
    MW_TRY(read_sizes(&r, scale, n_scales, size, n_sizes));
    return run(&r);
}

/* Scales are an attribute before opset 9, else input 1. */
static mw_status upsample(mw_onnx_call *call)
{
    double scale[MW_MAX_RANK];
    int n = 0;
    const mw_onnx_attr *given = mw_onnx_attr_find(call, "scales");
    resize r = {.call = call,
                .mode = mw_onnx_text(call, "mode", "nearest"),
                .place = "asymmetric",
                .nearest = "floor"};
    if (is(r.mode, "bilinear"))
        r.mode = "linear";
    MW_TRY(check_words(&r));
    MW_TRY(read_region(&r));
    if (!given)
        MW_TRY(known_numbers(call, 1, MW_MAX_RANK, scale, &n));
    for (; given && n < given->n_floats && n < MW_MAX_RANK; n++)
        scale[n] = (double)given->floats[n];
    MW_TRY(read_sizes(&r, scale, n, NULL, 0));
    return run(&r);
}

static const mw_onnx_rule rules[] = {
    {.op = "Resize",
     .since = 10,
     .min_in = 1,
     .max_in = 4,
     .attrs = "antialias axes coordinate_transformation_mode cubic_coeff_a "
              "exclude_outside extrapolation_value keep_aspect_ratio_policy "
              "mode nearest_mode",
     .build = resize_rule},
    {.op = "Upsample",
     .since = 7,
     .min_in = 1,
     .max_in = 2,
     .attrs = "mode scales",
     .build = upsample},
    {0},
};

const mw_onnx_def mw_onnx_resize = {.brief = "images of another size",
                                    .rules = rules};
