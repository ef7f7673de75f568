/* bit_not.c - the other bits of an integer. */
#include "ir/scalar.h"

static uint64_t u(const uint64_t x[])
{
    return ~x[0];
}

static const mw_scalar scalar = {.u = u, .ring = true};

const mw_op_def mw_op_bit_not = {
    MW_MAP_ROW(1),
    .name = "bit_not",
    .brief = "the other bits of an integer",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_1("bit_not", "u32", "u32"),
                              MW_SAMPLE_1("bit_not", "i64", "i64"), NULL},
};
