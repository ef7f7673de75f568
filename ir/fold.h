/*
 * fold.h - places an op, or evaluates it where nothing depends on an input.
 *
 * Shape arithmetic, masks and tables vanish into constants; the ops'
 * reference kernels compute them. Weights stay what they are: an op that only
 * moves the elements of a parameter is kept, so that one weight used in two
 * places stays one weight, and a large parameter's bytes are never looked at.
 * Work and memory are bounded: what would pass the bounds is placed as an op.
 */
#ifndef MW_IR_FOLD_H
#define MW_IR_FOLD_H

#include "ir/op.h"

enum {
    MW_FOLD_PARAM_BYTES = 64 << 10, /* of a parameter that folding may read */
    MW_FOLD_CONST_BYTES = 16 << 20  /* of a constant, read or made */
};

typedef struct mw_folder {
    mw_graph *graph; /* positional, being built */
    int64_t bytes_left, points_left;
} mw_folder;

void mw_folder_init(mw_folder *folder, mw_graph *graph);

/* Like mw_graph_place(); outputs that were computed are constants. */
mw_status mw_fold_place(mw_folder *folder, const mw_op_spec *spec,
                        mw_id out[]) MW_MUST_CHECK;

/* The values are stored and few enough to be read while importing. */
bool mw_fold_known(const mw_graph *graph, mw_id tensor);

/* The values of a known tensor, dense and aligned, in the arena or where they
 * are. MW_EINPUT: a file cannot be read. */
mw_status mw_fold_read(const mw_graph *graph, mw_id tensor, mw_arena *arena,
                       const void **bytes) MW_MUST_CHECK;

/* Known, and all elements the same bits: sets a copy of the first one. False
 * for a tensor without elements. */
mw_status mw_fold_uniform(const mw_graph *graph, mw_id tensor, bool *uniform,
                          uint64_t *bits) MW_MUST_CHECK;

/* An element, aligned, as a number and back, as casts from and to f64. */
double mw_fold_number(mw_dtype dtype, const void *element);
void mw_fold_element(mw_dtype dtype, double number, void *element);

#endif
