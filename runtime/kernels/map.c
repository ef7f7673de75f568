/* map.c - element by element: a dense loop for each op and type, from tables
 * of expressions; rows.h brings operands into step. */
#include "runtime/kernels/map.h"

#include "runtime/kernel.h"
#include "runtime/kernels/vector.h"
#include "runtime/rows.h"

/* op, type's name, dtype, operands' type, result's type, result of a, b, c */
#define FLOAT_MAPS(X, name, code, type, abs_, sqrt_)                           \
    X(add, name, code, type, type, a + b)                                      \
    X(sub, name, code, type, type, a - b)                                      \
    X(mul, name, code, type, type, a *b)                                       \
    X(div, name, code, type, type, a / b)                                      \
    X(max, name, code, type, type, a > b || a != a ? a : b)                    \
    X(min, name, code, type, type, a < b || a != a ? a : b)                    \
    X(neg, name, code, type, type, -a)                                         \
    X(abs, name, code, type, type, abs_(a))                                    \
    X(sqrt, name, code, type, type, sqrt_(a))                                  \
    X(reciprocal, name, code, type, type, 1 / a)                               \
    X(relu, name, code, type, type, a < 0 ? 0 : a)                             \
    X(is_nan, name, code, type, uint8_t, a != a)                               \
    COMPARISONS(X, name, code, type)

#define INTEGER_MAPS(X, name, code, type, wide)                                \
    X(add, name, code, type, type, (wide)a + (wide)b)                          \
    X(sub, name, code, type, type, (wide)a - (wide)b)                          \
    X(mul, name, code, type, type, (wide)a *(wide)b)                           \
    X(max, name, code, type, type, a > b ? a : b)                              \
    X(min, name, code, type, type, a < b ? a : b)                              \
    COMPARISONS(X, name, code, type)

#define COMPARISONS(X, name, code, type)                                       \
    X(equal, name, code, type, uint8_t, a == b)                                \
    X(less, name, code, type, uint8_t, a < b)                                  \
    X(less_equal, name, code, type, uint8_t, a <= b)                           \
    X(greater, name, code, type, uint8_t, a > b)                               \
    X(greater_equal, name, code, type, uint8_t, a >= b)

#define MAPS(X)                                                                \
    FLOAT_MAPS(X, f32, MW_F32, float, fabsf, sqrtf)                            \
    FLOAT_MAPS(X, f64, MW_F64, double, fabs, sqrt)                             \
    INTEGER_MAPS(X, i32, MW_I32, int32_t, uint32_t)                            \
    INTEGER_MAPS(X, i64, MW_I64, int64_t, uint64_t)                            \
    INTEGER_MAPS(X, u32, MW_U32, uint32_t, uint32_t)                           \
    INTEGER_MAPS(X, u64, MW_U64, uint64_t, uint64_t)                           \
    X(exp, f32, MW_F32, float, float, mw_exp(a))                               \
    X(log, f32, MW_F32, float, float, mw_log(a))                               \
    X(tanh, f32, MW_F32, float, float, mw_tanh(a))                             \
    X(sigmoid, f32, MW_F32, float, float, mw_sigmoid(a))                       \
    X(erf, f32, MW_F32, float, float, mw_erf(a))                               \
    X(floor, f32, MW_F32, float, float, floorf(a))                             \
    X(ceil, f32, MW_F32, float, float, ceilf(a))                               \
    X(exp, f64, MW_F64, double, double, exp(a))                                \
    X(log, f64, MW_F64, double, double, log(a))                                \
    X(tanh, f64, MW_F64, double, double, tanh(a))                              \
    X(erf, f64, MW_F64, double, double, erf(a))                                \
    X(not, bool, MW_BOOL, uint8_t, uint8_t, a == 0)                            \
    X(and, bool, MW_BOOL, uint8_t, uint8_t, (a != 0) & (b != 0))               \
    X(or, bool, MW_BOOL, uint8_t, uint8_t, (a != 0) | (b != 0))                \
    X(xor, bool, MW_BOOL, uint8_t, uint8_t, (a != 0) ^ (b != 0))

