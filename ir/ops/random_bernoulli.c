/* random_bernoulli.c - 1 with probability p, else 0: the mask of a dropout. */
#include "ir/random.h"

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    const mw_random_fill fill = mw_random_bernoulli_of(op);
    mw_random_all(op, &fill, in, out);
}

static const mw_attr_rule attrs[] = {
    MW_RANDOM_ATTRS,
    {"p", MW_ATTR_FLOAT, MW_ATTR_BOTH, false},
    {0},
};

const mw_op_def mw_op_random_bernoulli = {
    MW_RANDOM_ROW,
    .name = "random_bernoulli",
    .brief = "1 with probability p, else 0",
    .attrs = attrs,
    .ref = ref,
    .samples =
        (const char *const[]){
            MW_RANDOM_SAMPLE("random_bernoulli", ", p=0.25", "bool"),
            MW_RANDOM_SAMPLE("random_bernoulli", ", p=0.9", "f32"), NULL},
};
