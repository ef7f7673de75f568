/*
 * places.c - where the true elements of a vector are, which must be as many as
 * `count`: values decide which elements, never how many. A rank that keeps some
 * of the places reads the whole vector.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ir/lane.h"
#include "ir/loop.h"
#include "ir/rule.h"

static int64_t wanted(const mw_op *op)
{
    return mw_op_attr_int(op, "count", 0);
}

// None at all would be nothing to check: no rank would read the vector.
static mw_status check(const mw_graph *graph, const mw_op *op, int64_t size)
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    if (wanted(op) < 1 || wanted(op) > size)
        return mw_op_fail(graph, op, "count is %lld, wanted 1 to %lld",
                          (long long)wanted(op), (long long)size);
    if (in->dtype != MW_BOOL || in->rank > 1)
        return mw_op_fail(graph, op,
                          "'%s' is %s of %d axes, wanted bool of one", in->name,
                          mw_dtype_name(in->dtype), in->rank);
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    MW_TRY(check(graph, op, in->rank == 1 ? in->axis[0].size : 0));
    out->dtype = MW_I64;
    return mw_lane_place(graph, op, wanted(op), out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    MW_TRY(check(graph, op, in->rank == 1 ? in->axis[0].size : 1));
    MW_TRY(mw_rule_out_dtype(graph, op, MW_I64));
    return mw_lane_bind(graph, op, wanted(op));
}

// Results beyond the true elements, which `refuses` lets nobody see, are -1.
static void find(const mw_op *op, const mw_lane *in, const mw_lane out[],
                 void *arg)
{
    (void)op;
    (void)arg;
    int64_t n = 0, end = out->start + out->size;
    for (int64_t i = in->start; i < in->start + in->size && n < end; i++) {
        if (mw_lane_load(in, i).u == 0)
            continue;
        if (n >= out->start)
            mw_lane_store(out, n, (mw_number){.i = i});
        n++;
    }
    for (int64_t i = n < out->start ? out->start : n; i < end; i++)
        mw_lane_store(out, i, (mw_number){.i = -1});
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_lanes_run(op, in, out, find, NULL);
}

// A rank without a part of the result has nothing of the vector.
static bool refuses(const mw_op *op, const mw_view in[],
                    char text[MW_REFUSAL_MAX])
{
    int64_t n = mw_view_elements(in), found = 0;
    if (in->rank > 0 && n < in->whole[0])
        return false;
    for (int64_t i = 0; i < n; i++)
        found += ((const uint8_t *)in->data)[i] != 0;
    if (found == wanted(op))
        return false;
    (void)snprintf(text, MW_REFUSAL_MAX,
                   "%" PRId64 " elements are selected where the plan was made "
                   "for %" PRId64,
                   found, wanted(op));
    return true;
}

static const mw_attr_rule attrs[] = {
    MW_LANE_ATTRS,
    {"count", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {0},
};

const mw_op_def mw_op_places = {
    .name = "places",
    .brief =
        "where a vector is true, at `count` places; refuses another number",
    .family = "index",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = mw_lane_lower,
    .flops = 1,
    .window = mw_lane_window_whole,
    .ref = ref,
    .refuses = refuses,
    .dear = true,
    .samples =
        (const char *const[]){
            "model m\ndim a = 11\ndim b = 5 of a by places\n"
            "input x : bool[a]\ny = places(x, dim=a, count=5) : i64[b]\n"
            "output y\n",
            "model m\ndim a = 6\ninput x : bool[a]\n"
            "y = places(x, dim=a, count=1) : i64[]\noutput y\n",
            "model m\ninput x : bool[]\ny = places(x, count=1) : i64[]\n"
            "output y\n",
            NULL,
        },
};
