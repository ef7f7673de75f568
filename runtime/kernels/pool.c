/*
 * pool.c - pooling of f32, a row of the result at a time: what a tap reads of
 * the row is combined into it element by element. Where the innermost axis is
 * no window these are the same elements of the input, else every stride-th one
 * of those that the input has.
 */
#include <math.h>

#include "ir/loop.h"
#include "ir/pool.h"
#include "runtime/kernel.h"
#include "runtime/kernels/vector.h"
#include "runtime/parallel.h"

enum { THREAD_MIN = 1 << 16 };

/* y[i] = y[i] combined with x[i * step]; NaN stays. */
typedef void row_fn(int64_t n, int64_t step, float *y, const float *x);

#define ROW(name, value)                                                       \
    MW_VECTOR static void name##_row(                                          \
        int64_t n, int64_t step, float *restrict y, const float *restrict x)   \
    {                                                                          \
        for (int64_t i = 0; step == 1 && i < n; i++) {                         \
            float a = y[i], b = x[i];                                          \
            y[i] = value;                                                      \
        }                                                                      \
        for (int64_t i = 0; step != 1 && i < n; i++) {                         \
            float a = y[i], b = x[i * step];                                   \
            y[i] = value;                                                      \
        }                                                                      \
    }
ROW(max, a > b || a != a ? a : b)
ROW(sum, a + b)

MW_VECTOR static void divide(int64_t n, float *y, float by)
{
    for (int64_t i = 0; i < n; i++)
        y[i] /= by;
}

/* A spatial axis: window o's tap t is at o * stride + t * dilation + base of
 * the input's block. */
typedef struct space {
    mw_pool_axis axis;
    int64_t base, size, step, whole, start;
    int64_t from; /* whole index of the result's first window */
} space;

/* An axis of the result but the last. */
typedef struct outer {
    int64_t extent, step; /* of the input, where it is no window */
    int space;            /* or MW_NONE */
} outer;

typedef struct pool {
    const mw_kernel_call *call;
    row_fn *row;
    float begin; /* what a window starts from */
    bool averages, count_pads;
    int n_spaces, n_outer, inner; /* the row's space, or MW_NONE */
    space space[MW_POOL_SPATIAL];
    outer outer[MW_MAX_RANK];
    int64_t n_rows, length, step; /* of a row; between its elements in x */
} pool;

static int64_t step_of(const mw_kernel_call *call, int letter)
{
    for (int a = 0; a < call->in[0].rank; a++)
        if (call->op->in[0].letter[a] == letter)
            return mw_view_stride(&call->in[0], a);
    return 0;
}

static void set_spaces(pool *p)
{
    const mw_view *in = &p->call->in[0], *out = &p->call->out[0];
    mw_pool_axis axis[MW_POOL_SPATIAL];
    p->n_spaces = mw_pool_axes(p->call->op, axis);
    for (int i = 0; i < p->n_spaces; i++) {
        const mw_pool_axis *a = &axis[i];
        bool has = a->in_axis != MW_NONE;
        p->space[i] = (space){
            .axis = *a,
            .start = has ? in->start[a->in_axis] : 0,
            .size = has ? in->size[a->in_axis] : 1,
            .whole = has ? in->whole[a->in_axis] : 1,
            .step = has ? mw_view_stride(in, a->in_axis) : 0,
            .from = a->out_axis == MW_NONE ? 0 : out->start[a->out_axis]};
        p->space[i].base = -a->pad_begin - p->space[i].start;
    }
}

static int space_of(const pool *p, int axis)
{
    for (int i = 0; i < p->n_spaces; i++)
        if (p->space[i].axis.out_axis == axis)
            return i;
    return MW_NONE;
}

static void set_rows(pool *p)
{
    const mw_view *out = &p->call->out[0];
    p->n_rows = p->length = p->step = 1;
    p->inner = MW_NONE;
    for (int a = 0; a < out->rank; a++) {
        int found = space_of(p, a);
        int64_t step = found == MW_NONE
                           ? step_of(p->call, p->call->op->out[0].letter[a])
                           : 0;
        if (a < out->rank - 1) {
            p->outer[p->n_outer++] = (outer){out->size[a], step, found};
            p->n_rows *= out->size[a];
            continue;
        }
        p->length = out->size[a];
        p->inner = found;
        p->step = step;
        if (found != MW_NONE)
            p->step = p->space[found].step * p->space[found].axis.stride;
    }
}

