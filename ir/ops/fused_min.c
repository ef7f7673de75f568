/* fused_min.c - several maps as one, with least values of their results. See
 * ir/fused.h. */
#include "ir/fused.h"

const mw_op_def mw_op_fused_min = {
    MW_FUSED_ROW(MW_REDUCE_MIN),
    .name = "fused_min",
    .brief = "several maps as one, with least values of their results",
    .samples =
        (const char *const[]){
            MW_FUSED_EXTREME_SAMPLE("fused_min", "reduce_min"), NULL},
};
