/* signal.c - windows, Fourier transforms as matrix products, mel weights. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "ir/fold.h"
#include "ir/import/emit.h"

#define TWO_PI 6.283185307179586476925

/* ---- windows ---- */

/* a - b cos(angle) + c cos(2 angle) at size points of one turn. */
typedef struct cosines {
    const char *op;
    double a, b, c;
} cosines;

static const cosines kinds[] = {{"BlackmanWindow", 0.42, 0.5, 0.08},
                                {"HammingWindow", 25.0 / 46, 21.0 / 46, 0.0},
                                {"HannWindow", 0.5, 0.5, 0.0}};

/* n elements of a type that doubles are written to, as a constant. */
static mw_id constant_of(mw_onnx_call *call, mw_dtype dtype, const double v[],
                         int64_t n)
{
    int64_t width = mw_dtype_bytes(dtype);
    char *bytes = mw_arena_alloc(call->arena, (size_t)(n + 1), (size_t)width);
    if (!bytes) {
        call->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < n; i++)
        mw_fold_element(dtype, v[i], bytes + i * width);
    mw_tensor tensor = {.dtype = dtype,
                        .rank = 1,
                        .axis = {{.dim = MW_NONE, .size = n}},
                        .data = {.kind = MW_DATA_MEMORY, .bytes = bytes}};
    return mw_emit_const(call, &tensor);
}

static mw_status output_type(mw_onnx_call *call, mw_dtype *dtype)
{
    int64_t code = mw_onnx_int(call, "output_datatype", 1);
    if (code < 0 || code > INT16_MAX || !mw_dtype_by_onnx((int)code, dtype))
        return mw_onnx_refuse(call, "element type %lld is not supported",
                              (long long)code);
    return call->status;
}

static mw_status window(mw_onnx_call *call)
{
    const cosines *kind = kinds;
    double size = mw_onnx_in_number(call, 0, 0.0);
    bool periodic = mw_onnx_int(call, "periodic", 1) != 0;
    mw_dtype dtype;
    MW_TRY(output_type(call, &dtype));
    while (strcmp(kind->op, call->node->op) != 0)
        kind++;
    if (!(size >= 1.0 && size <= (double)(MW_FOLD_CONST_BYTES >> 3)))
        return mw_onnx_refuse(call, "size is %g", size);
    int64_t n = (int64_t)size;
    double *v = MW_NEW_ARRAY(call->arena, n, double);
    if (!v)
        return MW_ENOMEM;
    double turn = periodic ? size : size - 1.0;
    for (int64_t i = 0; i < n; i++) {
        double angle = TWO_PI * (double)i / (turn > 0.0 ? turn : 1.0);
        v[i] = kind->a - kind->b * cos(angle) + kind->c * cos(2.0 * angle);
    }
    return mw_emit_set(call, 0, constant_of(call, dtype, v, n));
}

/* ---- mel weights ---- */

static double mel_of(double hertz)
{
    return 2595.0 * log10(1.0 + hertz / 700.0);
}

/* The bin of the spectrum where band i begins; bands overlap by half. */
static int64_t bin_of(int64_t i, int64_t bands, const double edge[2],
                      double bins_a_hertz)
{
    double low = mel_of(edge[0]), high = mel_of(edge[1]);
    double mel = low + (double)i * (high - low) / (double)(bands + 2);
    double hertz = 700.0 * (pow(10.0, mel / 2595.0) - 1.0);
    return (int64_t)floor(hertz * bins_a_hertz);
}

static mw_status mel_weights(mw_onnx_call *call)
{
    double in[5];
    mw_dtype dtype;
    for (int i = 0; i < 5; i++)
        in[i] = mw_onnx_in_number(call, i, 0.0);
    MW_TRY(output_type(call, &dtype));
    if (!(in[0] >= 1.0 && in[0] <= 1e5 && in[1] >= 1.0 && in[1] <= 1e7 &&
          in[2] > 0.0))
        return mw_onnx_refuse(call, "%g bands, length %g, rate %g", in[0],
                              in[1], in[2]);
    int64_t bands = (int64_t)in[0], bins = (int64_t)in[1] / 2 + 1, n;
    if (!mw_mul_fits(bands, bins, &n) || n > MW_FOLD_CONST_BYTES >> 3)
        return mw_onnx_refuse(call, "%lld x %lld weights are too many",
                              (long long)bins, (long long)bands);
    double *v = MW_NEW_ARRAY(call->arena, n, double);
    if (!v)
        return MW_ENOMEM;
    for (int64_t i = 0; i < bands; i++) {
        int64_t at[3];
        for (int k = 0; k < 3; k++)
            at[k] = bin_of(i + k, bands, in + 3, (in[1] + 1.0) / in[2]);
        double rise = (double)(at[1] - at[0]), fall = (double)(at[2] - at[1]);
        int64_t end = at[2] > at[1] ? at[2] : at[1] + 1;
        for (int64_t j = at[0] < 0 ? 0 : at[0]; j < end && j < bins; j++) {
            double up = rise > 0.0 ? (double)(j - at[0]) / rise : 1.0;
            v[j * bands + i] = j <= at[1] ? up : (double)(at[2] - j) / fall;
        }
    }
    const int64_t shape[] = {bins, bands};
    mw_id y = constant_of(call, dtype, v, n);
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, shape, 2));
}

