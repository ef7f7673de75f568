/* bit_and.c - bits that both integers have. */
#include "ir/scalar.h"

static uint64_t u(const uint64_t x[])
{
    return x[0] & x[1];
}

static const mw_scalar scalar = {.u = u, .ring = true};

const mw_op_def mw_op_bit_and = {
    MW_MAP_ROW(2),
    .name = "bit_and",
    .brief = "bits that both integers have",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_2("bit_and", "u32", "u32"),
                              MW_SAMPLE_2("bit_and", "i64", "i64"), NULL},
};
