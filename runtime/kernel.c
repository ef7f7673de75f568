/* kernel.c - finding and running kernels. */
#include "runtime/kernel.h"

#include <string.h>

#include "runtime/parallel.h"

mw_kernel_fn *mw_kernel_find(const char *op, mw_dtype dtype)
{
    for (int i = 0; i < mw_kernel_count; i++)
        for (const mw_kernel_row *r = mw_kernel_table[i]->rows; r->op; r++)
            if ((r->dtype == (int)dtype || r->dtype == MW_KERNEL_ANY) &&
                strcmp(r->op, op) == 0)
                return r->fn;
    return NULL;
}

const mw_kernel_packing *mw_kernel_find_packing(const char *op, mw_dtype dtype)
{
    for (int i = 0; i < mw_kernel_count; i++)
        for (const mw_kernel_packing *p = mw_kernel_table[i]->packing;
             p && p->op; p++)
            if (p->dtype == (int)dtype && strcmp(p->op, op) == 0)
                return p;
    return NULL;
}

mw_dtype mw_kernel_dtype(const mw_op *op, const mw_view in[],
                         const mw_view out[])
{
    return op->n_in > 0 ? in[op->n_in - 1].dtype : out[0].dtype;
}

mw_status mw_kernel_check(mw_ctx *ctx, const mw_op *op)
{
    if (!op->def->opaque)
        return MW_OK;
    const mw_attr *kind = mw_op_attr(op, "kind");
    mw_ctx_at(ctx, "node '%s'", op->name);
    return mw_fail(ctx, MW_EINPUT, "is a %s, which can be planned but not run",
                   kind ? kind->text : op->def->name);
}

void mw_kernel_run(mw_kernel_fn *fn, const mw_kernel_call *call)
{
    if (!fn || !fn(call))
        mw_op_ref(call->op, call->in, call->out, call->workspace);
}

static void nothing(void *arg, int64_t lo, int64_t hi)
{
    (void)arg;
    (void)lo;
    (void)hi;
}

void mw_kernels_start(int threads)
{
    mw_parallel(threads, threads, nothing, NULL);
    for (int i = 0; i < mw_kernel_count; i++)
        if (mw_kernel_table[i]->start)
            mw_kernel_table[i]->start(threads);
}
