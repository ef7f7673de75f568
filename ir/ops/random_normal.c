/* random_normal.c - random numbers of a normal distribution. */
#include "ir/random.h"

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    const mw_random_fill fill = mw_random_normal_of(op);
    mw_random_all(op, &fill, in, out);
}

static const mw_attr_rule attrs[] = {
    MW_RANDOM_ATTRS,
    {"mean", MW_ATTR_FLOAT, MW_ATTR_BOTH, true},
    {"scale", MW_ATTR_FLOAT, MW_ATTR_BOTH, true},
    {0},
};

const mw_op_def mw_op_random_normal = {
    MW_RANDOM_ROW,
    .name = "random_normal",
    .brief = "random numbers around a mean",
    .attrs = attrs,
    .ref = ref,
    .samples =
        (const char *const[]){
            MW_RANDOM_SAMPLE("random_normal", "", "f64"),
            MW_RANDOM_SAMPLE("random_normal", ", mean=2, scale=0.5", "f32"),
            NULL},
};
