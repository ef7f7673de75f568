/* number.c - loads and stores generated from one table of types. */
#include "ir/number.h"

#include <math.h>
#include <string.h>

// dtype, C type, member that holds it
#define FLOATS(X)                                                              \
    X(MW_F32, float)                                                           \
    X(MW_F64, double)
#define INTEGERS(X)                                                            \
    X(MW_I8, int8_t, i)                                                        \
    X(MW_I16, int16_t, i)                                                      \
    X(MW_I32, int32_t, i)                                                      \
    X(MW_I64, int64_t, i)                                                      \
    X(MW_U8, uint8_t, u)                                                       \
    X(MW_U16, uint16_t, u)                                                     \
    X(MW_U32, uint32_t, u)                                                     \
    X(MW_U64, uint64_t, u)

enum { RUN = 256, MAX_BITS = 16 };

/* A format of small floats: sign, exponent, fraction. */
typedef struct format {
    int bits, fraction, least; /* least: exponent of the least normal number */
    bool is_signed;
    enum { IEEE, FINITE, UNSIGNED_ZERO } kind; /* how they end */
    int largest; /* the bits of the largest number */
    int nan;     /* the bits of one; MW_NONE: there is none */
} format;

static const format formats[MW_N_DTYPES] = {
    [MW_F16] = {16, 10, -14, true, IEEE, 0x7bff, 0x7e00},
    [MW_BF16] = {16, 7, -126, true, IEEE, 0x7f7f, 0x7fc0},
    [MW_F8E4M3FN] = {8, 3, -6, true, FINITE, 0x7e, 0x7f},
    [MW_F8E4M3FNUZ] = {8, 3, -7, true, UNSIGNED_ZERO, 0x7f, 0x80},
    [MW_F8E5M2] = {8, 2, -14, true, IEEE, 0x7b, 0x7e},
    [MW_F8E5M2FNUZ] = {8, 2, -15, true, UNSIGNED_ZERO, 0x7f, 0x80},
    [MW_F8E8M0] = {8, 0, -126, false, FINITE, 0xfe, 0xff},
    [MW_F4E2M1] = {4, 1, 0, true, FINITE, 0x7, -1},
};

static double unpack(unsigned bits, mw_dtype dtype)
{
    const format *f = &formats[dtype];
    unsigned sign = f->is_signed ? 1u << (f->bits - 1) : 0;
    int digits = (int)(bits & ~sign), exponent = digits >> f->fraction;
    double value = digits & ((1 << f->fraction) - 1);
    bool infinite = f->kind == IEEE && digits > f->largest; // or not a number
    if (infinite)
        value = value > 0 ? (double)NAN : (double)INFINITY;
    else if ((int)bits == f->nan || (f->kind == FINITE && digits == f->nan))
        value = (double)NAN;
    else if (!f->is_signed)
        value = ldexp(1, exponent - 1 + f->least);
    else if (exponent == 0)
        value = ldexp(value, f->least - f->fraction);
    else
        value = ldexp(value + (1 << f->fraction),
                      exponent - 1 + f->least - f->fraction);
    return bits & sign ? -value : value;
}

// What is no number, or too large for the format.
static unsigned pack_end(const format *f, unsigned sign, double x)
{
    if (isnan(x))
        return f->nan == -1               ? 0
               : f->kind == UNSIGNED_ZERO ? (unsigned)f->nan
                                          : sign | (unsigned)f->nan;
    if (f->kind == IEEE && (f->bits == MAX_BITS || isinf(x)))
        return sign | ((unsigned)f->largest + 1);
    return sign | (unsigned)f->largest;
}

// Powers of two, upwards as ONNX has it; 0 and below become the least.
static unsigned pack_power(const format *f, double size)
{
    if (!(size > ldexp(1, f->least - 1)))
        return 0;
    int exponent = ilogb(size);
    exponent += size > ldexp(1, exponent);
    int bits = exponent + 1 - f->least;
    return (unsigned)(bits > f->largest ? f->largest : bits);
}

