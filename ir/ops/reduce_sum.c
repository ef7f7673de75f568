/* reduce_sum.c - sum over dims. */
#include "ir/reduction.h"

const mw_op_def mw_op_reduce_sum = {
    MW_REDUCE_ROW,
    .name = "reduce_sum",
    .brief = "sum over dims",
    .reduce = MW_REDUCE_SUM,
    .linear = {1},
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_sum", "f32"),
                              MW_REDUCE_SAMPLES("reduce_sum", "i64"), NULL},
};
