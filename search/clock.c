/* clock.c - the monotonic clock. */
#include "search/clock.h"

#include <time.h>

double mw_clock_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

mw_deadline mw_deadline_in(double seconds)
{
    return (mw_deadline){seconds > 0 ? mw_clock_s() + seconds : 0};
}

bool mw_deadline_over(const mw_deadline *deadline)
{
    return deadline->end_s > 0 && mw_clock_s() >= deadline->end_s;
}
