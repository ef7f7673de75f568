/* reduce_max.c - greatest over dims; NaN stays. */
#include "ir/reduction.h"

const mw_op_def mw_op_reduce_max = {
    MW_REDUCE_ROW,
    .name = "reduce_max",
    .brief = "greatest over dims; NaN stays",
    .reduce = MW_REDUCE_MAX,
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_max", "f32"),
                              MW_REDUCE_SAMPLES("reduce_max", "bool"), NULL},
};
