/*
 * gemm_run.h - contractions and convolutions as matrix products on BLAS.
 */
#ifndef MW_RUNTIME_GEMM_RUN_H
#define MW_RUNTIME_GEMM_RUN_H

#include "runtime/kernel.h"

/* A kernel: false where ir/gemm.h says that the op is no such product. */
bool mw_gemm_run(const mw_kernel_call *call);

#endif
