/*
 * map.h - from a text or a run of bytes to an integer.
 *
 * For names to ids and for interning. Keys are copied into the arena. Entries
 * are numbered in the order they came, which is how one iterates: hash order
 * never shows. Nothing is removed.
 */
#ifndef MW_BASE_MAP_H
#define MW_BASE_MAP_H

#include "base/arena.h"

typedef struct mw_map_entry {
    const void *key; /* a NUL follows the key */
    size_t size;
    uint64_t hash;
    int64_t value;
} mw_map_entry;

typedef struct mw_map {
    mw_arena *arena; /* borrowed */
    mw_map_entry *entry;
    int64_t n_entries, cap_entries;
    int64_t *slot; /* entry + 1, or 0; a power of two of them */
    int64_t n_slots;
} mw_map;

void mw_map_init(mw_map *map, mw_arena *arena);

/* The value of a key, where it may be changed; NULL when there is none. Valid
 * until the next put. */
int64_t *mw_map_find(const mw_map *map, const void *key, size_t size);
int64_t *mw_map_find_text(const mw_map *map, const char *key);

/* Sets a key's value, a new one or not. */
mw_status mw_map_put(mw_map *map, const void *key, size_t size,
                     int64_t value) MW_MUST_CHECK;
mw_status mw_map_put_text(mw_map *map, const char *key,
                          int64_t value) MW_MUST_CHECK;

#endif
