/* and.c - logical and. */
#include "ir/scalar.h"

static bool b(const uint64_t x[])
{
    return (x[0] & x[1]) != 0;
}

static const mw_scalar scalar = {.b = b};

const mw_op_def mw_op_and = {
    MW_MAP_ROW(2),
    .name = "and",
    .brief = "logical and",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_2("and", "bool", "bool"), NULL},
};
