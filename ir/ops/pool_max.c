/* pool_max.c - the greatest element of each window. */
#include "ir/grad.h"
#include "ir/pool.h"

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_pool_grad(g, op, "pool_max_grad",
                        (mw_id[]){op->in[0].tensor, dout[0]}, 2, &din[0]);
}

static const mw_attr_rule attrs[] = {MW_POOL_ATTRS, {0}};

const mw_op_def mw_op_pool_max = {
    MW_POOL_ROW,
    .name = "pool_max",
    .brief = "the greatest element of each window",
    .attrs = attrs,
    .reduce = MW_REDUCE_MAX,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim c = 3\ndim h = 9\ndim w = 8\n"
            "dim h2 = 5 of h by pool\n"
            "input x : f32[n, c, h, w]\n"
            "y = pool_max(x, kernel=[3, 2], strides=[2, 1], "
            "dilations=[1, 1], pads_begin=[1, 0], pads_end=[1, 1], "
            "in_axes=[2, 3], out_axes=[2, 3]) : f32[n, c, h2, w]\noutput y\n",
            "model m\ndim c = 3\ndim s = 11\ndim s2 = 5 of s by pool\n"
            "input x : f64[c, s]\n"
            "y = pool_max(x, kernel=[3], strides=[2], "
            "dilations=[2], pads_begin=[1], pads_end=[2], "
            "in_axes=[1], out_axes=[0]) : f64[s2, c]\noutput y\n",
            "model m\ndim c = 3\ndim s = 10\ndim s2 = 4 of s by pool\n"
            "input x : f32[c, s]\n"
            "y = pool_max(x, kernel=[2], strides=[3], "
            "dilations=[1], pads_begin=[0], pads_end=[0], ceil=1, "
            "in_axes=[1], out_axes=[1]) : f32[c, s2]\noutput y\n",
            "model m\ndim c = 3\ndim s = 4\n"
            "input x : f32[c, s]\n"
            "y = pool_max(x, kernel=[4], strides=[1], "
            "dilations=[1], pads_begin=[0], pads_end=[0], "
            "in_axes=[1], out_axes=[-1]) : f32[c]\noutput y\n",
            NULL,
        },
};
