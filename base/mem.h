/*
 * mem.h - memory that is freed one by one.
 *
 * For what outgrows an arena: buffers that double, tables of the solver,
 * weights. All allocation of the library passes here or through an arena, so
 * that a test can fail any of them.
 */
#ifndef MW_BASE_MEM_H
#define MW_BASE_MEM_H

#include "base/status.h"

/* count * size zeroed bytes; NULL with MW_ENOMEM recorded when memory is out
 * or the product overflows. Freed by mw_mem_free(). Never NULL for 0 bytes. */
void *mw_mem_alloc(mw_ctx *ctx, size_t count, size_t size) MW_MUST_CHECK;

/* Like realloc; what is gained is not zeroed. On failure the old block stays
 * valid and NULL is returned with MW_ENOMEM recorded. */
void *mw_mem_grow(mw_ctx *ctx, void *block, size_t count,
                  size_t size) MW_MUST_CHECK;

void mw_mem_free(void *block);

/* What has not been touched yet of a long block may lie on large pages, which
 * costs fewer faults and fewer look-ups of addresses. */
void mw_mem_large_pages(void *block, size_t bytes);

#endif
