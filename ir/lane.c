/* lane.c - letters of ops along a dim, and walks over their lanes. */
#include "ir/lane.h"

#include "ir/loop.h"
#include "ir/rule.h"

enum { MAX_RESULTS = 2 };

// The input's axis is a window of the result's letter; without one, it is a
// letter of its own.
static mw_status place_lane(const mw_graph *graph, mw_op *op, int axis,
                            int64_t size, mw_tensor *out)
{
    int8_t letter = op->in[0].letter[axis];
    if (size == 1)
        return mw_out_axis(graph, op, out, MW_NONE);
    if (letter == MW_NONE) {
        MW_TRY(mw_letter_add(
            graph, op, (mw_letter){.dim = MW_NONE, .size = size}, &letter));
    } else {
        op->letter[letter].size = size;
        op->in[0].window |= 1u << axis;
    }
    op->letter[letter].whole = true;
    return mw_out_axis(graph, op, out, letter);
}

mw_status mw_lane_place(mw_graph *graph, mw_op *op, int64_t size,
                        mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    int axis;
    MW_TRY(mw_rule_axis(graph, op, in->rank, &axis));
    MW_TRY(mw_letters_of_input(graph, op, 0));
    if (op->in[0].letter[axis] != MW_NONE)
        op->letter[op->in[0].letter[axis]].whole = true;
    for (int a = 0; a < in->rank; a++) {
        if (a != axis)
            MW_TRY(mw_out_axis(graph, op, out, op->in[0].letter[a]));
        else
            MW_TRY(place_lane(graph, op, a,
                              size == MW_LANE_SAME ? in->axis[a].size : size,
                              out));
    }
    for (int o = 1; o < op->n_out; o++) {
        out[o].rank = out->rank;
        for (int a = 0; a < out->rank; a++) {
            out[o].axis[a] = out->axis[a];
            op->out[o].letter[a] = op->out[0].letter[a];
        }
    }
    return MW_OK;
}

static mw_status bind_results(const mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    MW_TRY(mw_bind_no_reduced(graph, op));
    int n = op->n_letters;
    for (int o = 1; o < op->n_out; o++) {
        const mw_tensor *to = &graph->tensor[op->out[o].tensor];
        MW_TRY(mw_bind_axes(graph, op, &op->out[o], 0));
        if (op->n_letters > n || to->rank != mw_op_out(graph, op)->rank)
            return mw_op_fail(graph, op, "'%s' and '%s' have different dims",
                              mw_op_out(graph, op)->name, to->name);
    }
    return MW_OK;
}

mw_status mw_lane_bind(mw_graph *graph, mw_op *op, int64_t size)
{
    const mw_tensor *in = mw_op_in(graph, op, 0), *to = mw_op_out(graph, op);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int axis = dim == MW_NONE ? MW_NONE : mw_tensor_axis(in, dim), out_axis;
    if (dim != MW_NONE && axis == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", in->name,
                          graph->dim[dim].name);
    int64_t own = axis == MW_NONE ? 1 : in->axis[axis].size;
    int64_t wanted = size == MW_LANE_SAME ? own : size;
    MW_TRY(mw_bind_odd_axis(graph, op, to, in, axis, &out_axis));
    int64_t found = out_axis == MW_NONE ? 1 : to->axis[out_axis].size;
    if (found != wanted)
        return mw_op_fail(graph, op, "'%s' has %lld elements, wanted %lld",
                          to->name, (long long)found, (long long)wanted);
    MW_TRY(
        mw_bind_axes(graph, op, &op->in[0], axis == MW_NONE ? 0 : 1u << axis));
    MW_TRY(bind_results(graph, op));
    if (axis == MW_NONE)
        return MW_OK;
    if (out_axis != MW_NONE)
        return mw_bind_window(graph, op, 0, axis, op->out[0].letter[out_axis]);
    return mw_letter_add(graph, op,
                         (mw_letter){.dim = dim, .size = own, .pinned = true},
                         &op->in[0].letter[axis]);
}

