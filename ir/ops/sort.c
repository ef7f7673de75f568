/*
 * sort.c - the elements of a dim in order, and where each one was. A rank of a
 * split dim reads all of it and keeps its part.
 */
#include "ir/grad.h"
#include "ir/order.h"
#include "ir/rule.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    out[0].dtype = mw_op_in(graph, op, 0)->dtype;
    out[1].dtype = MW_I64;
    return mw_lane_place(graph, op, MW_LANE_SAME, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    MW_TRY(mw_order_bind_indices(graph, op));
    return mw_lane_bind(graph, op, MW_LANE_SAME);
}

static void sort_lane(const mw_op *op, const mw_lane *in, const mw_lane out[],
                      void *arg)
{
    (void)arg;
    mw_order_lane(in, out, mw_order_descends(op));
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_lanes_run(op, in, out, sort_lane, NULL);
}

// Back to where each one was: the sorted dim under another name, as its indices
// are into the dim itself.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor, dim, from[2];
    const mw_attr *attr = mw_op_attr(op, "dim");
    if (dout[0] == MW_NONE)
        return MW_OK;
    if (!attr) {
        din[0] = dout[0];
        return MW_OK;
    }
    MW_TRY(mw_grad_alias(g, (mw_id)attr->i[0], "sorted", &dim));
    MW_TRY(mw_grad_under(g, dout[0], (mw_id)attr->i[0], dim, &from[0]));
    MW_TRY(
        mw_grad_under(g, op->out[1].tensor, (mw_id)attr->i[0], dim, &from[1]));
    const mw_op_spec spec = {
        .def = "scatter_add", .n_in = 2, .in = from, .n_attr = 1, .attr = attr};
    return mw_grad_op(g, &spec, in, g->graph->tensor[in].dtype, &din[0]);
}

static const mw_attr_rule attrs[] = {
    MW_LANE_ATTRS,
    {"descending", MW_ATTR_INT, MW_ATTR_BOTH, true},
    {0},
};

const mw_op_def mw_op_sort = {
    .name = "sort",
    .brief = "the elements of a dim in order, and where each one was",
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
    .same_dim = true,
    .window = mw_lane_window_whole,
    .ref = ref,
    .grad = grad,
    .dear = true,
    .samples =
        (const char *const[]){
            "model m\ndim a = 3\ndim b = 11\ninput x : f32[a, b]\n"
            "y, i = sort(x, dim=b) : f32[a, b], i64[b, a]\n"
            "output y\noutput i\n",
            "model m\ndim a = 3\ndim b = 11\ninput x : i64[b, a]\n"
            "y, i = sort(x, dim=b, descending=1) : i64[a, b], i64[a, b]\n"
            "output y\noutput i\n",
            "model m\ndim a = 3\ninput x : f32[a]\n"
            "y, i = sort(x) : f32[a], i64[a]\noutput y\noutput i\n",
            NULL,
        },
};
