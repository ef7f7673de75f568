/*
 * layout_intern.h - equal keys get equal numbers.
 *
 * A key is a vector of integers, built word by word; the table numbers
 * distinct keys 0, 1, 2, ... in the order they come. What is alike is then
 * tabulated once.
 */
#ifndef MW_SEARCH_LAYOUT_INTERN_H
#define MW_SEARCH_LAYOUT_INTERN_H

#include "base/arena.h"

typedef struct mw_key {
    mw_arena *arena; /* borrowed */
    int64_t *word;
    int64_t n, cap;
    bool failed; /* out of memory while growing */
} mw_key;

/* Empties the key and keeps its room. */
void mw_key_clear(mw_key *key);

/* Appends; a failure is remembered until mw_intern(). */
void mw_key_add(mw_key *key, int64_t word);
void mw_key_add_text(mw_key *key, const char *text);

/* The order of words as numbers; a prefix comes first. */
int mw_key_compare(const mw_key *a, const mw_key *b);

typedef struct mw_intern {
    mw_arena *arena; /* borrowed */
    mw_key *key;     /* by number */
    int64_t n, cap;
    int32_t *slot; /* open addressing: number + 1 */
    int64_t n_slots;
} mw_intern;

/* The number of a key; *fresh when it is new. */
mw_status mw_intern_key(mw_intern *table, const mw_key *key, int32_t *id,
                        bool *fresh) MW_MUST_CHECK;

/* The number of a key, or -1 when it is not in the table. */
int32_t mw_intern_find(const mw_intern *table, const mw_key *key);

#endif
