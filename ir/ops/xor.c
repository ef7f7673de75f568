/* xor.c - logical exclusive or. */
#include "ir/scalar.h"

static bool b(const uint64_t x[])
{
    return (x[0] ^ x[1]) != 0;
}

static const mw_scalar scalar = {.b = b};

const mw_op_def mw_op_xor = {
    MW_MAP_ROW(2),
    .name = "xor",
    .brief = "logical exclusive or",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_2("xor", "bool", "bool"), NULL},
};
