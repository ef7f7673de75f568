/* pool_max_grad.c - what flows back to a window goes to its first greatest
 * element, which is found again. */
#include "ir/pool.h"

static const mw_attr_rule attrs[] = {MW_POOL_ATTRS, {0}};

const mw_op_def mw_op_pool_max_grad = {
    MW_UNPOOL_ROW,
    .name = "pool_max_grad",
    .brief = "what flows back to the greatest element of each window",
    .min_in = 2,
    .max_in = 2,
    .attrs = attrs,
    .reduce = MW_REDUCE_MAX,
    .linear = {2},
    .no_grad = "it is a gradient itself",
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim c = 3\ndim h = 9\ndim w = 8\n"
            "dim h2 = 5 of h by pool\n"
            "input x : f32[n, c, h, w]\n"
            "input d : f32[n, c, h2, w]\n"
            "y = pool_max_grad(x, d, kernel=[3, 2], strides=[2, 1], "
            "dilations=[1, 1], pads_begin=[1, 0], pads_end=[1, 1], "
            "in_axes=[2, 3], out_axes=[2, 3]) : f32[n, c, h, w]\noutput y\n",
            "model m\ndim c = 3\ndim s = 11\ndim s2 = 5 of s by pool\n"
            "input x : f64[c, s]\n"
            "input d : f64[s2, c]\n"
            "y = pool_max_grad(x, d, kernel=[3], strides=[2], "
            "dilations=[2], pads_begin=[1], pads_end=[2], "
            "in_axes=[1], out_axes=[0]) : f64[c, s]\noutput y\n",
            "model m\ndim c = 3\ndim s = 10\ndim s2 = 4 of s by pool\n"
            "input x : f32[c, s]\n"
            "input d : f32[c, s2]\n"
            "y = pool_max_grad(x, d, kernel=[2], strides=[3], "
            "dilations=[1], pads_begin=[0], pads_end=[0], ceil=1, "
            "in_axes=[1], out_axes=[1]) : f32[c, s]\noutput y\n",
            "model m\ndim c = 3\ndim s = 4\n"
            "input x : f32[c, s]\n"
            "input d : f32[c]\n"
            "y = pool_max_grad(x, d, kernel=[4], strides=[1], "
            "dilations=[1], pads_begin=[0], pads_end=[0], "
            "in_axes=[1], out_axes=[-1]) : f32[c, s]\noutput y\n",
            NULL,
        },
};
