/*
 * gemm_run.h - contractions and convolutions as matrix products.
 */
#ifndef MW_RUNTIME_GEMM_RUN_H
#define MW_RUNTIME_GEMM_RUN_H

#include "runtime/kernel.h"

/* A kernel: false where ir/gemm.h says that the op is no such product. */
bool mw_gemm_run(const mw_kernel_call *call);

/* A matrix that BLAS can take, ld elements from row to row, or from column to
 * column of a transposed one. */
typedef struct mw_blas_matrix {
    const void *data;
    bool transposed;
    int64_t ld;
} mw_blas_matrix;

/* c = a b, or c + a b where `add`, of f32 or f64 by the bytes of an item; size:
 * rows, columns, summands. c is not transposed. Allocates nothing. By
 * runtime/sgemm.h on so many threads, or BLAS, which has those that
 * mw_blas_threads() gave it. */
void mw_blas_multiply(int64_t item, const mw_blas_matrix *a,
                      const mw_blas_matrix *b, const mw_blas_matrix *c,
                      const int64_t size[3], bool add, int threads);

/* On how many threads BLAS runs the next products. */
void mw_blas_threads(int threads);

#endif
