/* bit_xor.c - bits that just one of two integers has. */
#include "ir/scalar.h"

static uint64_t u(const uint64_t x[])
{
    return x[0] ^ x[1];
}

static const mw_scalar scalar = {.u = u, .ring = true};

const mw_op_def mw_op_bit_xor = {
    MW_MAP_ROW(2),
    .name = "bit_xor",
    .brief = "bits that just one of two integers has",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_2("bit_xor", "u32", "u32"),
                              MW_SAMPLE_2("bit_xor", "i64", "i64"), NULL},
};
