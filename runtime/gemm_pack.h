/*
 * gemm_pack.h - packs a slab of a contraction's matrix for BLAS, and puts a
 * packed result back in its place. Of a convolution's x the matrix is that of
 * its windows, with zeros where they hang over the edge.
 */
#ifndef MW_RUNTIME_GEMM_PACK_H
#define MW_RUNTIME_GEMM_PACK_H

#include "ir/conv.h"
#include "ir/gemm.h"

/* A spatial axis of x: position = base + out * step + tap * dilation. */
typedef struct mw_pack_window {
    int out_letter, tap_letter; /* MW_NONE: it has one value, 0 */
    int64_t base, step, dilation;
    int64_t size, stride; /* of the axis in x's block */
} mw_pack_window;

/* A matrix as it lies. */
typedef struct mw_pack {
    char *data;
    int64_t item;
    const int64_t *stride; /* of each letter; 0 where windows read it */
    const int64_t *extent;
    int n_windows;
    mw_pack_window window[MW_MAX_SPATIAL];
    const mw_gemm_index *rows, *columns;
    int64_t value[MW_MAX_LETTERS];
} mw_pack;

/* Rows and columns [first, first + count) of a matrix. */
typedef struct mw_pack_slab {
    int64_t row, n_rows, column, n_columns;
} mw_pack_slab;

/* Sets value[] to value i of a merged index. */
void mw_pack_set(mw_pack *pack, const mw_gemm_index *index, int64_t i);

/* dst: row-major, n_columns apart. */
void mw_pack_in(mw_pack *pack, const mw_pack_slab *slab, void *dst);
void mw_pack_out(mw_pack *pack, const mw_pack_slab *slab, const void *src);

#endif
