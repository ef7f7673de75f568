/* layout_intern.c - keys in an open hash table that doubles. */
#include "search/layout_intern.h"

#include <string.h>

void mw_key_clear(mw_key *key)
{
    key->n = 0;
}

void mw_key_add(mw_key *key, int64_t word)
{
    int64_t *words = mw_arena_reserve(key->arena, key->word, key->n, &key->cap,
                                      sizeof *words);
    if (!words) {
        key->failed = true;
        return;
    }
    key->word = words;
    key->word[key->n++] = word;
}

void mw_key_add_text(mw_key *key, const char *text)
{
    size_t n = strlen(text);
    mw_key_add(key, (int64_t)n);
    for (size_t i = 0; i < n; i += sizeof(int64_t)) {
        int64_t word = 0;
        size_t left = n - i < sizeof word ? n - i : sizeof word;
        memcpy(&word, text + i, left);
        mw_key_add(key, word);
    }
}

int mw_key_compare(const mw_key *a, const mw_key *b)
{
    for (int64_t i = 0; i < a->n && i < b->n; i++) {
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

// FNV-1a over words, with the high bits folded down.
static uint64_t hash(const mw_key *key)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (int64_t i = 0; i < key->n; i++) {
        h = (h ^ (uint64_t)key->word[i]) * UINT64_C(1099511628211);
        h ^= h >> 29;
    }
    return h;
}

static mw_status grow(mw_intern *table)
{
    int64_t n_slots = table->n_slots ? 2 * table->n_slots : 64;
    int32_t *slot = MW_NEW_ARRAY(table->arena, n_slots, int32_t);
    if (!slot)
        return MW_ENOMEM;
    for (int64_t i = 0; i < table->n; i++) {
        uint64_t at = hash(&table->key[i]) & (uint64_t)(n_slots - 1);
        while (slot[at])
            at = (at + 1) & (uint64_t)(n_slots - 1);
        slot[at] = (int32_t)i + 1;
    }
    table->slot = slot;
    table->n_slots = n_slots;
    return MW_OK;
}

static mw_status add(mw_intern *table, const mw_key *key, uint64_t at)
{
    mw_key *keys = mw_arena_reserve(table->arena, table->key, table->n,
                                    &table->cap, sizeof *keys);
    if (!keys)
        return MW_ENOMEM;
    table->key = keys;
    int64_t *word = MW_NEW_ARRAY(table->arena, key->n + 1, int64_t);
    if (!word)
        return MW_ENOMEM;
    for (int64_t i = 0; i < key->n; i++)
        word[i] = key->word[i];
    keys[table->n] = (mw_key){table->arena, word, key->n, key->n, false};
    table->slot[at] = (int32_t)++table->n;
    return MW_OK;
}

// Where a key is, or where it would go.
static uint64_t slot_of(const mw_intern *table, const mw_key *key)
{
    uint64_t mask = (uint64_t)(table->n_slots - 1);
    uint64_t at = hash(key) & mask;
    while (table->slot[at] &&
           mw_key_compare(&table->key[table->slot[at] - 1], key) != 0)
        at = (at + 1) & mask;
    return at;
}

int32_t mw_intern_find(const mw_intern *table, const mw_key *key)
{
    return table->n_slots ? table->slot[slot_of(table, key)] - 1 : -1;
}

mw_status mw_intern_key(mw_intern *table, const mw_key *key, int32_t *id,
                        bool *fresh)
{
    if (key->failed)
        return MW_ENOMEM;
    if (2 * (table->n + 1) > table->n_slots)
        MW_TRY(grow(table));
    uint64_t at = slot_of(table, key);
    *fresh = table->slot[at] == 0;
    if (*fresh)
        MW_TRY(add(table, key, at));
    *id = table->slot[at] - 1;
    return MW_OK;
}
