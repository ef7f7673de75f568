/* fused_max.c - several maps as one, with greatest values of their results. See
 * ir/fused.h. */
#include "ir/fused.h"

const mw_op_def mw_op_fused_max = {
    MW_FUSED_ROW(MW_REDUCE_MAX),
    .name = "fused_max",
    .brief = "several maps as one, with greatest values of their results",
    .samples =
        (const char *const[]){
            MW_FUSED_EXTREME_SAMPLE("fused_max", "reduce_max"), NULL},
};
