/* popcount.c - how many bits an integer has. */
#include "ir/scalar.h"

static uint64_t u(const uint64_t x[])
{
    uint64_t n = 0;
    for (uint64_t rest = x[0]; rest; rest &= rest - 1)
        n++;
    return n;
}

static const mw_scalar scalar = {.u = u};

const mw_op_def mw_op_popcount = {
    MW_MAP_ROW(1),
    .name = "popcount",
    .brief = "how many bits an integer has",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_1("popcount", "u32", "u32"),
                              MW_SAMPLE_1("popcount", "u64", "u64"), NULL},
};
