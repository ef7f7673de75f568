/* arena.c - blocks of growing size, bump allocation inside. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_BLOCK = 4096, LAST_BLOCK = 1 << 20 };

struct mw_arena_block {
    struct mw_arena_block *next;
    size_t used, cap;
    alignas(max_align_t) unsigned char data[];
};

void mw_arena_init(mw_arena *arena, mw_ctx *ctx)
{
    arena->ctx = ctx;
    arena->head = NULL;
}

void mw_arena_free(mw_arena *arena)
{
    if (!arena)
        return;
    while (arena->head) {
        struct mw_arena_block *next = arena->head->next;
        mw_mem_free(arena->head);
        arena->head = next;
    }
}

static struct mw_arena_block *add_block(mw_arena *arena, size_t bytes)
{
    size_t cap = FIRST_BLOCK;
    if (arena->head && arena->head->cap < LAST_BLOCK)
        cap = arena->head->cap * 2;
    else if (arena->head)
        cap = LAST_BLOCK;
    if (cap < bytes)
        cap = bytes;
    struct mw_arena_block *block =
        mw_mem_alloc(arena->ctx, 1, sizeof *block + cap);
    if (!block)
        return NULL;
    block->cap = cap;
    block->next = arena->head;
    arena->head = block;
    return block;
}

void *mw_arena_alloc(mw_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (PTRDIFF_MAX / 2) / size) {
        (void)mw_fail(arena->ctx, MW_ENOMEM, "out of memory: %zu x %zu bytes",
                      count, size);
        return NULL;
    }
    const size_t align = alignof(max_align_t);
    size_t bytes = (count * size + align - 1) / align * align;
    if (bytes == 0)
        bytes = align;
    struct mw_arena_block *block = arena->head;
    if (!block || block->cap - block->used < bytes)
        block = add_block(arena, bytes);
    if (!block)
        return NULL;
    void *result = block->data + block->used;
    block->used += bytes;
    return result;
}

char *mw_arena_text(mw_arena *arena, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = mw_arena_alloc(arena, length, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *mw_arena_format(mw_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = NULL;
    if (length >= 0)
        text = mw_arena_alloc(arena, (size_t)length + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *mw_arena_reserve(mw_arena *arena, void *items, int64_t n, int64_t *cap,
                       size_t size)
{
    if (n < *cap)
        return items;
    int64_t wanted = *cap ? *cap * 2 : 8;
    void *grown = mw_arena_alloc(arena, (size_t)wanted, size);
    if (!grown)
        return NULL;
    if (n)
        memcpy(grown, items, (size_t)n * size);
    *cap = wanted;
    return grown;
}
