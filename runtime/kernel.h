/*
 * kernel.h - fast kernels: rows {op, dtype, function}, one file a family in
 * runtime/kernels/. An op without a row runs its reference kernel, against
 * which every row is tested; a row may leave single cases to it as well.
 */
#ifndef MW_RUNTIME_KERNEL_H
#define MW_RUNTIME_KERNEL_H

#include "ir/op.h"

typedef struct mw_kernel_call {
    const mw_op *op;
    const mw_view *in;
    mw_view *out;
    void *workspace;
    int64_t workspace_bytes; /* of the plan: the rank that needs most */
    int threads;
    uint32_t packed; /* bit i: input i is as a mw_kernel_packing left it */
} mw_kernel_call;

/* Computes the outputs; allocates nothing. False, with nothing written: the
 * case is left to the reference kernel. */
typedef bool mw_kernel_fn(const mw_kernel_call *call);

enum { MW_KERNEL_ANY = MW_N_DTYPES }; /* in place of a type */

typedef struct mw_kernel_row {
    const char *op;
    int dtype; /* of the last input, or MW_KERNEL_ANY */
    mw_kernel_fn *fn;
} mw_kernel_row;

/* A row of kernels that read an input in an order of their own. What persists
 * is put in that order once, in the bytes that it has in the plan. */
typedef struct mw_kernel_packing {
    const char *op;
    int dtype, input;
    /* As many bytes, to `to`. False: the call is not of such a case. */
    bool (*fn)(const mw_kernel_call *call, void *to);
} mw_kernel_packing;

typedef struct mw_kernel_def {
    const char *name;
    const char *brief;
    const mw_kernel_row *rows;        /* up to the first without op */
    const mw_kernel_packing *packing; /* likewise; or NULL */
    void (*start)(int threads);       /* once, before the first call; or NULL */
    const char *(*library)(void);     /* what it calls, with version; or NULL */
} mw_kernel_def;

extern const mw_kernel_def *const mw_kernel_table[];
extern const int mw_kernel_count;

/* The row for an op whose last input (output, if it has none) has that type;
 * NULL: the reference. */
mw_kernel_fn *mw_kernel_find(const char *op, mw_dtype dtype);

/* Likewise; NULL: there is none. */
const mw_kernel_packing *mw_kernel_find_packing(const char *op, mw_dtype dtype);

/* The type by which a call's row is looked up. */
mw_dtype mw_kernel_dtype(const mw_op *op, const mw_view in[],
                         const mw_view out[]);

/* MW_EINPUT names an op that can only be planned (--opaque). */
mw_status mw_kernel_check(mw_ctx *ctx, const mw_op *op) MW_MUST_CHECK;

/* Runs the row, or the reference where there is none or it declines. */
void mw_kernel_run(mw_kernel_fn *fn, const mw_kernel_call *call);

/* Sets up what libraries keep for the process: BLAS and OpenMP threads. */
void mw_kernels_start(int threads);

#endif
