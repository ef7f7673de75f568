/* mem.c - the only callers of the C library's allocator. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static bool refuse(mw_ctx *ctx, size_t count, size_t size)
{
    ctx->n_alloc++;
    bool overflow = size != 0 && count > PTRDIFF_MAX / size;
    return overflow || ctx->n_alloc == ctx->fail_alloc;
}

static mw_status no_memory(mw_ctx *ctx, size_t count, size_t size)
{
    return mw_fail(ctx, MW_ENOMEM, "out of memory: %zu x %zu bytes", count,
                   size);
}

void *mw_mem_alloc(mw_ctx *ctx, size_t count, size_t size)
{
    void *block = NULL;
    if (!refuse(ctx, count, size))
        block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        (void)no_memory(ctx, count, size);
    return block;
}

void *mw_mem_grow(mw_ctx *ctx, void *block, size_t count, size_t size)
{
    void *grown = NULL;
    if (!refuse(ctx, count, size))
        grown = realloc(block, count && size ? count * size : 1);
    if (!grown)
        (void)no_memory(ctx, count, size);
    return grown;
}

void mw_mem_free(void *block)
{
    free(block);
}

void mw_mem_large_pages(void *block, size_t bytes)
{
    const uintptr_t page = (uintptr_t)2 << 20;
    uintptr_t from = ((uintptr_t)block + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)block + bytes) / page * page;
    /* a refusal leaves pages as they are */
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}
