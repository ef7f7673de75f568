/*
 * rows.h - walks over blocks in rows, for kernels that work element by
 * element.
 *
 * Axes on which all views step alike are joined, so that the innermost is as
 * long as can be; rows are cut into pieces that fit the first cache and dealt
 * out to threads. An operand that does not run along the row (broadcast, or
 * transposed) is laid out in a buffer first, so that a kernel's loop meets
 * dense pieces only.
 */
#ifndef MW_RUNTIME_ROWS_H
#define MW_RUNTIME_ROWS_H

#include "ir/op.h"

enum { MW_ROW_VIEWS = 4, MW_ROW_PIECE = 1024 };

typedef struct mw_rows {
    int n;       /* axes, at least 1 */
    int n_views; /* view 0 is the output */
    int64_t extent[MW_MAX_LETTERS];
    int64_t stride[MW_ROW_VIEWS][MW_MAX_LETTERS]; /* elements */
} mw_rows;

/* Elements between neighbours along the operand's axis of that letter; 0 when
 * it has none. */
int64_t mw_letter_stride(const mw_operand *operand, const mw_view *view,
                         int letter);

/* Joins what can be joined. */
void mw_rows_make(mw_rows *rows, int n, const int64_t extent[], int n_views,
                  int64_t stride[][MW_MAX_LETTERS]);

/* Rows of a map: the output's axes, the output's and the inputs' strides. */
void mw_rows_map(mw_rows *rows, const mw_op *op, const mw_view in[],
                 const mw_view *out);

/* n elements of `item` bytes, stride apart, next to each other. */
void mw_rows_lay_out(void *dst, const void *src, int64_t item, int64_t stride,
                     int64_t n);

/* y[0..n) from x[i][0..n), all dense. */
typedef void mw_row_fn(int64_t n, void *y, const void *const x[]);

/* Over all of a map's rows. */
void mw_rows_run(const mw_rows *rows, const mw_view in[], const mw_view *out,
                 int threads, mw_row_fn *fn);

#endif
