/* random_uniform.c - random numbers in [low, high). */
#include "ir/random.h"

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    const mw_random_fill fill = mw_random_uniform_of(op);
    mw_random_all(op, &fill, in, out);
}

static const mw_attr_rule attrs[] = {
    MW_RANDOM_ATTRS,
    {"low", MW_ATTR_FLOAT, MW_ATTR_BOTH, true},
    {"high", MW_ATTR_FLOAT, MW_ATTR_BOTH, true},
    {0},
};

const mw_op_def mw_op_random_uniform = {
    MW_RANDOM_ROW,
    .name = "random_uniform",
    .brief = "random numbers from low to high",
    .attrs = attrs,
    .ref = ref,
    .samples =
        (const char *const[]){
            MW_RANDOM_SAMPLE("random_uniform", "", "f32"),
            MW_RANDOM_SAMPLE("random_uniform", ", low=-1, high=3", "f64"),
            NULL},
};