// A fraction that rounds up to the next power of two carries into the
// exponent by plain addition.
static unsigned pack(double x, mw_dtype dtype)
{
    const format *f = &formats[dtype];
    unsigned sign = f->is_signed && signbit(x) ? 1u << (f->bits - 1) : 0;
    double size = fabs(x);
    if (isnan(x))
        return pack_end(f, sign, x);
    if (!f->is_signed)
        return isinf(size) ? (unsigned)f->largest
                           : pack_power(f, x > 0 ? x : 0);
    int exponent = size > 0 && !isinf(size) ? ilogb(size) : f->least;
    if (isinf(size) || exponent > f->least + (1 << (f->bits - f->fraction - 1)))
        return pack_end(f, sign, x);
    unsigned digits =
        exponent < f->least
            ? (unsigned)nearbyint(ldexp(size, f->fraction - f->least))
            : ((unsigned)(exponent - f->least) << f->fraction) +
                  (unsigned)nearbyint(ldexp(size, f->fraction - exponent));
    if (digits > (unsigned)f->largest)
        return pack_end(f, sign, x);
    return f->kind == UNSIGNED_ZERO && digits == 0 ? 0 : sign | digits;
}

/* ---- elements of less than a byte, packed ---- */

static unsigned small_at(const uint8_t *bytes, int bits, int64_t i)
{
    int in_byte = 8 / bits;
    return (unsigned)(bytes[i / in_byte] >> (i % in_byte * bits)) &
           ((1u << bits) - 1);
}

static void put_small(uint8_t *bytes, int bits, int64_t i, unsigned value)
{
    int in_byte = 8 / bits, shift = (int)(i % in_byte) * bits;
    unsigned mask = ((1u << bits) - 1) << shift;
    bytes[i / in_byte] =
        (uint8_t)((bytes[i / in_byte] & ~mask) | (value << shift & mask));
}

static mw_number load_small(mw_dtype dtype, const uint8_t *bytes, int64_t i)
{
    int bits = mw_dtype_bits(dtype);
    unsigned value = small_at(bytes, bits, i);
    if (mw_dtype_is_float(dtype))
        return (mw_number){.f = unpack(value, dtype)};
    if (mw_dtype_class(dtype) == MW_CLASS_SIGNED && value >> (bits - 1))
        return (mw_number){.i = (int64_t)value - (1 << bits)};
    return (mw_number){.u = value};
}

static void store_small(mw_dtype dtype, uint8_t *bytes, int64_t i, mw_number x)
{
    unsigned value =
        mw_dtype_is_float(dtype) ? pack(x.f, dtype) : (unsigned)(x.u & 0xff);
    put_small(bytes, mw_dtype_bits(dtype), i, value);
}

/* ---- by rows of elements ---- */

#define LOAD_FLOAT(code, type)                                                 \
    case code:                                                                 \
        for (int64_t k = 0; k < n; k++)                                        \
            to[k].f = (double)((const type *)data)[at + k * stride];           \
        break;
#define LOAD_INTEGER(code, type, member)                                       \
    case code:                                                                 \
        for (int64_t k = 0; k < n; k++)                                        \
            to[k].member = ((const type *)data)[at + k * stride];              \
        break;

