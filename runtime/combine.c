/* combine.c - a loop for each type and kind, from one table of types. */
#include "runtime/combine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ir/number.h"

enum { HALVES_AT_ONCE = 64 };

/* name, dtype, C type, least, largest; integers wrap in their unsigned type */
#define INTEGERS(X)                                                            \
    X(i8, MW_I8, int8_t, uint8_t, INT8_MIN, INT8_MAX)                          \
    X(i16, MW_I16, int16_t, uint16_t, INT16_MIN, INT16_MAX)                    \
    X(u16, MW_U16, uint16_t, uint16_t, 0, UINT16_MAX)                          \
    X(i32, MW_I32, int32_t, uint32_t, INT32_MIN, INT32_MAX)                    \
    X(i64, MW_I64, int64_t, uint64_t, INT64_MIN, INT64_MAX)                    \
    X(u8, MW_U8, uint8_t, uint8_t, 0, UINT8_MAX)                               \
    X(u32, MW_U32, uint32_t, uint32_t, 0, UINT32_MAX)                          \
    X(u64, MW_U64, uint64_t, uint64_t, 0, UINT64_MAX)

#define FLOATS(X)                                                              \
    X(f32, MW_F32, float)                                                      \
    X(f64, MW_F64, double)

#define HALVES(X)                                                              \
    X(f16, MW_F16, uint16_t)                                                   \
    X(bf16, MW_BF16, uint16_t)

#define LOOP(name, kind, type, value)                                          \
    static void kind##_##name(void *dst, const void *src, int64_t n)           \
    {                                                                          \
        type *restrict a = dst;                                                \
        const type *restrict b = src;                                          \
        for (int64_t i = 0; i < n; i++)                                        \
            a[i] = (type)(value);                                              \
    }

#define INTEGER_LOOPS(name, code, type, wide, least, largest)                  \
    LOOP(name, sum, type, (wide)a[i] + (wide)b[i])                             \
    LOOP(name, prod, type, (wide)((wide)a[i] * (uint64_t)(wide)b[i]))          \
    LOOP(name, max, type, a[i] > b[i] ? a[i] : b[i])                           \
    LOOP(name, min, type, a[i] < b[i] ? a[i] : b[i])
INTEGERS(INTEGER_LOOPS)

/* a > b is false when either is not a number: then b, unless a is the one */
#define FLOAT_LOOPS(name, code, type)                                          \
    LOOP(name, sum, type, a[i] + b[i])                                         \
    LOOP(name, prod, type, a[i] * b[i])                                        \
    LOOP(name, max, type, a[i] > b[i] || a[i] != a[i] ? a[i] : b[i])           \
    LOOP(name, min, type, a[i] < b[i] || a[i] != a[i] ? a[i] : b[i])
FLOATS(FLOAT_LOOPS)

/* Halves are rounded after each. */
static void sum_numbers(mw_number *a, mw_number b)
{
    a->f += b.f;
}

static void prod_numbers(mw_number *a, mw_number b)
{
    a->f *= b.f;
}

static void max_numbers(mw_number *a, mw_number b)
{
    a->f = a->f > b.f || isnan(a->f) ? a->f : b.f;
}

static void min_numbers(mw_number *a, mw_number b)
{
    a->f = a->f < b.f || isnan(a->f) ? a->f : b.f;
}

static void combine_halves(mw_dtype dtype, void (*with)(mw_number *, mw_number),
                           void *dst, const void *src, int64_t n)
{
    mw_number a[HALVES_AT_ONCE], b[HALVES_AT_ONCE];
    for (int64_t at = 0; at < n; at += HALVES_AT_ONCE) {
        int64_t some = n - at < HALVES_AT_ONCE ? n - at : HALVES_AT_ONCE;
        mw_numbers_load(dtype, dst, at, 1, some, a);
        mw_numbers_load(dtype, src, at, 1, some, b);
        for (int64_t i = 0; i < some; i++)
            with(&a[i], b[i]);
        mw_numbers_store(dtype, dst, at, 1, some, a);
    }
}

