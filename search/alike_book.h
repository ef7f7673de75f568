/*
 * alike_book.h - looking up what was made. For alike*.c only.
 */
#ifndef MW_SEARCH_ALIKE_BOOK_H
#define MW_SEARCH_ALIKE_BOOK_H

#include "search/alike.h"

typedef enum mw_recipe {
    MW_RECIPE_COUNT,
    MW_RECIPE_SUM,
    MW_RECIPE_TRANSPOSED,
    MW_RECIPE_LOWERED,
    MW_RECIPE_SETTLED,
    MW_RECIPE_PICKED,
    MW_RECIPE_PICKED_ROWS,
    MW_RECIPE_PICKED_COLUMNS,
    MW_RECIPE_BETWEEN,
    MW_RECIPE_WORTHY,
    MW_RECIPE_BUCKET,
} mw_recipe;

/* Begins a key with the recipe; what it is made of follows by mw_key_add() on
 * all->key. */
void mw_alike_ask(mw_alike *all, mw_recipe recipe);

/* Where the results of the key are, or are to go (not known): before anything
 * else is asked. A failure in between must be the end of the table's use. */
mw_status mw_alike_look(mw_alike *all, mw_made **made,
                        bool *known) MW_MUST_CHECK;

#endif
