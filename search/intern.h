/*
 * intern.h - equal vectors of integers, kept once.
 *
 * Vectors live in the arena and outlast the table.
 */
#ifndef MW_SEARCH_INTERN_H
#define MW_SEARCH_INTERN_H

#include "base/arena.h"

typedef struct mw_intern_slot {
    const int64_t *value;
    int64_t n;
    uint64_t hash;
} mw_intern_slot;

typedef struct mw_intern {
    mw_arena *arena; /* borrowed */
    mw_intern_slot *slot;
    int64_t n, cap; /* cap is a power of two, or 0 */
} mw_intern;

void mw_intern_init(mw_intern *intern, mw_arena *arena);
void mw_intern_free(mw_intern *intern);

/* The kept copy of n values; NULL with MW_ENOMEM recorded. */
const int64_t *mw_intern_vector(mw_intern *intern, const int64_t *value,
                                int64_t n) MW_MUST_CHECK;

#endif
