/*
 * conv_grad.c - gradients of convolutions: on BLAS (runtime/conv_columns.h), or
 * with few channels row by row along the last spatial axis: a tap's weight
 * times a row is added to a row, or two rows make a dot product.
 */
#include <string.h>

#include "ir/loop.h"
#include "runtime/conv_columns.h"
#include "runtime/conv_space.h"
#include "runtime/kernel.h"
#include "runtime/kernels/vector.h"
#include "runtime/parallel.h"

enum { OUT = MW_CONV_RESULT, THREAD_MIN = 20000, LANES = 8 };

/* A letter without a spatial axis: examples, groups, channels. */
typedef struct side {
    int64_t extent, step[3];
} side;

typedef struct work work;
/* n products of rows that step so far. */
typedef void row_fn(const work *w, const int64_t at[3], int64_t n,
                    const int64_t step[3]);

struct work {
    const mw_kernel_call *call;
    const mw_conv_roles *roles;
    int n_spaces, n_sides;
    mw_conv_space space[MW_MAX_SPATIAL];
    side side[MW_MAX_LETTERS]; /* the first is dealt out to threads */
    bool shared;               /* the first is not the result's: one thread */
    row_fn *row;
    void *data[3];
};

static bool is_spatial(const work *w, int k, int axis)
{
    for (int i = 0; i < w->n_spaces; i++)
        if (mw_conv_axis(w->roles, k, &w->space[i].s) == axis)
            return true;
    return false;
}

// The letters of axes that are not spatial, those of the result first, of
// them the longest.
static void make_sides(work *w)
{
    const mw_op *op = w->call->op;
    int place[MW_MAX_LETTERS], longest = 0;
    memset(place, MW_NONE, sizeof place);
    for (int k = OUT; k >= 0; k--) {
        const mw_view *v = mw_conv_view(w->call, k);
        for (int a = 0; a < v->rank; a++) {
            int letter = mw_conv_operand(op, k)->letter[a];
            if (is_spatial(w, k, a))
                continue;
            if (place[letter] == MW_NONE) {
                place[letter] = w->n_sides;
                w->side[w->n_sides++] = (side){.extent = v->size[a]};
                if (k == OUT && w->side[longest].extent < v->size[a])
                    longest = place[letter];
            }
            w->side[place[letter]].step[k] = mw_view_stride(v, a);
        }
    }
    w->shared = w->side[longest].step[OUT] == 0;
    if (w->n_sides == 0)
        w->side[w->n_sides++] = (side){.extent = 1};
    side first = w->side[longest];
    w->side[longest] = w->side[0];
    w->side[0] = first;
}

// Outputs of the block whose tap t is in x's block.
static void reached(const mw_conv_space *p, int64_t t, int64_t *lo, int64_t *hi)
{
    const mw_spatial *s = &p->s;
    int64_t from = p->x_start + s->pad_begin - t * s->dilation;
    int64_t to = from + p->x_size - 1;
    *lo = from > 0 ? (from + s->stride - 1) / s->stride : 0;
    *hi = to < 0 ? 0 : to / s->stride + 1;
    if (*lo < p->o_start)
        *lo = p->o_start;
    if (*hi > p->o_start + p->o_size)
        *hi = p->o_start + p->o_size;
}

// Adds to at[] what tap t and output o of an axis are in the three blocks.
static void place(const work *w, const mw_conv_space *p, int64_t t, int64_t o,
                  const int64_t at[3], int64_t to[3])
{
    const mw_conv_roles *r = w->roles;
    int64_t x = o * p->s.stride + t * p->s.dilation - p->s.pad_begin;
    to[r->x] = at[r->x] + (x - p->x_start) * p->step[r->x];
    to[r->w] = at[r->w] + t * p->step[r->w];
    to[r->o] = at[r->o] + (o - p->o_start) * p->step[r->o];
}

static void last_space(const work *w, const mw_conv_space *p,
                       const int64_t at[3])
{
    const mw_conv_roles *r = w->roles;
    int64_t step[3] = {0};
    step[r->x] = p->step[r->x] * p->s.stride;
    step[r->o] = p->step[r->o];
    for (int64_t t = 0; t < p->taps; t++) {
        int64_t lo, hi, to[3];
        reached(p, t, &lo, &hi);
        place(w, p, t, lo, at, to);
        if (lo < hi)
            w->row(w, to, hi - lo, step);
    }
}

// Axes i, i + 1, … of at most MW_MAX_SPATIAL.
static void spaces(const work *w, int i, const int64_t at[3])
{
    const mw_conv_space *p = &w->space[i];
    if (i == w->n_spaces - 1 || i == MW_MAX_SPATIAL - 1) {
        last_space(w, p, at);
        return;
    }
    for (int64_t t = 0; t < p->taps; t++) {
        int64_t lo, hi, to[3];
        reached(p, t, &lo, &hi);
        for (int64_t o = lo; o < hi; o++) {
            place(w, p, t, o, at, to);
            spaces(w, i + 1, to);
        }
    }
}