mw_status mw_lane_lower(mw_graph *named, const mw_graph *placed,
                        const mw_op *op, const mw_lowering *lowering,
                        mw_op_spec *spec)
{
    int axis, n = 0;
    MW_TRY(mw_rule_axis(placed, op, mw_op_in(placed, op, 0)->rank, &axis));
    mw_lowered_axis flat =
        mw_lower_axis(named, lowering, op->in[0].tensor, spec->in[0], axis);
    if (flat.count > 1)
        return mw_op_fail(placed, op, "axis %d is several dims", axis);
    mw_attr *attr = MW_NEW_ARRAY(lowering->arena, op->n_attr + 1, mw_attr);
    if (!attr)
        return MW_ENOMEM;
    int64_t dim = flat.dim;
    if (flat.count == 1)
        attr[n++] = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    for (int i = 0; i < op->n_attr; i++) {
        if (mw_op_attr_rule(op->def, op->attr[i].name, MW_ATTR_NAMED))
            attr[n++] = op->attr[i];
    }
    return mw_lower_attrs(lowering, spec, attr, n);
}

mw_span mw_lane_window_whole(const mw_graph *graph, const mw_op *op,
                             int operand, int axis, mw_span block)
{
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    return (mw_span){0, mw_op_in(graph, op, operand)->axis[axis].size};
}

mw_number mw_lane_load(const mw_lane *lane, int64_t i)
{
    mw_number x;
    mw_numbers_load(lane->dtype, lane->data,
                    lane->at + (i - lane->start) * lane->stride, 1, 1, &x);
    return x;
}

void mw_lane_store(const mw_lane *lane, int64_t i, mw_number x)
{
    mw_numbers_store(lane->dtype, lane->data,
                     lane->at + (i - lane->start) * lane->stride, 1, 1, &x);
}

static mw_lane lane_of(const mw_view *view, int axis)
{
    mw_lane lane = {
        .data = view->data, .dtype = view->dtype, .size = 1, .whole = 1};
    if (axis == MW_NONE)
        return lane;
    lane.stride = mw_view_stride(view, axis);
    lane.start = view->start[axis];
    lane.size = view->size[axis];
    lane.whole = view->whole[axis];
    return lane;
}

// The axis along which the input's lanes lie: its window, or what no result
// has.
static int input_axis(const mw_op *op)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->in[0].letter[a];
        if (op->in[0].window & 1u << a ||
            (letter != MW_NONE && !mw_op_letter_in_output(op, letter)))
            return a;
    }
    return MW_NONE;
}

// A result's: the letter that is no plain one of the input.
static int result_axis(const mw_op *op, int o)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->out[o].letter[a];
        bool plain = letter == MW_NONE;
        for (int b = 0; b < MW_MAX_RANK; b++)
            plain = plain || (op->in[0].letter[b] == letter &&
                              !(op->in[0].window & 1u << b));
        if (!plain)
            return a;
    }
    return MW_NONE;
}

void mw_lanes_run(const mw_op *op, const mw_view in[], mw_view out[],
                  mw_lane_fn *fn, void *arg)
{
    int64_t extent[MW_MAX_LETTERS];
    mw_loop loop;
    mw_lane from = lane_of(in, input_axis(op)), to[MAX_RESULTS];
    mw_block_extents(op, in, out, extent);
    int axis = result_axis(op, 0);
    if (axis != MW_NONE)
        extent[op->out[0].letter[axis]] = 1;
    mw_loop_outputs(&loop, op, extent);
    mw_loop_view(&loop, &op->in[0], in);
    for (int o = 0; o < op->n_out; o++) {
        to[o] = lane_of(&out[o], result_axis(op, o));
        mw_loop_view(&loop, &op->out[o], &out[o]);
    }
    for (bool more = mw_loop_start(&loop, NULL); more;
         more = mw_loop_next(&loop)) {
        for (int64_t j = 0; j < mw_loop_row(&loop); j++) {
            from.at = loop.at[0] + j * mw_loop_row_stride(&loop, 0);
            for (int o = 0; o < op->n_out; o++)
                to[o].at =
                    loop.at[1 + o] + j * mw_loop_row_stride(&loop, 1 + o);
            fn(op, &from, to, arg);
        }
    }
}