/* A map of one operand sees it twice; the second goes unused. */
#define LOOP(op, name, code, type, result, value)                              \
    MW_VECTOR static void op##_##name(int64_t n, void *out,                    \
                                      const void *const x[])                   \
    {                                                                          \
        result *restrict y = out;                                              \
        const type *restrict p = x[0], *restrict q = x[1] ? x[1] : x[0];       \
        for (int64_t i = 0; i < n; i++) {                                      \
            type a = p[i], b = q[i];                                           \
            (void)b;                                                           \
            y[i] = (result)(value);                                            \
        }                                                                      \
    }
MAPS(LOOP)

static bool run(const mw_kernel_call *call, mw_row_fn *fn)
{
    mw_rows rows;
    mw_rows_map(&rows, call->op, call->in, call->out);
    mw_rows_run(&rows, call->in, call->out, call->threads, fn);
    return true;
}

#define RUN(op, name, ...)                                                     \
    static bool run_##op##_##name(const mw_kernel_call *call)                  \
    {                                                                          \
        return run(call, op##_##name);                                         \
    }
MAPS(RUN)

/* Sines of all but large angles, which the C library reduces. */
#define TURN(op, library)                                                      \
    MW_VECTOR static void op##_f32(int64_t n, void *out,                       \
                                   const void *const x[])                      \
    {                                                                          \
        float *restrict y = out;                                               \
        const float *restrict p = x[0];                                        \
        int large = 0;                                                         \
        for (int64_t i = 0; i < n; i++)                                        \
            large += !(fabsf(p[i]) <= MW_TURNS_MAX);                           \
        if (large > 0)                                                         \
            for (int64_t i = 0; i < n; i++)                                    \
                y[i] = library(p[i]);                                          \
        else                                                                   \
            for (int64_t i = 0; i < n; i++)                                    \
                y[i] = mw_##op(p[i]);                                          \
    }                                                                          \
    static bool run_##op##_f32(const mw_kernel_call *call)                     \
    {                                                                          \
        return run(call, op##_f32);                                            \
    }
TURN(sin, sinf)
TURN(cos, cosf)

/* Powers that occur: squares, cubes and roots need no pow. */
static void pow_f32(int64_t n, void *out, const void *const x[])
{
    float *restrict y = out;
    const float *restrict p = x[0], *restrict q = x[1];
    int64_t squares = 0, cubes = 0, roots = 0;
    for (int64_t i = 0; i < n; i++) {
        squares += q[i] == 2.0f;
        cubes += q[i] == 3.0f;
        roots += q[i] == 0.5f;
    }
    if (squares == n)
        for (int64_t i = 0; i < n; i++)
            y[i] = p[i] * p[i];
    else if (cubes == n)
        for (int64_t i = 0; i < n; i++)
            y[i] = p[i] * p[i] * p[i];
    else if (roots == n)
        for (int64_t i = 0; i < n; i++)
            y[i] = p[i] == -INFINITY ? INFINITY : sqrtf(p[i]);
    else
        for (int64_t i = 0; i < n; i++)
            y[i] = powf(p[i], q[i]);
}

static bool run_pow_f32(const mw_kernel_call *call)
{
    return run(call, pow_f32);
}

#define CHOOSE(name, type)                                                     \
    MW_VECTOR static void where_##name(int64_t n, void *out,                   \
                                       const void *const x[])                  \
    {                                                                          \
        type *restrict y = out;                                                \
        const uint8_t *restrict c = x[0];                                      \
        const type *restrict p = x[1], *restrict q = x[2];                     \
        for (int64_t i = 0; i < n; i++)                                        \
            y[i] = c[i] ? p[i] : q[i];                                         \
    }                                                                          \
    static bool run_where_##name(const mw_kernel_call *call)                   \
    {                                                                          \
        return run(call, where_##name);                                        \
    }
CHOOSE(4, uint32_t)
CHOOSE(8, uint64_t)
CHOOSE(1, uint8_t)

/* Casts that lose nothing by the language's own rules; the rest is left to the
 * reference, which holds what is out of range. */
#define CASTS(X)                                                               \
    X(f32, float, f64, double)                                                 \
    X(i32, int32_t, f32, float)                                                \
    X(i32, int32_t, i64, int64_t)                                              \
    X(i64, int64_t, f32, float)                                                \
    X(i64, int64_t, i32, int32_t)                                              \
    X(bool, uint8_t, f32, float)                                               \
    X(bool, uint8_t, i64, int64_t)                                             \
    X(bool, uint8_t, i32, int32_t)
#define CAST(from, from_type, to, to_type)                                     \
    MW_VECTOR static void from##_to_##to(int64_t n, void *out,                 \
                                         const void *const x[])                \
    {                                                                          \
        to_type *restrict y = out;                                             \
        const from_type *restrict p = x[0];                                    \
        for (int64_t i = 0; i < n; i++)                                        \
            y[i] = (to_type)p[i];                                              \
    }
