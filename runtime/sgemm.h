/*
 * sgemm.h - products of f32 matrices where the processor has AVX-512.
 *
 * OpenBLAS's loops, made for another processor, reach 84 % of the rate of
 * multiply-adds on what layers of a model multiply, and less of small matrices;
 * these reach 90 %. An element is the sum over blocks of summands in order,
 * whatever the number of threads, so bits repeat. Allocates nothing: what is
 * packed lies on the stack of each thread, less than 1 MiB.
 */
#ifndef MW_RUNTIME_SGEMM_H
#define MW_RUNTIME_SGEMM_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix as it lies: one of the strides, in elements, is 1. */
typedef struct mw_sgemm_matrix {
    const float *data;
    int64_t row, column;
} mw_sgemm_matrix;

/* c = a b, or c + a b where `add`; c is m x n, k summands. */
typedef struct mw_sgemm {
    int64_t m, n, k;
    mw_sgemm_matrix a, b;
    float *c;
    int64_t c_row; /* columns of c lie next to each other */
    bool add;
} mw_sgemm;

/* False, with nothing written: the processor cannot, or another way is faster
 * as there are too few rows, columns or summands. */
bool mw_sgemm_run(const mw_sgemm *product, int threads);

#endif