/* ---- transforms ---- */

/* Along an axis of x, whose last axis holds the real and, where it is of size
 * 2, the imaginary part. */
typedef struct transform {
    mw_id x;
    int axis;
    int64_t n, n_out;
    bool inverse;
} transform;

/* cos or sin of 2 pi j k / n, as [n, n_out]; the product is reduced before it
 * is turned, so that large ones lose nothing. */
static mw_id waves(mw_onnx_call *call, const transform *t, const char *def)
{
    mw_dtype dtype = mw_emit_dtype(call, t->x);
    mw_id j = mw_emit_iota(call, t->n, 0, 2);
    mw_id k = mw_emit_iota(call, t->n_out, 1, 2);
    mw_id turn =
        mw_emit_by(call, "mod", mw_emit2(call, "mul", j, k), (double)t->n);
    mw_id angle = mw_emit_by(call, "mul", mw_emit_cast(call, turn, MW_F64),
                             TWO_PI / (double)t->n);
    return mw_emit_cast(call, mw_emit1(call, def, angle), dtype);
}

/* A product along the axis. */
static mw_id along(mw_onnx_call *call, const transform *t, mw_id x, mw_id by)
{
    char spec[2 * MW_MAX_RANK + 8];
    int rank = mw_emit_rank(call, x), at = 0;
    if (rank > MW_MAX_RANK)
        return MW_NONE;
    for (int i = 0; i < rank; i++)
        spec[at++] = (char)('a' + i);
    spec[at++] = ',';
    spec[at++] = (char)('a' + t->axis);
    spec[at++] = 'Z';
    spec[at++] = '-';
    spec[at++] = '>';
    for (int i = 0; i < rank; i++)
        spec[at++] = (char)(i == t->axis ? 'Z' : 'a' + i);
    spec[at] = '\0';
    return mw_emit_einsum(call, spec, (mw_id[]){x, by}, 2);
}

static mw_id transformed(mw_onnx_call *call, const transform *t)
{
    int last = mw_emit_rank(call, t->x) - 1;
    bool is_complex = mw_emit_size(call, t->x, last) == 2;
    mw_id c = waves(call, t, "cos"), s = waves(call, t, "sin");
    if (t->inverse)
        s = mw_emit1(call, "neg", s);
    mw_id re = mw_emit_slice(call, t->x, last, 0, 1, 1);
    mw_id part[2] = {along(call, t, re, c),
                     mw_emit1(call, "neg", along(call, t, re, s))};
    if (is_complex) {
        mw_id im = mw_emit_slice(call, t->x, last, 1, 1, 1);
        part[0] = mw_emit2(call, "add", part[0], along(call, t, im, s));
        part[1] = mw_emit2(call, "add", part[1], along(call, t, im, c));
    }
    mw_id y = mw_emit_concat(call, part, 2, last);
    return t->inverse ? mw_emit_by(call, "mul", y, 1.0 / (double)t->n) : y;
}

static mw_status check_parts(mw_onnx_call *call, mw_id x)
{
    int rank = mw_emit_rank(call, x);
    if (rank < 2)
        return mw_onnx_refuse(call, "input has rank %d, wanted 2 or more",
                              rank);
    int64_t parts = mw_emit_size(call, x, rank - 1);
    if (parts != 1 && parts != 2)
        return mw_onnx_refuse(call, "the last axis is %lld, wanted 1 or 2",
                              (long long)parts);
    return call->status;
}

