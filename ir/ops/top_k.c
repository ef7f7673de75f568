/*
 * top_k.c - the k largest elements of a dim in descending order (or the
 * smallest in ascending), and where each one was. Every rank that keeps some
 * of the k reads the whole dim.
 */
#include "ir/grad.h"
#include "ir/order.h"
#include "ir/rule.h"

static int64_t wanted(const mw_op *op)
{
    return mw_op_attr_int(op, "k", 0);
}

static mw_status check(const mw_graph *graph, const mw_op *op, int64_t size)
{
    if (wanted(op) < 0 || wanted(op) > size)
        return mw_op_fail(graph, op, "k is %lld, wanted 0 to %lld",
                          (long long)wanted(op), (long long)size);
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    int axis;
    MW_TRY(mw_rule_axis(graph, op, in->rank, &axis));
    MW_TRY(check(graph, op, in->axis[axis].size));
    out[0].dtype = in->dtype;
    out[1].dtype = MW_I64;
    return mw_lane_place(graph, op, wanted(op), out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int axis = dim == MW_NONE ? MW_NONE : mw_tensor_axis(in, dim);
    MW_TRY(check(graph, op, axis == MW_NONE ? 1 : in->axis[axis].size));
    MW_TRY(mw_rule_out_dtype(graph, op, in->dtype));
    MW_TRY(mw_order_bind_indices(graph, op));
    return mw_lane_bind(graph, op, wanted(op));
}

static void take_lane(const mw_op *op, const mw_lane *in, const mw_lane out[],
                      void *arg)
{
    (void)arg;
    mw_order_lane(in, out, mw_order_descends(op));
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_lanes_run(op, in, out, take_lane, NULL);
}

// Back to where each one was.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor;
    const mw_attr *dim = mw_op_attr(op, "dim");
    if (dout[0] == MW_NONE)
        return MW_OK;
    const mw_op_spec spec = {.def = "scatter_add",
                             .n_in = 2,
                             .in = (const mw_id[]){dout[0], op->out[1].tensor},
                             .n_attr = dim ? 1 : 0,
                             .attr = dim};
    return mw_grad_op(g, &spec, in, g->graph->tensor[in].dtype, &din[0]);
}

static const mw_attr_rule attrs[] = {
    MW_LANE_ATTRS,
    {"k", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {"largest", MW_ATTR_INT, MW_ATTR_BOTH, true},
    {0},
};

const mw_op_def mw_op_top_k = {
    .name = "top_k",
    .brief = "the k largest elements of a dim, and where each one was",
    .family = "index",
    .min_in = 1,
    .max_in = 1,
    .n_out = 2,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = mw_lane_lower,
    .flops_of = mw_order_flops,
    .workspace = mw_order_workspace,
    .window = mw_lane_window_whole,
    .ref = ref,
    .grad = grad,
    .dear = true,
    .samples =
        (const char *const[]){
            "model m\ndim a = 3\ndim b = 11\ndim c = 5 of b by top_k\n"
            "input x : f32[a, b]\n"
            "y, i = top_k(x, dim=b, k=5) : f32[a, c], i64[a, c]\n"
            "output y\noutput i\n",
            "model m\ndim a = 3\ndim b = 11\ndim c = 4 of b by top_k\n"
            "input x : i32[b, a]\n"
            "y, i = top_k(x, dim=b, k=4, largest=0) : i32[a, c], i64[c, a]\n"
            "output y\noutput i\n",
            "model m\ndim a = 3\ndim b = 11\ninput x : f32[a, b]\n"
            "y, i = top_k(x, dim=b, k=1) : f32[a], i64[a]\n"
            "output y\noutput i\n",
            "model m\ndim a = 3\ninput x : f32[a]\n"
            "y, i = top_k(x, k=1) : f32[a], i64[a]\noutput y\noutput i\n",
            NULL,
        },
};
