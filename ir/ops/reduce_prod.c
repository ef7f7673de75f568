/* reduce_prod.c - product over dims. */
#include "ir/reduction.h"

const mw_op_def mw_op_reduce_prod = {
    MW_REDUCE_ROW,
    .name = "reduce_prod",
    .brief = "product over dims",
    .reduce = MW_REDUCE_PROD,
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_prod", "f32"),
                              MW_REDUCE_SAMPLES("reduce_prod", "i64"), NULL},
};
