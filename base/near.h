/*
 * near.h - what someone who misspelt a name probably meant.
 */
#ifndef MW_BASE_NEAR_H
#define MW_BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

/* Feed candidates to mw_near_try(); `best` is then the closest that is at most
 * a third of the word away, or NULL. Ties go to the first. */
typedef struct mw_near {
    const char *word;
    const char *best;
    size_t distance;
} mw_near;

void mw_near_init(mw_near *near, const char *word);
void mw_near_try(mw_near *near, const char *candidate);

#endif