/* Taps of window o along an axis that count. */
static double count_of(const pool *p, const space *s, int64_t o)
{
    int64_t low = p->count_pads ? -s->axis.pad_begin : 0, n = 0;
    int64_t high = s->whole + (p->count_pads ? s->axis.pad_end : 0);
    for (int64_t t = 0; t < s->axis.taps; t++) {
        int64_t at =
            o * s->axis.stride + t * s->axis.dilation - s->axis.pad_begin;
        n += at >= low && at < high;
    }
    return (double)n;
}

static void average(const pool *p, const int64_t o[], float *y)
{
    double count = 1;
    for (int i = 0; i < p->n_spaces; i++)
        if (i != p->inner)
            count *= count_of(p, &p->space[i], o[i]);
    if (p->inner == MW_NONE) {
        if (count > 0)
            divide(p->length, y, (float)count);
        return;
    }
    const space *s = &p->space[p->inner];
    for (int64_t j = 0; j < p->length; j++) {
        double n = count * count_of(p, s, s->from + j);
        if (n > 0)
            y[j] = (float)((double)y[j] / n);
    }
}

// The row's elements that a tap at `at` for the first one reads of the input.
static void clip(const space *s, int64_t at, int64_t *lo, int64_t *hi)
{
    int64_t stride = s->axis.stride;
    int64_t first = at < 0 ? (-at + stride - 1) / stride : 0;
    int64_t end = at < s->size ? (s->size - at + stride - 1) / stride : 0;
    *lo = first;
    *hi = end < *hi ? end : *hi;
}

static void add_tap(const pool *p, const int64_t o[], const int64_t t[],
                    const float *x, float *y)
{
    int64_t lo = 0, hi = p->length;
    for (int i = 0; i < p->n_spaces; i++) {
        const space *s = &p->space[i];
        int64_t at = o[i] * s->axis.stride + t[i] * s->axis.dilation + s->base;
        x += at * s->step;
        if (i == p->inner)
            clip(s, at, &lo, &hi);
        else if (at < 0 || at >= s->size)
            return;
    }
    if (lo < hi)
        p->row(hi - lo, p->step, y + lo, x + lo * p->step);
}

static void run_rows(void *arg, int64_t lo, int64_t hi)
{
    const pool *p = arg;
    for (int64_t row = lo; row < hi; row++) {
        int64_t o[MW_POOL_SPATIAL], t[MW_POOL_SPATIAL] = {0}, rest = row;
        const float *x = p->call->in[0].data;
        float *y = (float *)p->call->out[0].data + row * p->length;
        for (int i = 0; i < p->n_spaces; i++)
            o[i] = p->space[i].from;
        for (int a = p->n_outer - 1; a >= 0; a--) {
            int64_t index = rest % p->outer[a].extent;
            rest /= p->outer[a].extent;
            x += index * p->outer[a].step;
            if (p->outer[a].space != MW_NONE)
                o[p->outer[a].space] += index;
        }
        for (int64_t j = 0; j < p->length; j++)
            y[j] = p->begin;
        for (int i = 0; i >= 0;) {
            add_tap(p, o, t, x, y);
            for (i = p->n_spaces - 1; i >= 0 && ++t[i] >= p->space[i].axis.taps;
                 i--)
                t[i] = 0;
        }
        if (p->averages)
            average(p, o, y);
    }
}

static bool run(const mw_kernel_call *call, row_fn *row, float begin,
                bool averages)
{
    pool p = {.call = call, .row = row, .begin = begin, .averages = averages};
    p.count_pads = mw_op_attr_int(call->op, "count_pads", 0) != 0;
    set_spaces(&p);
    set_rows(&p);
    if (p.n_rows == 0 || p.length == 0)
        return true;
    double work = (double)p.n_rows * (double)p.length;
    for (int i = 0; i < p.n_spaces; i++)
        work *= (double)p.space[i].axis.taps;
    mw_parallel(work < THREAD_MIN ? 1 : call->threads, p.n_rows, run_rows, &p);
    return true;
}

static bool run_max(const mw_kernel_call *call)
{
    return run(call, max_row, -INFINITY, false);
}

static bool run_sum(const mw_kernel_call *call)
{
    return run(call, sum_row, 0, false);
}

static bool run_average(const mw_kernel_call *call)
{
    return run(call, sum_row, 0, true);
}

static const mw_kernel_row rows[] = {
    {"pool_max", MW_F32, run_max},
    {"pool_sum", MW_F32, run_sum},
    {"pool_average", MW_F32, run_average},
    {0},
};

const mw_kernel_def mw_kernel_pool = {
    .name = "pool",
    .brief = "pooling, a row at a time",
    .rows = rows,
};
