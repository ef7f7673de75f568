/* cost.c - names of collectives and of where a time comes from. */
#include "ir/cost.h"

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
