/* conv_columns.c - a slab's pixels are listed as runs along the last spatial
 * axis; for each row of columns a run is copied, with zeros where its tap hangs
 * over the edge, or added up where it came from. */
#include "runtime/conv_columns.h"

#include <string.h>

#include "ir/conv_grad.h"
#include "ir/loop.h"
#include "runtime/conv_space.h"
#include "runtime/gemm_run.h"
#include "runtime/kernels/vector.h"
#include "runtime/parallel.h"

/* Channels from which a product pays, and elements that a thread is to have. */
enum { LEAST = 8, THREAD_MIN = 1 << 14 };

/* Letters of one kind, outermost first as they lie in the operand that is
 * walked. */
typedef struct side {
    int n;
    int64_t extent[MW_MAX_LETTERS], step[MW_MAX_LETTERS][3], total;
} side;

/* Pixels that follow each other along the last spatial axis. */
typedef struct run {
    int64_t n, column;           /* of the slab */
    int64_t o, x;                /* where they begin; of x: the example */
    int64_t pos[MW_MAX_SPATIAL]; /* in x's block, of tap 0 */
} run;

typedef struct work {
    const mw_kernel_call *call;
    const mw_conv_roles *roles;
    int n_spaces;
    mw_conv_space space[MW_MAX_SPATIAL];
    side side[MW_CONV_SIDES];
    int64_t item, taps, pixels, rows; /* pixels of an example; all rows */
    mw_conv_columns slab;
    char *data[3]; /* at the group */
    char *columns, *outputs, *weights;
    int n_runs;
    run run[MW_COLUMN_PIXELS + 2];
    /* of the slab at hand */
    int64_t row, n_rows, n_pixels;
} work;

static int64_t at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

/* ---- letters ------------------------------------------------------------ */

static int64_t step_in(const work *w, int k, int letter)
{
    int axis = mw_operand_axis(mw_conv_operand(w->call->op, k), letter);
    return axis == MW_NONE ? 0 : mw_view_stride(mw_conv_view(w->call, k), axis);
}

static void add_letter(work *w, int letter, int64_t extent)
{
    mw_conv_side kind = mw_conv_side_of(w->call->op, w->roles, letter);
    if (kind == MW_CONV_SIDES)
        return;
    side *s = &w->side[kind];
    s->extent[s->n] = extent;
    for (int k = 0; k < 3; k++)
        s->step[s->n][k] = step_in(w, k, letter);
    s->total *= extent;
    s->n++;
}

// In the order of o, and of what o lacks in that of x.
static void make_sides(work *w)
{
    bool done[MW_MAX_LETTERS] = {false};
    const int order[] = {w->roles->o, w->roles->x};
    for (int i = 0; i < MW_CONV_SIDES; i++)
        w->side[i].total = 1;
    for (int i = 0; i < 2; i++) {
        const mw_view *v = mw_conv_view(w->call, order[i]);
        const mw_operand *x = mw_conv_operand(w->call->op, order[i]);
        for (int a = 0; a < v->rank; a++) {
            int letter = x->letter[a];
            if (letter == MW_NONE || done[letter])
                continue;
            done[letter] = true;
            add_letter(w, letter, v->size[a]);
        }
    }
}

// Adds where value i of the letters lies in the three operands.
static void offset_of(const side *s, int64_t i, int64_t at[3])
{
    for (int l = s->n - 1; l >= 0; l--) {
        int64_t value = i % s->extent[l];
        i /= s->extent[l];
        for (int k = 0; k < 3; k++)
            at[k] += value * s->step[l][k];
    }
}

/* ---- a slab's pixels ---------------------------------------------------- */

