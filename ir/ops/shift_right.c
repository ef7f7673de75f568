/* shift_right.c - x over 2 to the y, downwards: an unsigned one fills with 0, a
 * signed one with its sign. */
#include "ir/scalar.h"

static int64_t i(const int64_t x[])
{
    int64_t by = x[1] >= 0 && x[1] < 64 ? x[1] : 63;
    return x[0] < 0 ? ~(~x[0] >> by) : x[0] >> by;
}

static uint64_t u(const uint64_t x[])
{
    return x[1] < 64 ? x[0] >> x[1] : 0;
}

static const mw_scalar scalar = {.i = i, .u = u};

const mw_op_def mw_op_shift_right = {
    MW_MAP_ROW(2),
    .name = "shift_right",
    .brief = "x over 2 to the y, downwards; a signed x fills with its sign",
    .scalar = &scalar,
    .samples =
        (const char *const[]){MW_SAMPLE_2("shift_right", "u32", "u32"),
                              MW_SAMPLE_2("shift_right", "i64", "i64"), NULL},
};
