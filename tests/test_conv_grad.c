/*
 * test_conv_grad.c - gradients of convolutions by their kernels against the
 * reference: few channels and many, several slabs of rows and of pixels, orders
 * of axes, groups, strides, dilations, pads.
 */
#include <string.h>

#include "base/text.h"
#include "ir/eval.h"
#include "ir/text.h"
#include "runtime/kernel.h"
#include "tests/laws.h"
#include "tests/test.h"

static const struct row {
    const char *what, *dims, *x, *y, *attrs, *result;
    const char *op;
} rows[] = {
    {"input, 2-D", "n = 2|ci = 9|co = 10|h = 7|w = 6|h2 = 4|w2 = 6",
     "f32[n, co, h2, w2]", "f32[co, ci, 3, 2]",
     "strides=[2, 1], dilations=[1, 1], pads_begin=[1, 0], pads_end=[1, 1], "
     "in_axes=[2, 3], tap_axes=[2, 3], out_axes=[2, 3]",
     "f32[n, ci, h, w]", "conv_transpose"},
    {"weight, 2-D", "n = 2|ci = 9|co = 10|h = 7|w = 6|h2 = 4|w2 = 6",
     "f32[n, ci, h, w]", "f32[n, co, h2, w2]",
     "strides=[2, 1], dilations=[1, 1], pads_begin=[1, 0], pads_end=[1, 1], "
     "in_axes=[2, 3], out_axes=[2, 3], tap_axes=[2, 3]",
     "f32[co, ci, 3, 2]", "conv_weight_grad"},
    {"input, channels last", "n = 3|ci = 8|co = 16|h = 9|h2 = 9",
     "f64[n, h2, co]", "f64[3, ci, co]",
     "strides=[1], dilations=[2], pads_begin=[2], pads_end=[2], "
     "in_axes=[1], tap_axes=[0], out_axes=[1]",
     "f64[n, h, ci]", "conv_transpose"},
    {"weight, channels last", "n = 3|ci = 8|co = 16|h = 9|h2 = 9",
     "f64[n, h, ci]", "f64[n, h2, co]",
     "strides=[1], dilations=[2], pads_begin=[2], pads_end=[2], "
     "in_axes=[1], out_axes=[1], tap_axes=[0]",
     "f64[3, ci, co]", "conv_weight_grad"},
    {"input, groups", "n = 2|g = 3|ci = 8|co = 9|h = 8|h2 = 6",
     "f32[n, g, co, h2]", "f32[g, co, ci, 3]",
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], "
     "in_axes=[3], tap_axes=[3], out_axes=[3]",
     "f32[n, g, ci, h]", "conv_transpose"},
    {"weight, groups", "n = 2|g = 3|ci = 8|co = 9|h = 8|h2 = 6",
     "f32[n, g, ci, h]", "f32[n, g, co, h2]",
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], "
     "in_axes=[3], out_axes=[3], tap_axes=[3]",
     "f32[g, co, ci, 3]", "conv_weight_grad"},
    {"input, several slabs", "n = 2|ci = 180|co = 8|h = 700|h2 = 700",
     "f32[n, co, h2]", "f32[co, ci, 3]",
     "strides=[1], dilations=[1], pads_begin=[1], pads_end=[1], "
     "in_axes=[2], tap_axes=[2], out_axes=[2]",
     "f32[n, ci, h]", "conv_transpose"},
    {"weight, several slabs", "n = 2|ci = 180|co = 8|h = 700|h2 = 700",
     "f32[n, ci, h]", "f32[n, co, h2]",
     "strides=[1], dilations=[1], pads_begin=[1], pads_end=[1], "
     "in_axes=[2], out_axes=[2], tap_axes=[2]",
     "f32[co, ci, 3]", "conv_weight_grad"},
    {"weight, one for each channel", "n = 2|g = 20|h = 9|h2 = 7",
     "f32[n, g, h]", "f32[n, g, h2]",
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], "
     "in_axes=[2], out_axes=[2], tap_axes=[1]",
     "f32[g, 3]", "conv_weight_grad"},
    {"weight, one tap, factored channels",
     "n = 2|a = 3|ci = 4|b = 5|co = 2|h = 9", "f32[n, a, ci, h]",
     "f32[n, b, h, co]",
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], "
     "in_axes=[3], out_axes=[2], tap_axes=[-1]",
     "f32[co, b, ci, a]", "conv_weight_grad"},
};

static void add_dims(mw_text *text, const char *dims)
{
    for (const char *at = dims; *at;) {
        size_t n = strcspn(at, "|");
        mw_text_format(text, "dim %.*s\n", (int)n, at);
        at += n + (at[n] == '|');
    }
}

static mw_status read_row(mw_ctx *ctx, const struct row *row, mw_graph *graph)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_text_add(&text, "model m\n");
    add_dims(&text, row->dims);
    mw_text_format(&text,
                   "input x : %s\ninput y : %s\nz = %s(x, y, %s) : %s\n"
                   "output z\n",
                   row->x, row->y, row->op, row->attrs, row->result);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_text_parse(graph, row->what, text.data);
    mw_text_free(&text);
    return status;
}

static void try_row(mw_arena *arena, const struct row *row,
                    const mw_graph *graph)
{
    const mw_op *op = &graph->op[0];
    int64_t extent[MW_MAX_LETTERS];
    mw_view view[4];
    for (int i = 0; i < 4; i++) {
        mw_id t = i < 2 ? op->in[i].tensor : op->out[0].tensor;
        uint64_t key = (uint64_t)i + 1;
        size_t bytes = (size_t)mw_tensor_bytes(&graph->tensor[t]);
        void *data = mw_arena_alloc(arena, 1, bytes);
        if (!CHECK(data, "%s: no memory", row->what))
            return;
        view[i] = mw_view_whole(&graph->tensor[t], data);
        law_fill(view[i].dtype, data, mw_tensor_elements(&graph->tensor[t]),
                 &key);
    }
    for (int l = 0; l < op->n_letters; l++)
        extent[l] = op->letter[l].size;
    int64_t bytes = op->def->workspace(graph, op, extent);
    char *room = mw_arena_alloc(arena, 1, (size_t)bytes + 64);
    if (!CHECK(room, "%s: no memory", row->what))
        return;
    const mw_kernel_call call = {.op = op,
                                 .in = view,
                                 .out = &view[3],
                                 .workspace =
                                     room + (64 - (uintptr_t)room % 64) % 64,
                                 .workspace_bytes = bytes,
                                 .threads = 2};
    mw_op_ref(op, view, &view[2], NULL);
    mw_kernel_fn *fn = mw_kernel_find(op->def->name, view[1].dtype);
    CHECK(fn && fn(&call), "%s: the kernel declines", row->what);
    CHECK(law_differences(
              view[2].dtype, view[2].data, view[3].data,
              mw_tensor_elements(&graph->tensor[op->out[0].tensor])) == 0,
          "%s: differs", row->what);
}

static void kernels(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        bool read = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                    read_row(&ctx, &rows[i], &graph) == MW_OK;
        if (CHECK(read, "%s: %s", rows[i].what, ctx.message))
            try_row(&arena, &rows[i], &graph);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

const mw_suite mw_suite_conv_grad = {"conv_grad", {{"kernels", kernels}}};
