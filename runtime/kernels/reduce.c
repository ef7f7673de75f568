/* reduce.c - sums, products and extremes along letters.
 *
 * The input is walked in its own order. Where the innermost axis is reduced, a
 * row becomes one element through LANES partial results, combined in a fixed
 * order; where it is kept, rows are combined element by element. */
#include "runtime/combine.h"
#include "ir/loop.h"
#include "runtime/kernel.h"
#include "runtime/kernels/map.h"
#include "runtime/kernels/vector.h"
#include "runtime/parallel.h"
#include "runtime/rows.h"

enum { LANES = 16, THREAD_MIN = 1 << 16 };

/* op, name, type, b combined into a */
#define FOLDS(X, name, type)                                                   \
    X(sum, name, type, a + b)                                                  \
    X(prod, name, type, a *b)                                                  \
    X(max, name, type, a > b || a != a ? a : b)                                \
    X(min, name, type, a < b || a != a ? a : b)

#define FOLD(op, name, type, value)                                            \
    MW_INLINE type op##_of_##name(type a, type b)                              \
    {                                                                          \
        return value;                                                          \
    }                                                                          \
    MW_VECTOR static void fold_##op##_##name(int64_t n, void *out,             \
                                             const void *in)                   \
    {                                                                          \
        const type *restrict x = in;                                           \
        type *restrict y = out;                                                \
        int64_t i = 0;                                                         \
        if (n >= LANES) {                                                      \
            type lane[LANES];                                                  \
            for (int k = 0; k < LANES; k++)                                    \
                lane[k] = x[k];                                                \
            for (i = LANES; i + LANES <= n; i += LANES)                        \
                for (int k = 0; k < LANES; k++)                                \
                    lane[k] = op##_of_##name(lane[k], x[i + k]);               \
            for (int half = LANES / 2; half > 0; half /= 2)                    \
                for (int k = 0; k < half; k++)                                 \
                    lane[k] = op##_of_##name(lane[k], lane[k + half]);         \
            y[0] = op##_of_##name(y[0], lane[0]);                              \
        }                                                                      \
        for (; i < n; i++)                                                     \
            y[0] = op##_of_##name(y[0], x[i]);                                 \
    }
FOLDS(FOLD, f32, float)
FOLDS(FOLD, f64, double)

static const struct fold {
    mw_dtype dtype;
    mw_reduce kind;
    mw_fold_fn *fn;
} folds[] = {
    {MW_F32, MW_REDUCE_SUM, fold_sum_f32},
    {MW_F32, MW_REDUCE_PROD, fold_prod_f32},
    {MW_F32, MW_REDUCE_MAX, fold_max_f32},
    {MW_F32, MW_REDUCE_MIN, fold_min_f32},
    {MW_F64, MW_REDUCE_SUM, fold_sum_f64},
    {MW_F64, MW_REDUCE_PROD, fold_prod_f64},
    {MW_F64, MW_REDUCE_MAX, fold_max_f64},
    {MW_F64, MW_REDUCE_MIN, fold_min_f64},
};

mw_fold_fn *mw_fold_loop(mw_dtype dtype, mw_reduce kind)
{
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++)
        if (folds[i].dtype == dtype && folds[i].kind == kind)
            return folds[i].fn;
    return NULL;
}

// Output and input strides over the input's axes.
static void make_rows(mw_rows *rows, const mw_kernel_call *call)
{
    const mw_op *op = call->op;
    const mw_view *in = &call->in[0];
    int64_t stride[2][MW_MAX_LETTERS], step = 1;
    for (int i = in->rank - 1; i >= 0; i--) {
        int letter = op->in[0].letter[i];
        stride[1][i] = step;
        step *= in->size[i];
        stride[0][i] =
            letter == MW_NONE
                ? 0
                : mw_letter_stride(&op->out[0], &call->out[0], letter);
    }
    mw_rows_make(rows, in->rank, in->size, 2, stride);
}

/* A walk over a part of the outermost axis. */
typedef struct walk {
    const mw_rows *rows;
    const mw_kernel_call *call;
    mw_fold_fn *fold;
    mw_combine_fn *combine;
    int64_t item;
} walk;

static void run_row(const walk *w, char *y, const char *x)
{
    int last = w->rows->n - 1;
    int64_t n = w->rows->extent[last];
    if (w->rows->stride[0][last] == 0) {
        w->fold(n, y, x);
    } else if (w->rows->stride[0][last] == 1) {
        w->combine(y, x, n);
    } else {
        int64_t step = w->rows->stride[0][last] * w->item;
        for (int64_t i = 0; i < n; i++)
            w->combine(y + i * step, x + i * w->item, 1);
    }
}

// Rows whose index along the outermost axis lies in [lo, hi).
static void run_part(const walk *w, int64_t lo, int64_t hi)
{
    const mw_rows *rows = w->rows;
    int64_t index[MW_MAX_LETTERS] = {0};
    int64_t end[MW_MAX_LETTERS];
    char *y = (char *)w->call->out[0].data + lo * rows->stride[0][0] * w->item;
    const char *x =
        (const char *)w->call->in[0].data + lo * rows->stride[1][0] * w->item;
    for (int i = 0; i < rows->n; i++)
        end[i] = rows->extent[i];
    end[0] = hi - lo;
    int axis;
    do {
        run_row(w, y, x);
        for (axis = rows->n - 2; axis >= 0; axis--) {
            y += rows->stride[0][axis] * w->item;
            x += rows->stride[1][axis] * w->item;
            if (++index[axis] < end[axis])
                break;
            y -= rows->stride[0][axis] * w->item * end[axis];
            x -= rows->stride[1][axis] * w->item * end[axis];
            index[axis] = 0;
        }
    } while (axis >= 0);
}

static void run_some(void *arg, int64_t lo, int64_t hi)
{
    run_part(arg, lo, hi);
}

// Threads share the outermost axis, if each of its indices is kept.
static void run_parts(walk *w)
{
    bool one = w->rows->n == 1 || w->rows->stride[0][0] == 0 ||
               mw_view_elements(&w->call->in[0]) < THREAD_MIN;
    mw_parallel(one ? 1 : w->call->threads, w->rows->extent[0], run_some, w);
}

static bool run(const mw_kernel_call *call)
{
    const mw_view *in = &call->in[0];
    mw_view *out = &call->out[0];
    mw_reduce kind = call->op->def->reduce;
    mw_rows rows;
    make_rows(&rows, call);
    walk w = {&rows, call, mw_fold_loop(in->dtype, kind),
              mw_combine_find(in->dtype, kind), mw_dtype_bytes(in->dtype)};
    char neutral[8];
    mw_combine_neutral(in->dtype, kind, neutral);
    char *y = out->data;
    for (int64_t i = 0, n = mw_view_elements(out); i < n; i++)
        memcpy(y + i * w.item, neutral, (size_t)w.item);
    if (mw_view_elements(in) > 0)
        run_parts(&w);
    return true;
}

static const mw_kernel_row rows[] = {
    {"reduce_sum", MW_F32, run},
    {"reduce_sum", MW_F64, run},
    {"reduce_prod", MW_F32, run},
    {"reduce_prod", MW_F64, run},
    {"reduce_max", MW_F32, run},
    {"reduce_max", MW_F64, run},
    {"reduce_min", MW_F32, run},
    {"reduce_min", MW_F64, run},
    {0},
};

const mw_kernel_def mw_kernel_reduce = {
    .name = "reduce",
    .brief = "reductions, vectorised",
    .rows = rows,
};
