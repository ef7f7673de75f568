/*
 * layout_hunt.h - what the parts of a hunt share. For
 * layout_*.c and rank*.c only.
 */
#ifndef MW_SEARCH_LAYOUT_HUNT_H
#define MW_SEARCH_LAYOUT_HUNT_H

#include "search/layout_solve.h"

/* Time is up, or the user asked to stop. */
bool mw_hunt_over(const mw_hunt *hunt);

/* A floor of live memory: the largest, over steps, of the least that any
 * choice takes at that step alone. floor: by step, or NULL. */
int64_t mw_hunt_floor(const mw_hunt *hunt, int64_t *floor);

#endif
