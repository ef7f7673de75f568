/* conv.c - convolutions: directly where channels lie innermost, else as matrix
 * products over windows packed slab by slab. */
#include "runtime/conv_direct.h"
#include "runtime/gemm_run.h"

static bool run(const mw_kernel_call *call)
{
    return mw_conv_direct(call) || mw_gemm_run(call);
}

static const mw_kernel_row rows[] = {
    {"conv", MW_F32, run},
    {"conv", MW_F64, mw_gemm_run},
    {"conv_fused", MW_F32, mw_conv_direct},
    {0},
};

static const mw_kernel_packing packing[] = {
    {"conv", MW_F32, 1, mw_conv_direct_pack},
    {"conv_fused", MW_F32, 1, mw_conv_direct_pack},
    {0},
};

const mw_kernel_def mw_kernel_conv = {
    .name = "conv",
    .brief = "convolutions, directly or on BLAS",
    .rows = rows,
    .packing = packing,
};