static void add_run(work *w, int64_t pixel, int64_t column, int64_t n)
{
    const int x = w->roles->x, o = w->roles->o;
    int64_t at[3] = {0};
    run *r = &w->run[w->n_runs++];
    offset_of(&w->side[MW_CONV_EXAMPLES], pixel / w->pixels, at);
    *r = (run){.n = n, .column = column, .o = at[o], .x = at[x]};
    pixel %= w->pixels;
    for (int i = w->n_spaces - 1; i >= 0; i--) {
        const mw_conv_space *p = &w->space[i];
        int64_t index = pixel % p->o_size;
        pixel /= p->o_size;
        r->o += index * p->step[o];
        r->pos[i] =
            (p->o_start + index) * p->s.stride - p->s.pad_begin - p->x_start;
    }
}

static void list_runs(work *w, int64_t first, int64_t n)
{
    int64_t line = w->space[w->n_spaces - 1].o_size;
    w->n_runs = 0;
    w->n_pixels = n;
    for (int64_t done = 0; done < n;) {
        int64_t left = line - (first + done) % line;
        int64_t length = left < n - done ? left : n - done;
        add_run(w, first + done, done, length);
        done += length;
    }
}

/* Of a run, what a tap reads within x: elements [lo, hi), from x on. */
typedef struct reach {
    int64_t lo, hi, x, step;
} reach;

static reach reach_of(const work *w, const run *r, const int64_t tap[])
{
    const int x = w->roles->x;
    reach found = {.hi = r->n, .x = r->x};
    for (int i = 0; i < w->n_spaces; i++) {
        const mw_conv_space *p = &w->space[i];
        int64_t pos = r->pos[i] + tap[i] * p->s.dilation;
        int64_t stride = p->s.stride;
        if (i < w->n_spaces - 1) {
            if (pos < 0 || pos >= p->x_size)
                return (reach){0};
            found.x += pos * p->step[x];
            continue;
        }
        int64_t end = pos < p->x_size ? (p->x_size - pos - 1) / stride + 1 : 0;
        found.lo = pos < 0 ? (-pos + stride - 1) / stride : 0;
        found.hi = end < r->n ? end : r->n;
        found.x += (pos + found.lo * stride) * p->step[x];
        found.step = stride * p->step[x];
    }
    return found.lo < found.hi ? found : (reach){0};
}

// Elements that step so far, in both.
static void copy(int64_t item, int64_t n, char *to, const char *from,
                 int64_t to_step, int64_t step)
{
    if (step == 1 && to_step == 1)
        memcpy(to, from, (size_t)(n * item));
    else if (item == 4)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step * 4, from + i * step * 4, 4);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * to_step * 8, from + i * step * 8, 8);
}

#define ADD(name, type)                                                        \
    MW_VECTOR static void add_columns_##name(int64_t n, type *restrict y,      \
                                             const type *restrict x)           \
    {                                                                          \
        for (int64_t i = 0; i < n; i++)                                        \
            y[i] += x[i];                                                      \
    }                                                                          \
    static void spread_##name(int64_t n, type *y, int64_t step, const type *x) \
    {                                                                          \
        if (step == 1)                                                         \
            add_columns_##name(n, y, x);                                       \
        else                                                                   \
            for (int64_t i = 0; i < n; i++)                                    \
                y[i * step] += x[i];                                           \
    }
ADD(f32, float)
ADD(f64, double)

/* ---- packing ------------------------------------------------------------ */

// A row's channel, in x and w, and its taps; channels outermost.
static void row_at(const work *w, int64_t row, int64_t at[3], int64_t tap[])
{
    int64_t rest = row % w->taps;
    offset_of(&w->side[MW_CONV_INPUTS], row / w->taps, at);
    for (int i = w->n_spaces - 1; i >= 0; i--) {
        tap[i] = rest % w->space[i].taps;
        rest /= w->space[i].taps;
        at[w->roles->w] += tap[i] * w->space[i].step[w->roles->w];
    }
}

