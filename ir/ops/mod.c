/* mod.c - rest of a division, with the sign of y; x mod 0 is 0 for integers. */
#include <math.h>

#include "ir/scalar.h"

static double f(const double x[])
{
    double rest = fmod(x[0], x[1]);
    bool other_side = (rest < 0 && x[1] > 0) || (rest > 0 && x[1] < 0);
    return other_side ? rest + x[1] : rest;
}

static int64_t i(const int64_t x[])
{
    if (x[1] == 0 || x[1] == -1)
        return 0;
    int64_t rest = x[0] % x[1];
    bool other_side = (rest < 0 && x[1] > 0) || (rest > 0 && x[1] < 0);
    return other_side ? rest + x[1] : rest;
}

static uint64_t u(const uint64_t x[])
{
    return x[1] == 0 ? 0 : x[0] % x[1];
}

static const mw_scalar scalar = {.f = f, .i = i, .u = u};

const mw_op_def mw_op_mod = {
    MW_MAP_ROW(2),
    .name = "mod",
    .brief = "rest of a division, with the sign of y; x mod 0 is 0",
    .scalar = &scalar,
    .samples = (const char *const[]){MW_SAMPLE_2("mod", "f32", "f32"),
                                     MW_SAMPLE_2("mod", "i64", "i64"), NULL},
};