void mw_numbers_load(mw_dtype dtype, const void *data, int64_t at,
                     int64_t stride, int64_t n, mw_number to[])
{
    const uint16_t *half = data;
    const uint8_t *byte = data;
    switch (dtype) {
        FLOATS(LOAD_FLOAT)
        INTEGERS(LOAD_INTEGER)
    case MW_F16:
    case MW_BF16:
        for (int64_t k = 0; k < n; k++)
            to[k].f = unpack(half[at + k * stride], dtype);
        break;
    case MW_F8E4M3FN:
    case MW_F8E4M3FNUZ:
    case MW_F8E5M2:
    case MW_F8E5M2FNUZ:
    case MW_F8E8M0:
        for (int64_t k = 0; k < n; k++)
            to[k].f = unpack(byte[at + k * stride], dtype);
        break;
    case MW_BOOL:
        for (int64_t k = 0; k < n; k++)
            to[k].u = byte[at + k * stride] != 0;
        break;
    case MW_C64:
        for (int64_t k = 0; k < n; k++)
            to[k].f = (double)((const float *)data)[2 * (at + k * stride)];
        break;
    case MW_C128:
        for (int64_t k = 0; k < n; k++)
            to[k].f = ((const double *)data)[2 * (at + k * stride)];
        break;
    default:
        for (int64_t k = 0; k < n; k++)
            to[k] = load_small(dtype, byte, at + k * stride);
    }
}

mw_number mw_number_at(mw_dtype dtype, const void *data, int64_t i)
{
    int in_byte = mw_dtype_bits(dtype) < 8 ? 8 / mw_dtype_bits(dtype) : 1;
    size_t width = (size_t)mw_dtype_bytes(dtype);
    double aligned[2];
    memcpy(aligned, (const char *)data + (size_t)(i / in_byte) * width, width);
    mw_number x;
    mw_numbers_load(dtype, aligned, i % in_byte, 1, 1, &x);
    return x;
}

#define STORE_FLOAT(code, type)                                                \
    case code:                                                                 \
        for (int64_t k = 0; k < n; k++)                                        \
            ((type *)data)[at + k * stride] = (type)from[k].f;                 \
        break;
#define STORE_INTEGER(code, type, member)                                      \
    case code:                                                                 \
        for (int64_t k = 0; k < n; k++)                                        \
            ((type *)data)[at + k * stride] = (type)from[k].u;                 \
        break;

void mw_numbers_store(mw_dtype dtype, void *data, int64_t at, int64_t stride,
                      int64_t n, const mw_number from[])
{
    uint16_t *half = data;
    uint8_t *byte = data;
    switch (dtype) {
        FLOATS(STORE_FLOAT)
        INTEGERS(STORE_INTEGER)
    case MW_F16:
    case MW_BF16:
        for (int64_t k = 0; k < n; k++)
            half[at + k * stride] = (uint16_t)pack(from[k].f, dtype);
        break;
    case MW_F8E4M3FN:
    case MW_F8E4M3FNUZ:
    case MW_F8E5M2:
    case MW_F8E5M2FNUZ:
    case MW_F8E8M0:
        for (int64_t k = 0; k < n; k++)
            byte[at + k * stride] = (uint8_t)pack(from[k].f, dtype);
        break;
    case MW_BOOL:
        for (int64_t k = 0; k < n; k++)
            byte[at + k * stride] = from[k].u != 0;
        break;
    case MW_C64:
        for (int64_t k = 0; k < n; k++) {
            float *pair = (float *)data + 2 * (at + k * stride);
            pair[0] = (float)from[k].f;
            pair[1] = 0;
        }
        break;
    case MW_C128:
        for (int64_t k = 0; k < n; k++) {
            double *pair = (double *)data + 2 * (at + k * stride);
            pair[0] = from[k].f;
            pair[1] = 0;
        }
        break;
    default:
        for (int64_t k = 0; k < n; k++)
            store_small(dtype, byte, at + k * stride, from[k]);
    }
}

#define DOT(type)                                                              \
    for (int64_t k = 0; k < n; k++)                                            \
    total.f += (double)((const type *)a.data)[a.at + k * a.stride] *           \
               (double)((const type *)b.data)[b.at + k * b.stride]