static void run_part(void *arg, int64_t lo, int64_t hi)
{
    const work *w = arg;
    int64_t index[MW_MAX_LETTERS] = {lo}, at[3];
    for (int k = 0; k < 3; k++)
        at[k] = lo * w->side[0].step[k];
    for (int i = 1; i < w->n_sides; i++)
        if (w->side[i].extent == 0)
            return;
    for (int i = 0; i >= 0;) {
        spaces(w, 0, at);
        for (i = w->n_sides - 1; i >= 0; i--) {
            int64_t end = i == 0 ? hi : w->side[i].extent;
            int64_t begin = i == 0 ? lo : 0;
            bool wraps = ++index[i] == end;
            for (int k = 0; k < 3; k++)
                at[k] += (wraps ? begin + 1 - end : 1) * w->side[i].step[k];
            if (!wraps)
                break;
            index[i] = begin;
        }
    }
}

/* type's name, type: y += a x; and a + sum of x z, in lanes of partial sums */
#define ROWS(name, type)                                                       \
    MW_VECTOR static void add_dense_##name(                                    \
        int64_t n, type a, const type *restrict x, type *restrict y)           \
    {                                                                          \
        for (int64_t i = 0; i < n; i++)                                        \
            y[i] += a * x[i];                                                  \
    }                                                                          \
    MW_VECTOR static type dot_dense_##name(int64_t n, const type *x,           \
                                           const type *z)                      \
    {                                                                          \
        type sum[LANES] = {0}, total = 0;                                      \
        int64_t i = 0;                                                         \
        for (; i + LANES <= n; i += LANES)                                     \
            for (int k = 0; k < LANES; k++)                                    \
                sum[k] += x[i + k] * z[i + k];                                 \
        for (; i < n; i++)                                                     \
            total += x[i] * z[i];                                              \
        for (int k = 0; k < LANES; k++)                                        \
            total += sum[k];                                                   \
        return total;                                                          \
    }                                                                          \
    static void spread_##name(const work *w, const int64_t at[3], int64_t n,   \
                              const int64_t step[3])                           \
    {                                                                          \
        const type *x = (const type *)w->data[0] + at[0];                      \
        type a = ((const type *)w->data[1])[at[1]];                            \
        type *y = (type *)w->data[OUT] + at[OUT];                              \
        if (step[0] == 1 && step[OUT] == 1) {                                  \
            add_dense_##name(n, a, x, y);                                      \
            return;                                                            \
        }                                                                      \
        for (int64_t i = 0; i < n; i++)                                        \
            y[i * step[OUT]] += a * x[i * step[0]];                            \
    }                                                                          \
    static void gather_##name(const work *w, const int64_t at[3], int64_t n,   \
                              const int64_t step[3])                           \
    {                                                                          \
        const type *x = (const type *)w->data[0] + at[0];                      \
        const type *z = (const type *)w->data[1] + at[1];                      \
        type *y = (type *)w->data[OUT] + at[OUT], total = 0;                   \
        if (step[0] == 1 && step[1] == 1) {                                    \
            *y += dot_dense_##name(n, x, z);                                   \
            return;                                                            \
        }                                                                      \
        for (int64_t i = 0; i < n; i++)                                        \
            total += x[i * step[0]] * z[i * step[1]];                          \
        *y += total;                                                           \
    }
ROWS(f32, float)
ROWS(f64, double)

static bool run(const mw_kernel_call *call, const mw_conv_roles *roles,
                row_fn *row)
{
    work w = {.call = call, .roles = roles, .row = row};
    mw_view *out = &call->out[0];
    int64_t n = mw_view_elements(out), all = 1;
    if (n == 0 || mw_conv_columns_run(call, roles))
        return true;
    for (int k = 0; k < 3; k++)
        w.data[k] = mw_conv_view(call, k)->data;
    w.n_spaces = mw_conv_spaces(call, roles, w.space);
    make_sides(&w);
    memset(out->data, 0, (size_t)(n * mw_dtype_bytes(out->dtype)));
    for (int i = 0; i < w.n_sides; i++)
        all *= w.side[i].extent;
    for (int i = 0; i < w.n_spaces; i++)
        all *= w.space[i].o_size * w.space[i].taps;
    bool serial = w.shared || all < THREAD_MIN;
    mw_parallel(serial ? 1 : call->threads, w.side[0].extent, run_part, &w);
    return true;
}

static bool spread32(const mw_kernel_call *call)
{
    return run(call, &mw_conv_transpose_roles, spread_f32);
}

static bool spread64(const mw_kernel_call *call)
{
    return run(call, &mw_conv_transpose_roles, spread_f64);
}

static bool gather32(const mw_kernel_call *call)
{
    return run(call, &mw_conv_weight_grad_roles, gather_f32);
}

static bool gather64(const mw_kernel_call *call)
{
    return run(call, &mw_conv_weight_grad_roles, gather_f64);
}

static const mw_kernel_row rows[] = {
    {"conv_transpose", MW_F32, spread32},
    {"conv_transpose", MW_F64, spread64},
    {"conv_weight_grad", MW_F32, gather32},
    {"conv_weight_grad", MW_F64, gather64},
    {0},
};

const mw_kernel_def mw_kernel_conv_grad = {
    .name = "conv_grad",
    .brief = "gradients of convolutions, row by row",
    .rows = rows,
};
