/* cost.c - names of collectives and of where a time comes from, and sums. */
#include "ir/cost.h"

#include "base/checked.h"

const char *mw_collective_name(mw_collective kind)
{
    static const char *const name[] = {
#define MW_COLLECTIVE_NAME(code, text) text,
        MW_COLLECTIVE_TABLE(MW_COLLECTIVE_NAME)
#undef MW_COLLECTIVE_NAME
    };
    return name[kind];
}

const char *mw_source_name(mw_source source)
{
    static const char *const name[] = {"measured", "interpolated",
                                       "extrapolated", "machine"};
    return name[source];
}

int64_t mw_add_ps(int64_t a, int64_t b)
{
    int64_t sum;
    return mw_add_fits(a, b, &sum) ? sum : INT64_MAX;
}
