/*
 * loop.h - walking over the letters of an op's blocks, for reference kernels.
 *
 * A loop is a nest over letters, outermost first, that keeps the offset in each
 * view it was given. The innermost letter is left to the caller, as a row with
 * a stride in each view.
 */
#ifndef MW_IR_LOOP_H
#define MW_IR_LOOP_H

#include "ir/op.h"

enum { MW_MAX_VIEWS = 4 };

typedef struct mw_loop {
    int n; /* letters of extents other than 1; or a stand-in of extent 1 */
    int8_t letter[MW_MAX_LETTERS];
    int64_t extent[MW_MAX_LETTERS];
    int n_views;
    int64_t stride[MW_MAX_VIEWS][MW_MAX_LETTERS];
    int64_t index[MW_MAX_LETTERS];
    int64_t at[MW_MAX_VIEWS]; /* of the row's first element */
} mw_loop;

int64_t mw_view_elements(const mw_view *view);

/* Elements between neighbours along an axis. */
int64_t mw_view_stride(const mw_view *view, int axis);

/* Extent of each letter in these blocks: of the first axis that has it and is
 * no window; 1 where there is none. */
void mw_block_extents(const mw_op *op, const mw_view in[], const mw_view out[],
                      int64_t extent[MW_MAX_LETTERS]);

/* A loop over the letters of an operand in its axes' order (of output 0), or
 * over those that no output has. Views are added next. */
void mw_loop_operand(mw_loop *loop, const mw_operand *operand,
                     const int64_t extent[MW_MAX_LETTERS]);
void mw_loop_outputs(mw_loop *loop, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS]);
void mw_loop_reduced(mw_loop *loop, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS]);
void mw_loop_view(mw_loop *loop, const mw_operand *operand,
                  const mw_view *view);

/* Goes to the first row, with at[] starting from the offsets given (NULL: 0);
 * false when an extent is 0. */
bool mw_loop_start(mw_loop *loop, const int64_t at[]);
bool mw_loop_next(mw_loop *loop);

/* Of the innermost letter. */
int64_t mw_loop_row(const mw_loop *loop);
int64_t mw_loop_row_stride(const mw_loop *loop, int view);

#endif
