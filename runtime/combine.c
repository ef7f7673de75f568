/* combine.c - a loop for each type and kind, from one table of types. */
#include "runtime/combine.h"

#include "ir/reduction.h"

/* name, dtype, C type; integers wrap in their unsigned type */
#define INTEGERS(X)                                                            \
    X(i8, MW_I8, int8_t, uint8_t)                                              \
    X(i16, MW_I16, int16_t, uint16_t)                                          \
    X(u16, MW_U16, uint16_t, uint16_t)                                         \
    X(i32, MW_I32, int32_t, uint32_t)                                          \
    X(i64, MW_I64, int64_t, uint64_t)                                          \
    X(u8, MW_U8, uint8_t, uint8_t)                                             \
    X(u32, MW_U32, uint32_t, uint32_t)                                         \
    X(u64, MW_U64, uint64_t, uint64_t)

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

#define INTEGER_LOOPS(name, code, type, wide)                                  \
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
#define HALF_LOOP(name, code, kind, reduce)                                    \
    static void kind##_##name(void *dst, const void *src, int64_t n)           \
    {                                                                          \
        mw_reduce_into(reduce, code, dst, src, n);                             \
    }
#define HALF_LOOPS(name, code, type)                                           \
    HALF_LOOP(name, code, sum, MW_REDUCE_SUM)                                  \
    HALF_LOOP(name, code, prod, MW_REDUCE_PROD)                                \
    HALF_LOOP(name, code, max, MW_REDUCE_MAX)                                  \
    HALF_LOOP(name, code, min, MW_REDUCE_MIN)
HALVES(HALF_LOOPS)

LOOP(bool, max, uint8_t, (a[i] != 0) | (b[i] != 0))
LOOP(bool, min, uint8_t, (a[i] != 0) & (b[i] != 0))

static const struct row {
    mw_dtype dtype;
    mw_combine_fn *fn[MW_REDUCE_MIN + 1]; /* by kind */
} rows[] = {
#define ROW(name, code, ...)                                                   \
    {code, {NULL, sum_##name, prod_##name, max_##name, min_##name}},
    INTEGERS(ROW) FLOATS(ROW)
        HALVES(ROW){MW_BOOL, {NULL, max_bool, min_bool, max_bool, min_bool}},
};

mw_combine_fn *mw_combine_find(mw_dtype dtype, mw_reduce reduce)
{
    mw_combine_fn *fn = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].dtype == dtype)
            fn = rows[i].fn[reduce];
    return fn;
}

void mw_combine_neutral(mw_dtype dtype, mw_reduce reduce, void *element)
{
    mw_number start = mw_reduce_start(reduce, dtype);
    mw_numbers_store(dtype, element, 0, 1, 1, &start);
}
