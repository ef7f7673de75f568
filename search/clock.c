/* clock.c - deadlines on the monotonic clock. */
#include "search/clock.h"

mw_deadline mw_deadline_in(double seconds)
{
    return (mw_deadline){seconds > 0 ? mw_clock_s() + seconds : 0};
}

mw_deadline mw_deadline_part(const mw_deadline *whole, int parts)
{
    static const double least_s = 1e-3;
    double part_s = (whole->end_s - mw_clock_s()) / parts;
    if (whole->end_s <= 0)
        return *whole;
    return mw_deadline_in(part_s > least_s ? part_s : least_s);
}

bool mw_deadline_over(const mw_deadline *deadline)
{
    return deadline->end_s > 0 && mw_clock_s() >= deadline->end_s;
}