static void do_row(const work *w, int64_t i, bool add)
{
    int64_t at[3] = {0}, tap[MW_MAX_SPATIAL];
    char *row = w->columns + i * w->n_pixels * w->item;
    row_at(w, w->row + i, at, tap);
    char *data = w->data[w->roles->x] + at[w->roles->x] * w->item;
    for (int k = 0; k < w->n_runs; k++) {
        const run *r = &w->run[k];
        reach in = reach_of(w, r, tap);
        char *to = row + r->column * w->item, *x = data + in.x * w->item;
        int64_t n = in.hi - in.lo;
        if (!add) {
            memset(to, 0, (size_t)(in.lo * w->item));
            copy(w->item, n, to + in.lo * w->item, x, 1, in.step);
            memset(to + in.hi * w->item, 0, (size_t)((r->n - in.hi) * w->item));
        } else if (w->item == 4) {
            spread_f32(n, (float *)(void *)x, in.step,
                       (const float *)(void *)to + in.lo);
        } else {
            spread_f64(n, (double *)(void *)x, in.step,
                       (const double *)(void *)to + in.lo);
        }
    }
}

static void gather_rows(void *arg, int64_t lo, int64_t hi)
{
    for (int64_t i = lo; i < hi; i++)
        do_row(arg, i, false);
}

// Rows of one channel meet in x: [lo, hi) are channels of the slab.
static void add_channels(void *arg, int64_t lo, int64_t hi)
{
    const work *w = arg;
    int64_t first = w->row / w->taps * w->taps - w->row;
    int64_t begin = first + lo * w->taps, end = first + hi * w->taps;
    for (int64_t i = begin > 0 ? begin : 0; i < at_most(end, w->n_rows); i++)
        do_row(w, i, true);
}

// o's part: a row for each output channel.
static void gather_outputs(void *arg, int64_t lo, int64_t hi)
{
    const work *w = arg;
    const int o = w->roles->o;
    int64_t step = w->space[w->n_spaces - 1].step[o];
    for (int64_t c = lo; c < hi; c++) {
        int64_t at[3] = {0};
        char *row = w->outputs + c * w->n_pixels * w->item;
        offset_of(&w->side[MW_CONV_OUTPUTS], c, at);
        for (int k = 0; k < w->n_runs; k++)
            copy(w->item, w->run[k].n, row + w->run[k].column * w->item,
                 w->data[o] + (at[o] + w->run[k].o) * w->item, 1, step);
    }
}

// The weight's part, a row for each row of columns: taken, or put back. A row
// is runs along the innermost letter of the outputs.
static void move_weights(work *w, bool back)
{
    const int of = w->roles->w;
    const side *s = &w->side[MW_CONV_OUTPUTS];
    int64_t line = s->n > 0 ? s->extent[s->n - 1] : 1;
    int64_t step = s->n > 0 ? s->step[s->n - 1][of] : 1;
    for (int64_t i = 0; i < w->n_rows; i++) {
        int64_t at[3] = {0}, tap[MW_MAX_SPATIAL];
        char *row = w->weights + i * w->slab.outputs * w->item;
        row_at(w, w->row + i, at, tap);
        for (int64_t c = 0; c < w->slab.outputs; c += line) {
            int64_t own[3] = {at[0], at[1], at[2]};
            offset_of(s, c, own);
            char *x = w->data[of] + own[of] * w->item, *y = row + c * w->item;
            if (back)
                copy(w->item, line, x, y, step, 1);
            else
                copy(w->item, line, y, x, 1, step);
        }
    }
}

/* ---- slabs -------------------------------------------------------------- */

static void in_parts(work *w, int64_t n, int64_t elements, mw_parallel_fn *fn)
{
    mw_parallel(elements < THREAD_MIN ? 1 : w->call->threads, n, fn, w);
}

static void take_pixels(work *w, int64_t first, int64_t all)
{
    list_runs(w, first, at_most(w->slab.pixels, all - first));
    in_parts(w, w->slab.outputs, w->slab.outputs * w->n_pixels, gather_outputs);
}

static void take_rows(work *w, int64_t row)
{
    w->row = row;
    w->n_rows = at_most(w->slab.rows, w->rows - row);
}

