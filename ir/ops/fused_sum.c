/* fused_sum.c - several maps as one, with sums of their results. See
 * ir/fused.h. */
#include "ir/fused.h"

const mw_op_def mw_op_fused_sum = {
    MW_FUSED_ROW(MW_REDUCE_SUM),
    .name = "fused_sum",
    .brief = "several maps as one, with sums of their results",
    .samples =
        (const char *const[]){
            "model m\n"
            "dim a = 5\n"
            "dim b = 6\n"
            "dim c = 3\n"
            "body spread\n"
            "dim a = 5\n"
            "dim b = 6\n"
            "dim c = 3\n"
            "input x : f32[a, b, c]\n"
            "input m : f32[a, c]\n"
            "d = sub(x, m) : f32[a, b, c]\n"
            "q = mul(d, d) : f32[a, b, c]\n"
            "s = reduce_sum(q) : f32[a, c]\n"
            "result s\n"
            "end\n"
            "input x : f32[a, b, c]\n"
            "input m : f32[a, c]\n"
            "s = fused_sum(x, m, body=spread) : f32[a, c]\n"
            "output s\n",
            "model m\n"
            "dim a = 5\n"
            "dim b = 6\n"
            "body shares\n"
            "dim a = 5\n"
            "dim b = 6\n"
            "input x : f32[a, b]\n"
            "input z : f32[a, b]\n"
            "input w : f32[b]\n"
            "s = add(x, z) : f32[a, b]\n"
            "y = mul(s, w) : f32[a, b]\n"
            "r = reduce_sum(y) : f32[a]\n"
            "t = reduce_sum(s) : f32[b]\n"
            "u = reduce_sum(x) : f32[]\n"
            "result y, r, t, u\n"
            "end\n"
            "input x : f32[a, b]\n"
            "input z : f32[a, b]\n"
            "input w : f32[b]\n"
            "y, r, t, u = fused_sum(x, z, w, body=shares) : f32[a, b], f32[a], "
            "f32[b], f32[]\n"
            "output y\n"
            "output r\n"
            "output t\n"
            "output u\n",
            NULL,
        },
};