mw_number mw_numbers_dot(mw_dtype dtype, mw_run a, mw_run b, int64_t n,
                         mw_number total)
{
    mw_number x[RUN], y[RUN];
    if (dtype == MW_F32) {
        DOT(float);
        return total;
    }
    if (dtype == MW_F64) {
        DOT(double);
        return total;
    }
    for (int64_t first = 0; first < n; first += RUN) {
        int64_t count = n - first < RUN ? n - first : RUN;
        mw_numbers_load(dtype, a.data, a.at + first * a.stride, a.stride, count,
                        x);
        mw_numbers_load(dtype, b.data, b.at + first * b.stride, b.stride, count,
                        y);
        for (int64_t k = 0; k < count; k++) {
            if (mw_dtype_is_float(dtype))
                total.f += x[k].f * y[k].f;
            else
                total.u += x[k].u * y[k].u;
        }
    }
    return total;
}

double mw_number_beyond(mw_dtype dtype, bool *even)
{
    const format *f = &formats[dtype];
    *even = f->largest % 2 == 0;
    if (f->bits == 0 || f->bits == MAX_BITS)
        return 0;
    double most = unpack((unsigned)f->largest, dtype);
    return most + (most - unpack((unsigned)f->largest - 1, dtype)) / 2;
}

bool mw_number_infinite(mw_dtype dtype)
{
    const format *f = &formats[dtype];
    return f->bits == 0 || f->kind == IEEE;
}

mw_number mw_number_least(mw_dtype dtype)
{
    int bits = mw_dtype_bits(dtype);
    switch (mw_dtype_class(dtype)) {
    case MW_CLASS_FLOAT:
        return (mw_number){.f = -(double)INFINITY};
    case MW_CLASS_SIGNED:
        return (mw_number){.i = INT64_MIN >> (64 - bits)};
    default:
        return (mw_number){.u = 0};
    }
}

mw_number mw_number_largest(mw_dtype dtype)
{
    int bits = mw_dtype_bits(dtype);
    switch (mw_dtype_class(dtype)) {
    case MW_CLASS_FLOAT:
        return (mw_number){.f = (double)INFINITY};
    case MW_CLASS_SIGNED:
        return (mw_number){.i = INT64_MAX >> (64 - bits)};
    case MW_CLASS_BOOL:
        return (mw_number){.u = 1};
    default:
        return (mw_number){.u = UINT64_MAX >> (64 - bits)};
    }
}

// Both ends of the range are compared as doubles, whose rounding is outwards
// at the upper end of 64 bits; hence >=.
static mw_number cut(double x, mw_dtype to)
{
    mw_number least = mw_number_least(to), largest = mw_number_largest(to);
    bool is_signed = mw_dtype_class(to) == MW_CLASS_SIGNED;
    double low = is_signed ? (double)least.i : 0;
    double high = is_signed ? (double)largest.i : (double)largest.u;
    if (isnan(x))
        return (mw_number){.u = 0};
    if (x <= low)
        return least;
    if (x >= high)
        return largest;
    if (is_signed)
        return (mw_number){.i = (int64_t)x};
    return (mw_number){.u = (uint64_t)x};
}

// Complex numbers are loaded and stored as their real parts.
static mw_class real_class(mw_dtype dtype)
{
    mw_class class = mw_dtype_class(dtype);
    return class == MW_CLASS_COMPLEX ? MW_CLASS_FLOAT : class;
}

mw_number mw_number_cast(mw_number x, mw_dtype from, mw_dtype to)
{
    mw_class source = real_class(from), target = real_class(to);
    if (source == MW_CLASS_FLOAT) {
        if (target == MW_CLASS_FLOAT)
            return x;
        if (target == MW_CLASS_BOOL)
            return (mw_number){.u = x.f < 0 || x.f > 0 || isnan(x.f)};
        return cut(x.f, to);
    }
    if (target == MW_CLASS_BOOL)
        return (mw_number){.u = x.u != 0};
    if (target != MW_CLASS_FLOAT)
        return x;
    // rounded once, not to double first
    if (to == MW_F32)
        return (mw_number){.f = source == MW_CLASS_SIGNED ? (double)(float)x.i
                                                          : (double)(float)x.u};
    return (mw_number){.f = source == MW_CLASS_SIGNED ? (double)x.i
                                                      : (double)x.u};
}
