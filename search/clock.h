/*
 * clock.h - wall time and deadlines of a search.
 *
 * Time decides when a search ends, never what it finds.
 */
#ifndef MW_SEARCH_CLOCK_H
#define MW_SEARCH_CLOCK_H

#include <stdbool.h>

#include "base/clock.h"

typedef struct mw_deadline {
    double end_s; /* on mw_clock_s(); 0: never */
} mw_deadline;

/* A deadline seconds from now; 0 means none. */
mw_deadline mw_deadline_in(double seconds);

/* One of so many parts of the time that is left, a millisecond at least; never
 * of never. */
mw_deadline mw_deadline_part(const mw_deadline *whole, int parts);

bool mw_deadline_over(const mw_deadline *deadline);

#endif
