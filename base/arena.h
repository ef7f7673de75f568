/*
 * arena.h - memory that dies together.
 *
 * One arena per phase: a graph, a search, a plan. Objects inside are never
 * freed one by one and may point at each other freely; nothing outside may
 * keep a pointer past mw_arena_free(). Memory is zeroed.
 */
#ifndef MW_BASE_ARENA_H
#define MW_BASE_ARENA_H

#include "base/status.h"

typedef struct mw_arena {
    mw_ctx *ctx; /* borrowed */
    struct mw_arena_block *head;
} mw_arena;

void mw_arena_init(mw_arena *arena, mw_ctx *ctx);

/* Releases every block. Safe on a zeroed or already freed arena. */
void mw_arena_free(mw_arena *arena);

/* count * size zeroed bytes, aligned for any type; NULL with MW_ENOMEM recorded
 * in the context when memory is out or the product overflows. */
void *mw_arena_alloc(mw_arena *arena, size_t count, size_t size) MW_MUST_CHECK;

/* A copy of text in the arena; NULL as above. */
char *mw_arena_text(mw_arena *arena, const char *text) MW_MUST_CHECK;

/* printf into the arena; NULL as above. */
char *mw_arena_format(mw_arena *arena, const char *format, ...)
    MW_PRINTF(2, 3) MW_MUST_CHECK;

/* One or count zeroed objects of a type. */
#define MW_NEW(arena, type) ((type *)mw_arena_alloc((arena), 1, sizeof(type)))
#define MW_NEW_ARRAY(arena, count, type)                                       \
    ((type *)mw_arena_alloc((arena), (size_t)(count), sizeof(type)))

/* Room for one more in a vector that doubles in the arena:
 *     items = mw_arena_reserve(arena, items, n, &cap, sizeof *items);
 * NULL as above; the old vector stays where it was. */
void *mw_arena_reserve(mw_arena *arena, void *items, int64_t n, int64_t *cap,
                       size_t size) MW_MUST_CHECK;

#endif
