/*
 * clock.h - wall time, for deadlines and for what is measured; and a thread's
 * own.
 */
#ifndef MW_BASE_CLOCK_H
#define MW_BASE_CLOCK_H

/* Seconds of a monotonic clock. */
double mw_clock_s(void);

/* Seconds that the calling thread was on a core. */
double mw_clock_thread_s(void);

#endif
