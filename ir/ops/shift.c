/*
 * shift.c - the elements of a dim moved `by` places towards its end, or its
 * beginning where that is negative; zeros enter. Ranks of a split dim give
 * what leaves their block to their neighbours.
 */
#include "ir/grad.h"
#include "ir/lane.h"
#include "ir/rule.h"

static int64_t moved_by(const mw_op *op)
{
    return mw_op_attr_int(op, "by", 0);
}

// Far more than any size, and far less than could overflow.
static mw_status check_by(const mw_graph *graph, const mw_op *op)
{
    int64_t most = INT64_MAX / 4, by = moved_by(op);
    if (by < -most || by > most)
        return mw_op_fail(graph, op, "by is %lld, wanted at most %lld",
                          (long long)by, (long long)most);
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    MW_TRY(check_by(graph, op));
    out->dtype = mw_op_in(graph, op, 0)->dtype;
    return mw_lane_place(graph, op, MW_LANE_SAME, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(check_by(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    return mw_lane_bind(graph, op, MW_LANE_SAME);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    int64_t by = moved_by(op);
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    return mw_span_clip((mw_span){block.lo - by, block.hi - by}, size);
}

static void shift_lane(const mw_op *op, const mw_lane *in, const mw_lane out[],
                       void *arg)
{
    (void)arg;
    const mw_number zero = {.u = 0};
    for (int64_t i = out->start; i < out->start + out->size; i++) {
        int64_t from = i - moved_by(op);
        bool inside = from >= 0 && from < in->whole;
        mw_lane_store(out, i, inside ? mw_lane_load(in, from) : zero);
    }
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_lanes_run(op, in, out, shift_lane, NULL);
}

// The other way.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor;
    mw_attr attr[2];
    int64_t back = -mw_op_attr_int(op, "by", 0);
    for (int i = 0; i < op->n_attr && i < 2; i++) {
        attr[i] = op->attr[i];
        if (attr[i].kind == MW_ATTR_INT)
            attr[i].i = &back;
    }
    const mw_op_spec spec = {.def = "shift",
                             .n_in = 1,
                             .in = dout,
                             .n_attr = op->n_attr,
                             .attr = attr};
    return mw_grad_op(g, &spec, in, g->graph->tensor[in].dtype, &din[0]);
}

static const mw_attr_rule attrs[] = {
    MW_LANE_ATTRS,
    {"by", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {0},
};

#define SAMPLE(by)                                                             \
    "model m\ndim a = 3\ndim b = 11\ninput x : f32[a, b]\n"                    \
    "y = shift(x, dim=b, by=" by ") : f32[b, a]\noutput y\n"

const mw_op_def mw_op_shift = {
    .name = "shift",
    .brief = "the elements of a dim moved towards its end; zeros enter",
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
    .samples = (const char *const[]){SAMPLE("1"), SAMPLE("-4"), SAMPLE("12"),
                                     "model m\ndim a = 3\ninput x : f32[a]\n"
                                     "y = shift(x, by=1) : f32[a]\noutput y\n",
                                     NULL},
};
