/* clock.c - deadlines on the monotonic clock. */
#include "search/clock.h"

mw_deadline mw_deadline_in(double seconds)
{
    return (mw_deadline){seconds > 0 ? mw_clock_s() + seconds : 0};
}

bool mw_deadline_over(const mw_deadline *deadline)
{
    return deadline->end_s > 0 && mw_clock_s() >= deadline->end_s;
}
