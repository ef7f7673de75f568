/*
 * cumsum.c - sums of the elements up to each one of a dim. Each rank of a
 * split dim reads all that lies before its block.
 */
#include <string.h>

#include "ir/grad.h"
#include "ir/lane.h"
#include "ir/rule.h"

static bool is_set(const mw_op *op, const char *attr)
{
    return mw_op_attr_int(op, attr, 0) != 0;
}

static mw_status check_dtype(const mw_graph *graph, const mw_op *op)
{
    if (!mw_rule_has_sum(mw_op_in(graph, op, 0)->dtype))
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    MW_TRY(check_dtype(graph, op));
    out->dtype = mw_op_in(graph, op, 0)->dtype;
    return mw_lane_place(graph, op, MW_LANE_SAME, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    return mw_lane_bind(graph, op, MW_LANE_SAME);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    bool exclusive = is_set(op, "exclusive");
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    mw_span read = {0, block.hi - exclusive};
    if (is_set(op, "reverse"))
        read = (mw_span){block.lo + exclusive, size};
    return mw_span_clip(read, size);
}

static void sum_lane(const mw_op *op, const mw_lane *in, const mw_lane out[],
                     void *arg)
{
    (void)arg;
    bool is_float = mw_dtype_is_float(in->dtype);
    bool exclusive = is_set(op, "exclusive"), reverse = is_set(op, "reverse");
    mw_number total = {.u = 0};
    int64_t end = out->start + out->size;
    int64_t first = reverse ? in->whole - 1 : 0;
    int64_t n = reverse ? in->whole - out->start : end;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = reverse ? first - k : k;
        bool wanted = i >= out->start && i < end;
        if (wanted && exclusive)
            mw_lane_store(out, i, total);
        if (exclusive && k == n - 1)
            break;
        mw_number x = mw_lane_load(in, i);
        if (is_float)
            total.f += x.f;
        else
            total.u += x.u;
        if (wanted && !exclusive)
            mw_lane_store(out, i, total);
    }
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_lanes_run(op, in, out, sum_lane, NULL);
}

// Each element is in the sums of those behind it.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor;
    int64_t reverse = !is_set(op, "reverse");
    mw_attr attr[3];
    int n = 0;
    for (int i = 0; i < op->n_attr && n < 2; i++)
        if (strcmp(op->attr[i].name, "reverse") != 0)
            attr[n++] = op->attr[i];
    attr[n++] = mw_attr_of_int("reverse", MW_ATTR_INT, &reverse);
    const mw_op_spec spec = {
        .def = "cumsum", .n_in = 1, .in = dout, .n_attr = n, .attr = attr};
    return mw_grad_op(g, &spec, in, g->graph->tensor[in].dtype, &din[0]);
}

static const mw_attr_rule attrs[] = {
    MW_LANE_ATTRS,
    {"exclusive", MW_ATTR_INT, MW_ATTR_BOTH, true},
    {"reverse", MW_ATTR_INT, MW_ATTR_BOTH, true},
    {0},
};

#define SAMPLE(options, type)                                                  \
    "model m\ndim a = 3\ndim b = 11\ninput x : " type "[a, b]\n"               \
    "y = cumsum(x, dim=b" options ") : " type "[b, a]\noutput y\n"

const mw_op_def mw_op_cumsum = {
    .name = "cumsum",
    .brief = "sums of the elements up to each one of a dim",
    .family = "index",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = mw_lane_lower,
    .linear = {1},
    .flops = 1,
    .same_dim = true,
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            SAMPLE("", "f32"),
            SAMPLE(", exclusive=1", "f32"),
            SAMPLE(", reverse=1", "f64"),
            SAMPLE(", exclusive=1, reverse=1", "i64"),
            "model m\ndim a = 3\ninput x : f32[a]\n"
            "y = cumsum(x, exclusive=1) : f32[a]\noutput y\n",
            NULL,
        },
};