#define HALF_LOOP(name, code, kind)                                            \
    static void kind##_##name(void *dst, const void *src, int64_t n)           \
    {                                                                          \
        combine_halves(code, kind##_numbers, dst, src, n);                     \
    }
#define HALF_LOOPS(name, code, type)                                           \
    HALF_LOOP(name, code, sum)                                                 \
    HALF_LOOP(name, code, prod)                                                \
    HALF_LOOP(name, code, max)                                                 \
    HALF_LOOP(name, code, min)
HALVES(HALF_LOOPS)

LOOP(bool, max, uint8_t, (a[i] != 0) | (b[i] != 0))
LOOP(bool, min, uint8_t, (a[i] != 0) & (b[i] != 0))

static const struct row {
    mw_dtype dtype;
    mw_combine_fn *fn[MW_REDUCE_MIN + 1]; /* by kind */
} rows[] = {
#define INTEGER_ROW(name, code, type, wide, least, largest)                    \
    {code, {NULL, sum_##name, prod_##name, max_##name, min_##name}},
#define FLOAT_ROW(name, code, type)                                            \
    {code, {NULL, sum_##name, prod_##name, max_##name, min_##name}},
    INTEGERS(INTEGER_ROW) FLOATS(FLOAT_ROW) HALVES(FLOAT_ROW){
        MW_BOOL, {NULL, max_bool, min_bool, max_bool, min_bool}},
};

mw_combine_fn *mw_combine_find(mw_dtype dtype, mw_reduce reduce)
{
    mw_combine_fn *fn = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].dtype == dtype)
            fn = rows[i].fn[reduce];
    return fn;
}

#define INTEGER_NEUTRAL(name, code, type, wide, least, largest)                \
    static void neutral_##name(mw_reduce reduce, void *element)                \
    {                                                                          \
        const type value[] = {0, 0, 1, (least), (largest)};                    \
        memcpy(element, &value[reduce], sizeof value[0]);                      \
    }
INTEGERS(INTEGER_NEUTRAL)

#define FLOAT_NEUTRAL(name, code, type)                                        \
    static void neutral_##name(mw_reduce reduce, void *element)                \
    {                                                                          \
        const type value[] = {0, 0, 1, -(type)INFINITY, (type)INFINITY};       \
        memcpy(element, &value[reduce], sizeof value[0]);                      \
    }
FLOATS(FLOAT_NEUTRAL)

#define HALF_NEUTRAL(name, code, type)                                         \
    static void neutral_##name(mw_reduce reduce, void *element)                \
    {                                                                          \
        const mw_number value[] = {{.f = 0.0},                                 \
                                   {.f = 0.0},                                 \
                                   {.f = 1.0},                                 \
                                   {.f = -(double)INFINITY},                   \
                                   {.f = (double)INFINITY}};                   \
        mw_numbers_store(code, element, 0, 1, 1, &value[reduce]);              \
    }
HALVES(HALF_NEUTRAL)

static void neutral_bool(mw_reduce reduce, void *element)
{
    const uint8_t value[] = {0, 0, 1, 0, 1};
    memcpy(element, &value[reduce], sizeof value[0]);
}

void mw_combine_neutral(mw_dtype dtype, mw_reduce reduce, void *element)
{
    static const struct {
        mw_dtype dtype;
        void (*set)(mw_reduce reduce, void *element);
    } neutrals[] = {
#define NEUTRAL_ROW(name, code, ...) {code, neutral_##name},
        INTEGERS(NEUTRAL_ROW) FLOATS(NEUTRAL_ROW)
            HALVES(NEUTRAL_ROW){MW_BOOL, neutral_bool},
    };
    for (size_t i = 0; i < sizeof neutrals / sizeof neutrals[0]; i++)
        if (neutrals[i].dtype == dtype)
            neutrals[i].set(reduce, element);
}
