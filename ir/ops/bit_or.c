/* bit_or.c - bits that one of two integers has. */
#include "ir/scalar.h"

static uint64_t u(const uint64_t x[])
{
    return x[0] | x[1];
}

static const mw_scalar scalar = {.u = u, .ring = true};

const mw_op_def mw_op_bit_or = {
    MW_MAP_ROW(2),
    .name = "bit_or",
    .brief = "bits that one of two integers has",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_2("bit_or", "u32", "u32"),
                                     MW_SAMPLE_2("bit_or", "i64", "i64"), NULL},
};
