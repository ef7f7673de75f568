/*
 * clock.h - wall time, for deadlines and for what is measured.
 */
#ifndef MW_BASE_CLOCK_H
#define MW_BASE_CLOCK_H

/* Seconds of a monotonic clock. */
double mw_clock_s(void);

#endif
