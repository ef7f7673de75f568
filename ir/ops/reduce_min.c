/* reduce_min.c - least over dims; NaN stays. */
#include "ir/reduction.h"

const mw_op_def mw_op_reduce_min = {
    MW_REDUCE_ROW,
    .name = "reduce_min",
    .brief = "least over dims; NaN stays",
    .reduce = MW_REDUCE_MIN,
    .samples =
        (const char *const[]){MW_REDUCE_SAMPLES("reduce_min", "f32"),
                              MW_REDUCE_SAMPLES("reduce_min", "i32"), NULL},
};
