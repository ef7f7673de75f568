/* clock.c - the monotonic clock in seconds. */
#include "base/clock.h"

#include <time.h>

double mw_clock_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
