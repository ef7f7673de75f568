/* alike.c - the table of vectors, and the book of what was made of them. */
#include "search/alike.h"

#include <string.h>

#include "search/alike_book.h"
#include "search/minplus.h"
#include "search/problem.h"

void mw_alike_init(mw_alike *all, mw_ctx *ctx)
{
    *all = (mw_alike){0};
    mw_arena_init(&all->arena, ctx);
}

void mw_alike_free(mw_alike *all)
{
    if (all)
        mw_arena_free(&all->arena);
}

void mw_alike_clear(mw_alike *all)
{
    mw_ctx *ctx = all->arena.ctx;
    mw_alike_free(all);
    mw_alike_init(all, ctx);
}

// Four chains, so that one multiplication need not wait for the last.
static uint64_t hash_of(const int64_t *value, int64_t n)
{
    static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h[4] = {(uint64_t)n, 1, 2, 3};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            h[k] = (h[k] ^ (uint64_t)value[i + k]) * factor;
            h[k] ^= h[k] >> 32;
        }
    }
    for (; i < n; i++) {
        h[0] = (h[0] ^ (uint64_t)value[i]) * factor;
        h[0] ^= h[0] >> 32;
    }
    for (int k = 1; k < 4; k++) {
        h[0] = (h[0] ^ h[k]) * factor;
        h[0] ^= h[0] >> 29;
    }
    return h[0];
}

static mw_status grow(mw_alike *all)
{
    int64_t n_slots = all->n_slots ? 2 * all->n_slots : 256;
    int32_t *slot = MW_NEW_ARRAY(&all->arena, n_slots, int32_t);
    if (!slot)
        return MW_ENOMEM;
    for (int32_t i = 0; i < all->n_vectors; i++) {
        uint64_t at = all->vector[i].hash & (uint64_t)(n_slots - 1);
        while (slot[at])
            at = (at + 1) & (uint64_t)(n_slots - 1);
        slot[at] = i + 1;
    }
    all->slot = slot;
    all->n_slots = n_slots;
    return MW_OK;
}

static bool is_at(const mw_alike *all, int32_t id, uint64_t hash,
                  const int64_t *value, int64_t n)
{
    const mw_vector *v = &all->vector[id];
    return v->hash == hash && v->n == n &&
           memcmp(v->value, value, (size_t)n * sizeof *value) == 0;
}

int64_t mw_most_of(const int64_t *cost, int64_t n)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t size = cost[i] < 0 ? -cost[i] : cost[i];
        most = cost[i] < MW_INFINITE && size > most ? size : most;
    }
    return most;
}

void mw_pad_rows(int64_t *restrict out, const int64_t *restrict from,
                 int64_t height, int32_t width)
{
    int64_t stride = mw_padded(width);
    for (int64_t i = 0; i < height; i++) {
        memcpy(out + i * stride, from + i * width, (size_t)width * sizeof *out);
        for (int64_t j = width; j < stride; j++)
            out[i * stride + j] = MW_INFINITE;
    }
}

mw_status mw_alike_add(mw_alike *all, const int64_t *value, int64_t n,
                       int32_t *id)
{
    if (2 * ((int64_t)all->n_vectors + 1) > all->n_slots)
        MW_TRY(grow(all));
    uint64_t hash = hash_of(value, n), mask = (uint64_t)(all->n_slots - 1);
    uint64_t at = hash & mask;
    while (all->slot[at] && !is_at(all, all->slot[at] - 1, hash, value, n))
        at = (at + 1) & mask;
    if (!all->slot[at]) {
        mw_vector *vectors =
            mw_arena_reserve(&all->arena, all->vector, all->n_vectors,
                             &all->cap_vectors, sizeof *vectors);
        int64_t *copy = MW_NEW_ARRAY(&all->arena, n, int64_t);
        if (!vectors || !copy)
            return MW_ENOMEM;
        if (n > 0)
            memcpy(copy, value, (size_t)n * sizeof *copy);
        all->vector = vectors;
        vectors[all->n_vectors] =
            (mw_vector){copy, n, hash, mw_most_of(copy, n)};
        all->slot[at] = ++all->n_vectors;
        all->n_bytes += n * (int64_t)sizeof *copy;
    }
    *id = all->slot[at] - 1;
    return MW_OK;
}

void mw_alike_ask(mw_alike *all, mw_recipe recipe)
{
    all->recipes.arena = all->key.arena = &all->arena;
    mw_key_clear(&all->key);
    mw_key_add(&all->key, recipe);
}

mw_status mw_alike_look(mw_alike *all, mw_made **made, bool *known)
{
    int32_t id;
    bool fresh;
    MW_TRY(mw_intern_key(&all->recipes, &all->key, &id, &fresh));
    if (fresh) {
        mw_made *more = mw_arena_reserve(&all->arena, all->made, id,
                                         &all->cap_made, sizeof *more);
        if (!more)
            return MW_ENOMEM;
        all->made = more;
        more[id] = (mw_made){{MW_NOTHING, MW_NOTHING, MW_NOTHING}};
    }
    *made = &all->made[id];
    *known = !fresh;
    return MW_OK;
}
