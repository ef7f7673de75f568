/* flip.c - the elements of a dim in reverse order. */
#include "ir/grad.h"
#include "ir/lane.h"
#include "ir/rule.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    out->dtype = mw_op_in(graph, op, 0)->dtype;
    return mw_lane_place(graph, op, MW_LANE_SAME, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    return mw_lane_bind(graph, op, MW_LANE_SAME);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    return mw_span_clip((mw_span){size - block.hi, size - block.lo}, size);
}

static void flip_lane(const mw_op *op, const mw_lane *in, const mw_lane out[],
                      void *arg)
{
    (void)arg;
    (void)op;
    for (int64_t i = out->start; i < out->start + out->size; i++)
        mw_lane_store(out, i, mw_lane_load(in, in->whole - 1 - i));
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_lanes_run(op, in, out, flip_lane, NULL);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor;
    const mw_op_spec spec = {.def = "flip",
                             .n_in = 1,
                             .in = dout,
                             .n_attr = op->n_attr,
                             .attr = op->attr};
    return mw_grad_op(g, &spec, in, g->graph->tensor[in].dtype, &din[0]);
}

static const mw_attr_rule attrs[] = {MW_LANE_ATTRS, {0}};

const mw_op_def mw_op_flip = {
    .name = "flip",
    .brief = "the elements of a dim in reverse order",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = mw_lane_lower,
    .linear = {1},
    .same_dim = true,
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim a = 3\ndim b = 11\ninput x : f32[a, b]\n"
            "y = flip(x, dim=b) : f32[b, a]\noutput y\n",
            "model m\ndim a = 3\ndim b = 5\ninput x : bool[b, a]\n"
            "y = flip(x, dim=b) : bool[b, a]\noutput y\n",
            NULL,
        },
};
