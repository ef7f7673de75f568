/* fused_max.c - several maps as one, with greatest values of their results. See
 * ir/fused.h. */
#include "ir/fused.h"

const mw_op_def mw_op_fused_max = {
    MW_FUSED_ROW(MW_REDUCE_MAX),
    .name = "fused_max",
    .brief = "several maps as one, with greatest values of their results",
    .samples =
        (const char *const[]){
            "model m\n"
            "dim a = 5\n"
            "dim b = 6\n"
            "body far\n"
            "dim a = 5\n"
            "dim b = 6\n"
            "input x : f32[a, b]\n"
            "input z : f32[b]\n"
            "d = sub(x, z) : f32[a, b]\n"
            "e = abs(d) : f32[a, b]\n"
            "m = reduce_max(e) : f32[b]\n"
            "n = reduce_max(d) : f32[a]\n"
            "result d, m, n\n"
            "end\n"
            "input x : f32[a, b]\n"
            "input z : f32[b]\n"
            "d, m, n = fused_max(x, z, body=far) : f32[a, b], f32[b], f32[a]\n"
            "output d\n"
            "output m\n"
            "output n\n",
            NULL,
        },
};
