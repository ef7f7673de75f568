/* rename.c - the same buffer under other dims; no kernel, no copy. */
#include <string.h>

#include "ir/grad.h"
#include "ir/loop.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    out->dtype = mw_op_in(graph, op, 0)->dtype;
    return mw_place_broadcast(graph, op, out);
}

// A letter is the output's axis; an input axis of another dim is a window, as
// the letter's block is read there.
static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *in = mw_op_in(graph, op, 0), *to = mw_op_out(graph, op);
    MW_TRY(mw_rule_out_dtype(graph, op, in->dtype));
    if (in->rank != to->rank)
        return mw_op_fail(graph, op, "'%s' has %d dims, wanted %d as '%s'",
                          to->name, to->rank, in->rank, in->name);
    for (int a = 0; a < in->rank; a++) {
        if (in->axis[a].size != to->axis[a].size)
            return mw_op_fail(graph, op, "'%s' axis %d is %lld, wanted %lld",
                              to->name, a, (long long)to->axis[a].size,
                              (long long)in->axis[a].size);
        mw_letter letter = {.dim = to->axis[a].dim,
                            .size = to->axis[a].size,
                            .pinned = to->axis[a].dim == MW_NONE};
        MW_TRY(mw_letter_add(graph, op, letter, &op->out[0].letter[a]));
        op->in[0].letter[a] = op->out[0].letter[a];
        if (in->axis[a].dim != to->axis[a].dim)
            op->in[0].window |= 1u << a;
    }
    graph->tensor[op->out[0].tensor].root = in->root;
    return MW_OK;
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    (void)graph;
    (void)op;
    (void)operand;
    (void)axis;
    return block;
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    (void)op;
    size_t bytes = (size_t)(mw_view_elements(out) * mw_dtype_bytes(out->dtype));
    if (bytes)
        memcpy(out->data, in->data, bytes);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_rename(g, dout[0], op->in[0].tensor, &din[0]);
}

const mw_op_def mw_op_rename = {
    .name = "rename",
    .brief = "the same buffer under other dims; no kernel, no copy",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .view = true,
    .place = place,
    .bind = bind,
    .linear = {1},
    .window = window,
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ndim c = 5 of a by alias\n"
            "input x : f32[a, b]\n"
            "y = rename(x) : f32[c, b]\noutput y\n",
            NULL,
        },
};
