/* shift_left.c - x times 2 to the y, as bits; 0 where y is the width or more.
 */
#include "ir/scalar.h"

static uint64_t u(const uint64_t x[])
{
    return x[1] < 64 ? x[0] << x[1] : 0;
}

static const mw_scalar scalar = {.u = u, .ring = true};

const mw_op_def mw_op_shift_left = {
    MW_MAP_ROW(2),
    .name = "shift_left",
    .brief = "x times 2 to the y, as bits; 0 where y is the width or more",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_2("shift_left", "u32", "u32"),
                              MW_SAMPLE_2("shift_left", "i64", "i64"), NULL},
};
