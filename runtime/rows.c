/* rows.c - joins axes, cuts rows into pieces, lays operands out. */
#include "runtime/rows.h"

#include <string.h>

#include "base/wide.h"
#include "runtime/parallel.h"

enum { ITEM_MAX = 8, THREAD_MIN = 1 << 16 };

int64_t mw_letter_stride(const mw_operand *operand, const mw_view *view,
                         int letter)
{
    int64_t stride = 1;
    for (int i = view->rank - 1; i >= 0; i--) {
        if (operand->letter[i] == letter)
            return stride;
        stride *= view->size[i];
    }
    return 0;
}

// Axis i + 1 runs on where axis i steps, in every view.
static bool runs_on(const mw_rows *rows, int64_t extent,
                    int64_t stride[][MW_MAX_LETTERS], int i)
{
    int last = rows->n - 1;
    for (int v = 0; v < rows->n_views; v++)
        if (rows->stride[v][last] != stride[v][i] * extent)
            return false;
    return true;
}

void mw_rows_make(mw_rows *rows, int n, const int64_t extent[], int n_views,
                  int64_t stride[][MW_MAX_LETTERS])
{
    *rows = (mw_rows){.n_views = n_views};
    for (int i = 0; i < n; i++) {
        if (extent[i] == 1)
            continue;
        int at = rows->n;
        if (at > 0 && runs_on(rows, extent[i], stride, i)) {
            at--;
            rows->extent[at] *= extent[i];
        } else {
            rows->extent[at] = extent[i];
            rows->n++;
        }
        for (int v = 0; v < n_views; v++)
            rows->stride[v][at] = stride[v][i];
    }
    if (rows->n == 0) {
        rows->n = 1;
        rows->extent[0] = 1;
    }
}

void mw_rows_map(mw_rows *rows, const mw_op *op, const mw_view in[],
                 const mw_view *out)
{
    int64_t stride[MW_ROW_VIEWS][MW_MAX_LETTERS];
    for (int i = 0; i < out->rank; i++) {
        int letter = op->out[0].letter[i];
        int64_t step = 1;
        for (int k = out->rank - 1; k > i; k--)
            step *= out->size[k];
        stride[0][i] = step;
        for (int v = 0; v < op->n_in; v++)
            stride[v + 1][i] =
                letter == MW_NONE
                    ? 0
                    : mw_letter_stride(&op->in[v], &in[v], letter);
    }
    mw_rows_make(rows, out->rank, out->size, op->n_in + 1, stride);
}

// One element, n times.
MW_WIDE static void repeat(void *dst, const void *src, int64_t item, int64_t n)
{
    if (item == 4) {
        uint32_t x, *restrict to = dst;
        memcpy(&x, src, 4);
        for (int64_t k = 0; k < n; k++)
            to[k] = x;
    } else if (item == 8) {
        uint64_t x, *restrict to = dst;
        memcpy(&x, src, 8);
        for (int64_t k = 0; k < n; k++)
            to[k] = x;
    } else if (item == 1) {
        memset(dst, *(const unsigned char *)src, (size_t)n);
    } else {
        for (int64_t k = 0; k < n; k++)
            memcpy((char *)dst + k * item, src, (size_t)item);
    }
}

void mw_rows_lay_out(void *dst, const void *first, int64_t item, int64_t stride,
                     int64_t n)
{
    const char *src = first;
    char *to = dst;
    int64_t step = stride * item;
    if (stride == 0) {
        repeat(dst, first, item, n);
        return;
    }
    if (item == 4)
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * 4, src + k * step, 4);
    else if (item == 8)
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * 8, src + k * step, 8);
    else if (item == 1)
        for (int64_t k = 0; k < n; k++)
            to[k] = src[k * step];
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * item, src + k * step, (size_t)item);
}

/* What a thread knows of its walk. */
typedef struct walk {
    const mw_rows *rows;
    const mw_view *in;
    const mw_view *out;
    mw_row_fn *fn;
    int64_t row, n_pieces; /* of a row: elements, pieces */
} walk;

// Piece `piece` of row `row_index`.
static void run_piece(const walk *w, int64_t row_index, int64_t piece)
{
    const mw_rows *rows = w->rows;
    _Alignas(64) char buffer[MW_ROW_VIEWS - 1][MW_ROW_PIECE * ITEM_MAX];
    int64_t at[MW_ROW_VIEWS] = {0}, first = piece * MW_ROW_PIECE;
    for (int i = rows->n - 2; i >= 0; i--) {
        int64_t index = row_index % rows->extent[i];
        row_index /= rows->extent[i];
        for (int v = 0; v < rows->n_views; v++)
            at[v] += index * rows->stride[v][i];
    }
    int64_t n = w->row - first < MW_ROW_PIECE ? w->row - first : MW_ROW_PIECE;
    const void *x[MW_ROW_VIEWS - 1] = {NULL};
    for (int v = 1; v < rows->n_views; v++) {
        const mw_view *view = &w->in[v - 1];
        int64_t item = mw_dtype_bytes(view->dtype);
        int64_t stride = rows->stride[v][rows->n - 1];
        const char *src =
            (const char *)view->data + (at[v] + first * stride) * item;
        x[v - 1] = src;
        if (stride != 1 && n > 1) {
            mw_rows_lay_out(buffer[v - 1], src, item, stride, n);
            x[v - 1] = buffer[v - 1];
        }
    }
    int64_t item = mw_dtype_bytes(w->out->dtype);
    w->fn(n, (char *)w->out->data + (at[0] + first) * item, x);
}

static void run_pieces(void *arg, int64_t lo, int64_t hi)
{
    const walk *w = arg;
    for (int64_t i = lo; i < hi; i++)
        run_piece(w, i / w->n_pieces, i % w->n_pieces);
}

void mw_rows_run(const mw_rows *rows, const mw_view in[], const mw_view *out,
                 int threads, mw_row_fn *fn)
{
    int64_t n_rows = 1, row = rows->extent[rows->n - 1];
    for (int i = 0; i < rows->n - 1; i++)
        n_rows *= rows->extent[i];
    if (n_rows == 0 || row == 0)
        return;
    walk w = {rows, in, out, fn, row, (row + MW_ROW_PIECE - 1) / MW_ROW_PIECE};
    int64_t n = n_rows * w.n_pieces;
    mw_parallel(n_rows * row < THREAD_MIN ? 1 : threads, n, run_pieces, &w);
}
