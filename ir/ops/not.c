/* not.c - logical negation. */
#include "ir/scalar.h"

static bool b(const uint64_t x[])
{
    return !x[0];
}

static const mw_scalar scalar = {.b = b};

const mw_op_def mw_op_not = {
    MW_MAP_ROW(1),
    .name = "not",
    .brief = "logical negation",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_1("not", "bool", "bool"), NULL},
};
