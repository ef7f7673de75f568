/* intern.c - open addressing over a multiplicative hash. */
#include "search/intern.h"

#include <string.h>

#include "base/mem.h"

void mw_intern_init(mw_intern *intern, mw_arena *arena)
{
    *intern = (mw_intern){.arena = arena};
}

void mw_intern_free(mw_intern *intern)
{
    mw_mem_free(intern->slot);
    *intern = (mw_intern){.arena = intern->arena};
}

static uint64_t hash_of(const int64_t *value, int64_t n)
{
    uint64_t hash = (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

// The slot that holds the vector, or the free one where it belongs.
static mw_intern_slot *find(const mw_intern *intern, const int64_t *value,
                            int64_t n, uint64_t hash)
{
    uint64_t mask = (uint64_t)intern->cap - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        mw_intern_slot *slot = &intern->slot[i];
        if (!slot->value)
            return slot;
        if (slot->hash == hash && slot->n == n &&
            (n == 0 ||
             memcmp(slot->value, value, (size_t)n * sizeof *value) == 0))
            return slot;
    }
}

static mw_status grow(mw_intern *intern)
{
    mw_intern old = *intern;
    int64_t cap = old.cap ? old.cap * 2 : 1024;
    mw_intern_slot *slots =
        mw_mem_alloc(old.arena->ctx, (size_t)cap, sizeof *slots);
    if (!slots)
        return MW_ENOMEM;
    intern->slot = slots;
    intern->cap = cap;
    for (int64_t i = 0; i < old.cap; i++) {
        const mw_intern_slot *slot = &old.slot[i];
        if (slot->value)
            *find(intern, slot->value, slot->n, slot->hash) = *slot;
    }
    mw_mem_free(old.slot);
    return MW_OK;
}

const int64_t *mw_intern_vector(mw_intern *intern, const int64_t *value,
                                int64_t n)
{
    if (intern->n * 2 >= intern->cap && grow(intern) != MW_OK)
        return NULL;
    uint64_t hash = hash_of(value, n);
    mw_intern_slot *slot = find(intern, value, n, hash);
    if (slot->value)
        return slot->value;
    int64_t *copy = MW_NEW_ARRAY(intern->arena, n, int64_t);
    if (!copy)
        return NULL;
    if (n > 0)
        memcpy(copy, value, (size_t)n * sizeof *value);
    *slot = (mw_intern_slot){copy, n, hash};
    intern->n++;
    return copy;
}
