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

// The two formats of 16 bits: bits of the fraction, least normal exponent.
enum { RUN = 256 };
enum {
    F16_FRACTION = 10,
    F16_LEAST = -14,
    BF16_FRACTION = 7,
    BF16_LEAST = -126
};

mw_class mw_dtype_class(mw_dtype dtype)
{
    switch (dtype) {
    case MW_F32:
    case MW_F64:
    case MW_F16:
    case MW_BF16:
        return MW_CLASS_FLOAT;
    case MW_I8:
    case MW_I16:
    case MW_I32:
    case MW_I64:
        return MW_CLASS_SIGNED;
    case MW_BOOL:
        return MW_CLASS_BOOL;
    default:
        return MW_CLASS_UNSIGNED;
    }
}

static double unpack(uint16_t bits, int fraction, int least)
{
    int exponent = (bits & 0x7fff) >> fraction;
    double value = bits & ((1 << fraction) - 1);
    if (exponent == 0x7fff >> fraction)
        value = value > 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(value, least - fraction);
    else
        value = ldexp(value + (1 << fraction), exponent - 1 + least - fraction);
    return bits & 0x8000 ? -value : value;
}

// A fraction that rounds up to the next power of two carries into the
// exponent, and past the largest exponent into infinity, by plain addition.
static uint16_t pack(double x, int fraction, int least)
{
    unsigned sign = signbit(x) ? 0x8000 : 0;
    unsigned infinite = 0x7fffu >> fraction << fraction;
    double size = fabs(x);
    if (isnan(x))
        return (uint16_t)(sign | infinite | 1u << (fraction - 1));
    int exponent = size > 0 && !isinf(size) ? ilogb(size) : least;
    if (isinf(size) || exponent > 1 - least)
        return (uint16_t)(sign | infinite);
    if (exponent < least)
        return (uint16_t)(sign |
                          (unsigned)nearbyint(ldexp(size, fraction - least)));
    unsigned digits = (unsigned)nearbyint(ldexp(size, fraction - exponent));
    return (uint16_t)(sign + ((unsigned)(exponent - least) << fraction) +
                      digits);
}

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
    const uint8_t *truth = data;
    switch (dtype) {
        FLOATS(LOAD_FLOAT)
        INTEGERS(LOAD_INTEGER)
    case MW_F16:
        for (int64_t k = 0; k < n; k++)
            to[k].f = unpack(half[at + k * stride], F16_FRACTION, F16_LEAST);
        break;
    case MW_BF16:
        for (int64_t k = 0; k < n; k++)
            to[k].f = unpack(half[at + k * stride], BF16_FRACTION, BF16_LEAST);
        break;
    case MW_BOOL:
        for (int64_t k = 0; k < n; k++)
            to[k].u = truth[at + k * stride] != 0;
        break;
    case MW_N_DTYPES:
        break;
    }
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
    uint8_t *truth = data;
    switch (dtype) {
        FLOATS(STORE_FLOAT)
        INTEGERS(STORE_INTEGER)
    case MW_F16:
        for (int64_t k = 0; k < n; k++)
            half[at + k * stride] = pack(from[k].f, F16_FRACTION, F16_LEAST);
        break;
    case MW_BF16:
        for (int64_t k = 0; k < n; k++)
            half[at + k * stride] = pack(from[k].f, BF16_FRACTION, BF16_LEAST);
        break;
    case MW_BOOL:
        for (int64_t k = 0; k < n; k++)
            truth[at + k * stride] = from[k].u != 0;
        break;
    case MW_N_DTYPES:
        break;
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

mw_number mw_number_least(mw_dtype dtype)
{
    int bits = 8 * (int)mw_dtype_bytes(dtype);
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
    int bits = 8 * (int)mw_dtype_bytes(dtype);
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

mw_number mw_number_cast(mw_number x, mw_dtype from, mw_dtype to)
{
    mw_class source = mw_dtype_class(from), target = mw_dtype_class(to);
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
