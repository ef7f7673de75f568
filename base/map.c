/* map.c - open addressing over a vector of entries, at most half full. */
#include "base/map.h"

#include <string.h>

#include "base/hash.h"

void mw_map_init(mw_map *map, mw_arena *arena)
{
    *map = (mw_map){.arena = arena};
}

/* The slot that holds the key, or the free one where it would go. */
static int64_t *slot_of(const mw_map *map, uint64_t hash, const void *key,
                        size_t size)
{
    uint64_t mask = (uint64_t)map->n_slots - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        int64_t id = map->slot[i];
        if (id == 0)
            return &map->slot[i];
        const mw_map_entry *entry = &map->entry[id - 1];
        if (entry->hash == hash && entry->size == size &&
            (size == 0 || memcmp(entry->key, key, size) == 0))
            return &map->slot[i];
    }
}

int64_t *mw_map_find(const mw_map *map, const void *key, size_t size)
{
    if (map->n_slots == 0)
        return NULL;
    int64_t id = *slot_of(map, mw_hash_bytes(0, key, size), key, size);
    return id ? &map->entry[id - 1].value : NULL;
}

int64_t *mw_map_find_text(const mw_map *map, const char *key)
{
    return mw_map_find(map, key, strlen(key));
}

static mw_status grow(mw_map *map)
{
    if (map->n_entries * 2 < map->n_slots)
        return MW_OK;
    int64_t n_slots = map->n_slots ? map->n_slots * 2 : 16;
    int64_t *slot = MW_NEW_ARRAY(map->arena, n_slots, int64_t);
    if (!slot)
        return MW_ENOMEM;
    map->slot = slot;
    map->n_slots = n_slots;
    for (int64_t i = 0; i < map->n_entries; i++) {
        const mw_map_entry *entry = &map->entry[i];
        *slot_of(map, entry->hash, entry->key, entry->size) = i + 1;
    }
    return MW_OK;
}

mw_status mw_map_put(mw_map *map, const void *key, size_t size, int64_t value)
{
    MW_TRY(grow(map));
    uint64_t hash = mw_hash_bytes(0, key, size);
    int64_t *slot = slot_of(map, hash, key, size);
    if (*slot) {
        map->entry[*slot - 1].value = value;
        return MW_OK;
    }
    mw_map_entry *entry =
        mw_arena_reserve(map->arena, map->entry, map->n_entries,
                         &map->cap_entries, sizeof *entry);
    char *copy = entry ? mw_arena_alloc(map->arena, size + 1, 1) : NULL;
    if (!copy)
        return MW_ENOMEM;
    if (size)
        memcpy(copy, key, size);
    map->entry = entry;
    entry[map->n_entries++] = (mw_map_entry){copy, size, hash, value};
    *slot = map->n_entries;
    return MW_OK;
}

mw_status mw_map_put_text(mw_map *map, const char *key, int64_t value)
{
    return mw_map_put(map, key, strlen(key), value);
}