CASTS(CAST)

static mw_row_fn *find_cast(mw_dtype in, mw_dtype out)
{
    static const struct {
        const char *from, *to;
        mw_row_fn *fn;
    } rows[] = {
#define CAST_ROW(from, from_type, to, to_type) {#from, #to, from##_to_##to},
        CASTS(CAST_ROW)};
    const char *from = mw_dtype_name(in);
    const char *to = mw_dtype_name(out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].from, from) == 0 && strcmp(rows[i].to, to) == 0)
            return rows[i].fn;
    return NULL;
}

static bool run_cast(const mw_kernel_call *call)
{
    mw_row_fn *fn = find_cast(call->in[0].dtype, call->out[0].dtype);
    return fn && run(call, fn);
}

mw_row_fn *mw_map_loop(const mw_op *op, const mw_dtype in[], mw_dtype out)
{
    static const struct {
        const char *op;
        int dtype;
        mw_row_fn *fn;
    } loops[] = {
#define FIND(op, name, code, ...) {#op, code, op##_##name},
        MAPS(FIND){"pow", MW_F32, pow_f32}, {"where", MW_F32, where_4},
        {"where", MW_I32, where_4},         {"where", MW_U32, where_4},
        {"where", MW_F64, where_8},         {"where", MW_I64, where_8},
        {"where", MW_U64, where_8},         {"where", MW_BOOL, where_1},
    };
    int last = (int)in[op->n_in - 1];
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (loops[i].dtype == last && strcmp(loops[i].op, op->def->name) == 0)
            return loops[i].fn;
    return mw_op_attr(op, "to") ? find_cast(in[0], out) : NULL;
}

static const mw_kernel_row rows[] = {
#define ROW(op, name, code, ...) {#op, code, run_##op##_##name},
    MAPS(ROW){"pow", MW_F32, run_pow_f32},
    {"sin", MW_F32, run_sin_f32},
    {"cos", MW_F32, run_cos_f32},
    {"where", MW_F32, run_where_4},
    {"where", MW_I32, run_where_4},
    {"where", MW_U32, run_where_4},
    {"where", MW_F64, run_where_8},
    {"where", MW_I64, run_where_8},
    {"where", MW_U64, run_where_8},
    {"where", MW_BOOL, run_where_1},
    {"cast", MW_F32, run_cast},
    {"cast", MW_I32, run_cast},
    {"cast", MW_I64, run_cast},
    {"cast", MW_BOOL, run_cast},
    {0},
};

const mw_kernel_def mw_kernel_map = {
    .name = "map",
    .brief = "element by element, vectorised",
    .rows = rows,
};
