/*
 * gemm.h - a contraction as a batch of matrix products C = A B.
 *
 * The letters of an einsum (or conv) fall into four groups: batch (in all
 * three tensors), m (A and C), n (B and C), k (A and B). With the extents that
 * letters have on a rank this says how large the products are, which tensors
 * BLAS can use where they lie, and what must be packed, slab by slab, with how
 * much workspace. The plan's workspace, the kernel and the cost model all ask
 * here. Pure arithmetic: no BLAS, no allocation.
 */
#ifndef MW_IR_GEMM_H
#define MW_IR_GEMM_H

#include "ir/op.h"

/* One of the three matrices, element (row, column). */
typedef struct mw_gemm_matrix {
    int operand;     /* input; of C: MW_NONE */
    bool packed;     /* BLAS cannot use it where it lies: pack (C: scatter) */
    bool transposed; /* not packed: rows are contiguous, columns ld apart */
    int64_t ld;      /* of the matrix as it lies, or as it is packed */
    int64_t stride[MW_MAX_LETTERS]; /* elements between neighbours along each
                                       letter of the op; 0 where it lacks it or
                                       reads it through a window (x of a conv:
                                       else only not 0; its view has strides) */
    int64_t offset, bytes; /* of its part of the workspace; 0 if not packed */
} mw_gemm_matrix;

/* A merged index: the row-major product of letters, outermost first. */
typedef struct mw_gemm_index {
    int n_letters;
    int8_t letter[MW_MAX_LETTERS];
    int64_t extent; /* product */
} mw_gemm_index;

typedef struct mw_gemm {
    /* False: not a product of two matrices of f32 or f64 (a letter is summed in
     * one operand alone, another dtype, an index past 2^31): no workspace. */
    bool fits;
    mw_gemm_index batch, m, n, k;
    mw_gemm_matrix a, b, c; /* m x k, k x n, m x n */
    /* Rows and columns done at a time; all of them where nothing is packed.
     * Packed: A as slab_m x k, B as k x slab_n, C as slab_m x slab_n, each
     * row-major with ld. The workspace never shrinks when an extent grows. */
    int64_t slab_m, slab_n;
    int64_t workspace_bytes;
} mw_gemm;

/* Letters have these extents on the rank. Of einsum and conv ops; a conv's x is
 * packed as the matrix of its windows, unless nothing is a window. */
void mw_gemm_analyse(const mw_op *op, mw_dtype dtype,
                     const int64_t extent[MW_MAX_LETTERS], mw_gemm *gemm);

/* The offset in a matrix of value i of a merged index. */
int64_t mw_gemm_offset(const mw_gemm_index *index, const mw_gemm_matrix *matrix,
                       const int64_t extent[MW_MAX_LETTERS], int64_t i);

/* def->workspace of both ops. */
int64_t mw_gemm_workspace(const mw_graph *graph, const mw_op *op,
                          const int64_t extent[MW_MAX_LETTERS]);

#endif
