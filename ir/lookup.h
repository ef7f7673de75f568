/*
 * lookup.h - what the ops that find rows by index share.
 *
 * A table [a, rows, b] and indices [i, j] meet in looked-up rows [a, i, j, b].
 * A placed op with `along` matches the other axes of its indices with the
 * table's instead: [a, rows, b] and [a, i, b] meet in [a, i, b]; a named one
 * says so by its dimensions. A table with a single row has no such dimension,
 * and a named op on it no `dim`.
 */
#ifndef MW_IR_LOOKUP_H
#define MW_IR_LOOKUP_H

#include "ir/number.h"
#include "ir/op.h"
#include "ir/reduction.h"

/* MW_EINPUT unless operand i is of integers. */
mw_status mw_lookup_dtype(const mw_graph *graph, const mw_op *op,
                          int i) MW_MUST_CHECK;

/* Placed: gives the axes of the indices (input i) letters, and lists those of
 * the looked-up rows, given the `rank` letters of the table.
 * MW_EINPUT: they do not fit. */
typedef struct mw_lookup_rows {
    int rank;
    int8_t letter[2 * MW_MAX_RANK];
} mw_lookup_rows;
mw_status mw_lookup_place(mw_graph *graph, mw_op *op, int i,
                          const int8_t table[], int rank, int axis,
                          mw_lookup_rows *rows) MW_MUST_CHECK;

/* Placed: gives input i, updates of those rows, their letters.
 * MW_EINPUT: the shape is another. */
mw_status mw_lookup_updates(const mw_graph *graph, mw_op *op, int i,
                            const mw_lookup_rows *rows) MW_MUST_CHECK;

/* Named: the axis of `dim` in a tensor; MW_NONE without the attribute.
 * MW_EINPUT: the tensor lacks it. */
mw_status mw_lookup_axis(const mw_graph *graph, const mw_op *op,
                         const mw_tensor *table, int *axis) MW_MUST_CHECK;

/* Lowers `axis` of a placed table to `dim`. */
mw_status mw_lookup_lower(const mw_graph *named, const mw_op *op,
                          const mw_lowering *lowering, mw_id placed_table,
                          mw_id named_table, int axis,
                          mw_op_spec *spec) MW_MUST_CHECK;

/* The axis of an operand whose letter another lacks: that of the rows, between
 * a table and looked-up rows. MW_NONE when there is none. */
int mw_lookup_odd_axis(const mw_operand *of, const mw_operand *among);

/* The rows of the whole table, those of a block, and the elements between two;
 * one row when axis is MW_NONE. */
typedef struct mw_lookup_block {
    int64_t whole, start, size, stride;
} mw_lookup_block;
mw_lookup_block mw_lookup_block_of(const mw_view *table, int axis);

/* Offset of a row in the block, -1 where the block lacks it. A negative index
 * of a signed type counts from the end of the whole. */
int64_t mw_lookup_offset(const mw_lookup_block *block, mw_dtype dtype,
                         mw_number index);

/* Elements of input i when the letters have these extents. */
double mw_lookup_elements(const mw_op *op, int i,
                          const int64_t extent[MW_MAX_LETTERS]);

/* True, and why in text, when an index lies in no row. */
bool mw_lookup_refuses(const mw_view *indices, int64_t rows,
                       char text[MW_REFUSAL_MAX]);

/* For each row of the updates, in their order: the table's row at the index is
 * reduced with it, or becomes it (MW_REDUCE_NONE). Rows that the block of the
 * table lacks are left out. */
typedef struct mw_lookup_scatter {
    const mw_op *op;
    int updates, index; /* inputs; the table's block is output 0 */
    mw_reduce reduce;
} mw_lookup_scatter;
void mw_lookup_scatter_run(const mw_lookup_scatter *scatter, const mw_view in[],
                           mw_view *table);

#endif