static mw_status dft(mw_onnx_call *call)
{
    transform t = {.x = call->in[0]};
    int64_t axis = call->opset < 20 ? mw_onnx_int(call, "axis", 1)
                   : mw_onnx_has(call, 2)
                       ? (int64_t)mw_onnx_in_number(call, 2, 0.0)
                       : -2;
    bool half = mw_onnx_int(call, "onesided", 0) != 0;
    t.inverse = mw_onnx_int(call, "inverse", 0) != 0;
    MW_TRY(check_parts(call, t.x));
    int rank = mw_emit_rank(call, t.x);
    t.axis = mw_emit_axis(call, axis, rank);
    MW_TRY(call->status);
    int64_t size = mw_emit_size(call, t.x, t.axis);
    t.n = (int64_t)mw_onnx_in_number(call, 1, (double)size);
    MW_TRY(call->status);
    if (t.axis == rank - 1 || t.n < 1 || (half && t.inverse))
        return mw_onnx_refuse(
            call, "axis %d, length %lld%s", t.axis, (long long)t.n,
            half && t.inverse ? ": one side of an inverse is not supported"
                              : "");
    if (t.n < size)
        t.x = mw_emit_slice(call, t.x, t.axis, 0, 1, t.n);
    if (t.n > size)
        t.x = mw_emit_pad(call, t.x, t.axis, 0, t.n - size, 0.0);
    t.n_out = half ? t.n / 2 + 1 : t.n;
    return mw_emit_set(call, 0, transformed(call, &t));
}

/* x [b, t, p] as [b, frames, length, p]. */
static mw_id framed(mw_onnx_call *call, mw_id x, int64_t step, int64_t frames,
                    int64_t length)
{
    const int64_t shape[] = {frames, length};
    mw_id first = mw_emit_iota(call, frames, 0, 2);
    first = mw_emit_by(call, "mul", first, (double)step);
    mw_id index =
        mw_emit2(call, "add", first, mw_emit_iota(call, length, 1, 2));
    return mw_emit_gather(call, x, mw_emit_broadcast(call, index, shape, 2), 1);
}

static mw_status stft(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    if (mw_emit_rank(call, x) == 2)
        x = mw_emit_unsqueeze(call, x, 2);
    MW_TRY(check_parts(call, x));
    bool half = mw_onnx_int(call, "onesided", 1) != 0;
    int64_t step = (int64_t)mw_onnx_in_number(call, 1, 0.0);
    int64_t given = mw_onnx_has(call, 2) ? mw_emit_size(call, call->in[2], 0)
                                         : mw_emit_size(call, x, 1);
    int64_t length = (int64_t)mw_onnx_in_number(call, 3, (double)given);
    MW_TRY(call->status);
    int64_t room = mw_emit_size(call, x, 1) - length;
    if (mw_emit_rank(call, x) != 3 || step < 1 || length < 1 || room < 0)
        return mw_onnx_refuse(
            call, "rank %d, frames of %lld every %lld of %lld",
            mw_emit_rank(call, x), (long long)length, (long long)step,
            (long long)mw_emit_size(call, x, 1));
    transform t = {.axis = 2,
                   .n = length,
                   .n_out = half ? length / 2 + 1 : length,
                   .x = framed(call, x, step, room / step + 1, length)};
    if (mw_onnx_has(call, 2)) {
        const int64_t shape[] = {1, 1, length, 1};
        mw_id by = mw_emit_reshape(call, call->in[2], shape, 4);
        t.x = mw_emit2(call, "mul", t.x, by);
    }
    return mw_emit_set(call, 0, transformed(call, &t));
}

#define WINDOW(name)                                                           \
    {                                                                          \
        .op = name, .since = 17, .min_in = 1, .max_in = 1, .build = window,    \
        .attrs = "output_datatype periodic"                                    \
    }

static const mw_onnx_rule rules[] = {
    WINDOW("BlackmanWindow"),
    {.op = "DFT",
     .since = 17,
     .min_in = 1,
     .max_in = 3,
     .attrs = "axis inverse onesided",
     .build = dft},
    WINDOW("HammingWindow"),
    WINDOW("HannWindow"),
    {.op = "MelWeightMatrix",
     .since = 17,
     .min_in = 5,
     .max_in = 5,
     .attrs = "output_datatype",
     .build = mel_weights},
    {.op = "STFT",
     .since = 17,
     .min_in = 2,
     .max_in = 4,
     .attrs = "onesided",
     .build = stft},
    {0},
};

const mw_onnx_def mw_onnx_signal = {.brief = "signals", .rules = rules};