// weights (+)= columns o^T, over all pixels.
static void weight_slab(work *w, int64_t all)
{
    for (int64_t first = 0; first < all; first += w->slab.pixels) {
        take_pixels(w, first, all);
        in_parts(w, w->n_rows, w->n_rows * w->n_pixels, gather_rows);
        const mw_blas_matrix a = {w->columns, false, w->n_pixels},
                             b = {w->outputs, true, w->n_pixels},
                             c = {w->weights, false, w->slab.outputs};
        mw_blas_multiply(w->item, &a, &b, &c,
                         (int64_t[3]){w->n_rows, w->slab.outputs, w->n_pixels},
                         first > 0, w->call->threads);
    }
    move_weights(w, true);
}

// columns = weights o, added to x.
static void input_slab(work *w)
{
    const mw_blas_matrix a = {w->weights, false, w->slab.outputs},
                         b = {w->outputs, false, w->n_pixels},
                         c = {w->columns, false, w->n_pixels};
    move_weights(w, false);
    mw_blas_multiply(w->item, &a, &b, &c,
                     (int64_t[3]){w->n_rows, w->n_pixels, w->slab.outputs},
                     false, w->call->threads);
    int64_t last = (w->row + w->n_rows - 1) / w->taps;
    in_parts(w, last - w->row / w->taps + 1, w->n_rows * w->n_pixels,
             add_channels);
}

static void run_group(work *w)
{
    int64_t all = w->side[MW_CONV_EXAMPLES].total * w->pixels;
    if (w->roles->w == MW_CONV_RESULT) {
        for (int64_t row = 0; row < w->rows; row += w->slab.rows) {
            take_rows(w, row);
            weight_slab(w, all);
        }
        return;
    }
    for (int64_t first = 0; first < all; first += w->slab.pixels) {
        take_pixels(w, first, all);
        for (int64_t row = 0; row < w->rows; row += w->slab.rows) {
            take_rows(w, row);
            input_slab(w);
        }
    }
}

static bool prepare(work *w)
{
    mw_dtype dtype = w->call->out[0].dtype;
    int64_t bytes[3];
    w->item = mw_dtype_bytes(dtype);
    w->n_spaces = mw_conv_spaces(w->call, w->roles, w->space);
    make_sides(w);
    w->taps = w->pixels = 1;
    for (int i = 0; i < w->n_spaces; i++) {
        w->taps *= w->space[i].taps;
        w->pixels *= w->space[i].o_size;
    }
    w->rows = w->side[MW_CONV_INPUTS].total * w->taps;
    int64_t all = w->side[MW_CONV_EXAMPLES].total * w->pixels;
    w->slab = mw_conv_columns_of(w->rows, w->side[MW_CONV_OUTPUTS].total, all);
    mw_conv_columns_bytes(&w->slab, dtype, bytes);
    w->columns = w->call->workspace;
    w->outputs = w->columns + bytes[0];
    w->weights = w->outputs + bytes[1];
    return (dtype == MW_F32 || dtype == MW_F64) && w->rows >= LEAST &&
           w->slab.outputs >= LEAST && all >= LEAST &&
           bytes[0] + bytes[1] + bytes[2] <= w->call->workspace_bytes;
}

bool mw_conv_columns_run(const mw_kernel_call *call, const mw_conv_roles *roles)
{
    work w = {.call = call, .roles = roles};
    if (!prepare(&w))
        return false;
    const side *groups = &w.side[MW_CONV_GROUPS];
    mw_blas_threads(call->threads);
    memset(call->out[0].data, 0,
           (size_t)(mw_view_elements(&call->out[0]) * w.item));
    for (int64_t g = 0; g < groups->total; g++) {
        int64_t at[3] = {0};
        offset_of(groups, g, at);
        for (int k = 0; k < 3; k++)
            w.data[k] = (char *)mw_conv_view(call, k)->data + at[k] * w.item;
        run_group(&w);
    }
    return true;
}
