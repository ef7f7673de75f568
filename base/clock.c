/* clock.c - clocks in seconds. */
#include "base/clock.h"

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double mw_clock_s(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double mw_clock_thread_s(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
