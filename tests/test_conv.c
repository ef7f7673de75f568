/* test_conv.c - convolutions and pools by their kernels against the reference,
 * and what the passes make of chains of ops: other ops, the same values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/conv_fuse.h"
#include "ir/direct.h"
#include "ir/eval.h"
#include "ir/text.h"
#include "runtime/conv_tile.h"
#include "runtime/kernel.h"
#include "tests/laws.h"
#include "tests/test.h"

enum { TEXT = 2000 };

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
} bench;

static bool open_bench(bench *b, const char *text)
{
    mw_ctx_init(&b->ctx);
    mw_arena_init(&b->arena, &b->ctx);
    return mw_graph_init(&b->graph, &b->arena, "m") == MW_OK &&
           mw_text_parse(&b->graph, "row", text) == MW_OK;
}

static void close_bench(bench *b)
{
    mw_arena_free(&b->arena);
    mw_ctx_free(&b->ctx);
}

static void *room(bench *b, int64_t bytes)
{
    return mw_arena_alloc(&b->arena, (size_t)bytes + 1, 1);
}

/* ---- kernels ---- */

/* Op 0 of each text. */
static const struct kernel_row {
    const char *name, *dims, *x, *w, *more, *op, *y;
} kernel_rows[] = {
    {"widths of all kinds", "dim i = 5\ndim o = 127\ndim h = 9\ndim v = 8\n",
     "h, v, i", "o, i, 3, 3", "",
     "x, w, strides=[1, 1], dilations=[1, 1], pads_begin=[1, 1], "
     "pads_end=[1, 1], in_axes=[0, 1], tap_axes=[2, 3], out_axes=[0, 1]",
     "h, v, o"},
    {"several cuts of the summands",
     "dim n = 2\ndim i = 700\ndim o = 70\ndim h = 6\n", "n, h, i", "o, i, 3",
     "",
     "x, w, strides=[1], dilations=[1], pads_begin=[1], pads_end=[1], "
     "in_axes=[1], tap_axes=[2], out_axes=[1]",
     "n, h, o"},
    {"more taps than segments",
     "dim i = 2\ndim o = 20\ndim h = 13\ndim v = 12\n", "h, v, i", "o, i, 9, 9",
     "",
     "x, w, strides=[1, 1], dilations=[1, 1], pads_begin=[4, 4], "
     "pads_end=[4, 4], in_axes=[0, 1], tap_axes=[2, 3], out_axes=[0, 1]",
     "h, v, o"},
    {"strides and dilations",
     "dim i = 3\ndim o = 9\ndim h = 11\ndim h2 = 4\ndim v = 10\n", "h, v, i",
     "o, 3, 2, i", "",
     "x, w, strides=[3, 1], dilations=[2, 3], pads_begin=[2, 0], "
     "pads_end=[1, 3], in_axes=[0, 1], tap_axes=[1, 2], out_axes=[0, 1]",
     "h2, v, o"},
    {"three spatial axes",
     "dim n = 2\ndim i = 3\ndim o = 6\ndim d = 4\ndim h = 5\ndim v = 6\n",
     "n, d, h, v, i", "o, i, 3, 3, 3", "",
     "x, w, strides=[1, 1, 1], dilations=[1, 1, 1], pads_begin=[1, 1, 1], "
     "pads_end=[1, 1, 1], in_axes=[1, 2, 3], tap_axes=[2, 3, 4], "
     "out_axes=[1, 2, 3]",
     "n, d, h, v, o"},
    {"groups", "dim g = 3\ndim i = 4\ndim o = 5\ndim h = 7\n", "h, g, i",
     "g, o, i, 3", "",
     "x, w, strides=[1], dilations=[1], pads_begin=[1], pads_end=[1], "
     "in_axes=[0], tap_axes=[3], out_axes=[0]",
     "h, g, o"},
    {"depthwise", "dim n = 2\ndim g = 70\ndim h = 7\ndim v = 5\n", "n, h, v, g",
     "g, 3, 3", "",
     "x, w, strides=[1, 1], dilations=[1, 1], pads_begin=[1, 1], "
     "pads_end=[1, 1], in_axes=[1, 2], tap_axes=[1, 2], out_axes=[1, 2]",
     "n, h, v, g"},
    {"all that may follow", "dim n = 2\ndim i = 6\ndim o = 37\ndim h = 12\n",
     "n, h, i", "o, i, 3",
     "param s : f32[o]\nparam t : f32[o]\ninput r : f32[n, h, o]\n",
     "x, w, s, t, r, strides=[1], dilations=[1], pads_begin=[1], "
     "pads_end=[1], in_axes=[1], tap_axes=[2], out_axes=[1], "
     "with=\"scale shift add\", low=-3, high=20",
     "n, h, o"},
    {"what may follow a depthwise one", "dim g = 70\ndim h = 12\n", "h, g",
     "g, 3", "param s : f32[g]\nparam t : f32[g]\ninput r : f32[h, g]\n",
     "x, w, s, t, r, strides=[1], dilations=[1], pads_begin=[1], "
     "pads_end=[1], in_axes=[0], tap_axes=[1], out_axes=[0], "
     "with=\"scale shift add\", low=0, high=6",
     "h, g"},
};

static void fill_inputs(bench *b, const mw_op *op, mw_view in[])
{
    uint64_t state = 7;
    for (int i = 0; i < op->n_in; i++) {
        const mw_tensor *tensor = &b->graph.tensor[op->in[i].tensor];
        in[i] = mw_view_whole(tensor, room(b, mw_tensor_bytes(tensor)));
        law_fill(tensor->dtype, in[i].data, mw_tensor_elements(tensor), &state);
    }
}

// The kernel's result, with as much room as the plan would give.
static bool run_kernel(bench *b, const mw_op *op, const mw_view in[],
                       mw_view *out, int threads, bool packed)
{
    int64_t extent[MW_MAX_LETTERS], bytes = 0;
    for (int l = 0; l < op->n_letters; l++)
        extent[l] = op->letter[l].size;
    if (op->def->workspace)
        bytes = op->def->workspace(&b->graph, op, extent);
    const mw_tensor *tensor = &b->graph.tensor[op->out[0].tensor];
    *out = mw_view_whole(tensor, room(b, mw_tensor_bytes(tensor)));
    memset(out->data, 0x7f, (size_t)mw_tensor_bytes(tensor));
    mw_view own[5];
    memcpy(own, in, (size_t)op->n_in * sizeof *in);
    mw_kernel_call call = {.op = op,
                           .in = own,
                           .out = out,
                           .workspace = room(b, bytes),
                           .workspace_bytes = bytes,
                           .threads = threads};
    mw_dtype dtype = mw_kernel_dtype(op, in, out);
    const mw_kernel_packing *packing =
        mw_kernel_find_packing(op->def->name, dtype);
    if (packed && packing) {
        int i = packing->input;
        void *to = room(b, mw_tensor_bytes(&b->graph.tensor[op->in[i].tensor]));
        if (!packing->fn(&call, to))
            return false;
        own[i].data = to;
        call.packed = 1U << i;
        call.workspace = NULL;
    }
    mw_kernel_fn *fn = mw_kernel_find(op->def->name, dtype);
    return fn && fn(&call);
}

static void check_kernel(const char *name, const char *text)
{
    bench b;
    if (CHECK(open_bench(&b, text), "%s: %s", name, b.ctx.message)) {
        const mw_op *op = &b.graph.op[0];
        const mw_tensor *tensor = &b.graph.tensor[op->out[0].tensor];
        mw_view in[5], got;
        fill_inputs(&b, op, in);
        mw_view want = mw_view_whole(tensor, room(&b, mw_tensor_bytes(tensor)));
        mw_op_ref(op, in, &want, NULL);
        for (int i = 0; i < 4; i++) {
            int threads = 1 + i / 2;
            bool ran = run_kernel(&b, op, in, &got, threads, i % 2);
            CHECK(ran, "%s: the kernel declines", name);
            int64_t n = law_differences(MW_F32, got.data, want.data,
                                        mw_tensor_elements(tensor));
            CHECK(ran && n == 0, "%s, %d threads, packed %d: %lld differ", name,
                  threads, i % 2, (long long)n);
        }
    }
    close_bench(&b);
}

static void kernels(void)
{
    for (size_t i = 0; i < sizeof kernel_rows / sizeof kernel_rows[0]; i++) {
        const struct kernel_row *row = &kernel_rows[i];
        char text[TEXT];
        (void)snprintf(text, sizeof text,
                       "model m\n%sinput x : f32[%s]\nparam w : f32[%s]\n%s"
                       "y = %s(%s) : f32[%s]\noutput y\n",
                       row->dims, row->x, row->w, row->more,
                       strstr(row->op, "with=") ? "conv_fused" : "conv",
                       row->op, row->y);
        check_kernel(row->name, text);
    }
}

/* Two segments of five summands, for pixels that share them but for a shift. */
enum { SEGMENTS = 2, LENGTH = 5, DATA = 4096 };

static float draw(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (float)(int)(*state >> 60) - 7.5F;
}

static void check_tile(const mw_conv_tiles *tiles, int kind, int n_pixels)
{
    static float x[DATA], w[DATA], out[DATA], want[DATA], add[DATA];
    uint64_t state = 3;
    int width = tiles->width[kind], n_differ = 0;
    const float *at[SEGMENTS * MW_TILE_PIXELS], *adds[MW_TILE_PIXELS];
    float *outs[MW_TILE_PIXELS];
    for (int i = 0; i < DATA; i++) {
        x[i] = draw(&state);
        w[i] = draw(&state);
        out[i] = draw(&state);
        add[i] = draw(&state);
    }
    memcpy(want, out, sizeof want);
    for (int p = 0; p < n_pixels; p++) {
        outs[p] = out + p * (width + 3);
        adds[p] = add + p * width;
        for (int s = 0; s < SEGMENTS; s++)
            at[s * n_pixels + p] = x + s * 100 + p * 7;
        for (int c = 0; c < width; c++) {
            float *y = &want[p * (width + 3) + c];
            for (int k = 0; k < SEGMENTS * LENGTH; k++)
                *y += at[k / LENGTH * n_pixels + p][k % LENGTH] *
                      w[k * width + c];
            *y = *y * x[c] + w[c] + adds[p][c];
            *y = *y < -50 ? -50 : *y > 300 ? 300 : *y;
        }
    }
    const mw_conv_tile tile = {.x = at,
                               .n = SEGMENTS,
                               .len = LENGTH,
                               .w = w,
                               .out = outs,
                               .last = true,
                               .scale = x,
                               .shift = w,
                               .add = adds,
                               .low = -50,
                               .high = 300};
    tiles->fn[kind][n_pixels - 1](&tile);
    for (int i = 0; i < DATA; i++)
        n_differ += out[i] != want[i];
    CHECK(n_differ == 0,
          "%d pixels by %d channels, set of %d widths: %d differ", n_pixels,
          width, tiles->n_widths, n_differ);
}

// Numbers are small halves, so that sums are exact in any order.
static void every_tile(void)
{
    const mw_conv_tiles *tiles;
    for (int i = 0; (tiles = mw_conv_tiles_at(i)); i++) {
        for (int k = 0; k < tiles->n_widths; k++)
            for (int n = 1; n <= MW_TILE_PIXELS; n++)
                check_tile(tiles, k, n);
        CHECK(tiles->width[tiles->n_widths - 1] == 1,
              "set %d ends with a width of %d, wanted 1", i,
              tiles->width[tiles->n_widths - 1]);
    }
}

// The samples of the rows that pool f32.
static void pools(void)
{
    static const char *const names[] = {"pool_max", "pool_sum", "pool_average"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const mw_op_def *def = mw_op_find(names[i]);
        for (int s = 0; def->samples[s]; s++)
            if (strstr(def->samples[s], "x : f32"))
                check_kernel(names[i], def->samples[s]);
    }
}

/* ---- passes ---- */

#define CONV_ATTRS                                                             \
    "strides=[1], dilations=[1], pads_begin=[1], pads_end=[1], in_axes=[2], "  \
    "tap_axes=[2], out_axes=[2]"
#define HEAD                                                                   \
    "model m\ndim n = 2\ndim c = 3\ndim o = 4\ndim h = 6\n"                    \
    "input x : f32[n, c, h]\nparam w : f32[o, c, 3]\nparam v : f32[o, c, 3]\n" \
    "param b : f32[o]\nparam s : f32[o]\nconst zero : f32[] = 0\n"             \
    "const six : f32[] = 6\n"                                                  \
    "y = conv(x, w, " CONV_ATTRS ") : f32[n, o, h]\n"

/* ops: their names once the passes are done, in order. */
static const struct pass_row {
    const char *name, *text, *ops;
} pass_rows[] = {
    {"a bias and a bound",
     HEAD "z = add(y, b) : f32[n, o, h]\nr = relu(z) : f32[n, o, h]\n"
          "output r\n",
     "transpose conv_fused transpose"},
    {"a batch norm behind a bias",
     HEAD "z = add(y, b) : f32[n, o, h]\nt = mul(s, z) : f32[n, o, h]\n"
          "u = add(t, b) : f32[n, o, h]\nr = max(u, zero) : f32[n, o, h]\n"
          "q = min(r, six) : f32[n, o, h]\noutput q\n",
     "mul add transpose conv_fused transpose"},
    {"a batch norm as it is written",
     HEAD "a = sub(y, b) : f32[n, o, h]\ni = exp(s) : f32[o]\n"
          "t = div(a, i) : f32[n, o, h]\nu = sub(t, s) : f32[n, o, h]\n"
          "r = relu(u) : f32[n, o, h]\noutput r\n",
     "neg exp div reciprocal sub transpose conv_fused transpose"},
    {"what is taken from a number stays",
     HEAD "r = sub(b, y) : f32[n, o, h]\noutput r\n",
     "transpose conv sub transpose"},
    {"a residual, after the convolution that it is of",
     HEAD "z = relu(y) : f32[n, o, h]\n"
          "t = conv(x, v, " CONV_ATTRS ") : f32[n, o, h]\n"
          "u = add(z, t) : f32[n, o, h]\nr = relu(u) : f32[n, o, h]\n"
          "output r\n",
     "transpose conv_fused conv_fused transpose"},
    {"a result with two readers stays",
     HEAD "z = relu(y) : f32[n, o, h]\nt = exp(y) : f32[n, o, h]\n"
          "u = mul(z, t) : f32[n, o, h]\noutput u\n",
     "transpose conv relu exp mul transpose"},
    {"a lower bound behind an upper one stays",
     HEAD "z = min(y, zero) : f32[n, o, h]\nr = max(z, six) : f32[n, o, h]\n"
          "output r\n",
     "transpose conv_fused max transpose"},
    {"a sum over positions reads any order",
     HEAD "z = reduce_sum(y) : f32[n, o]\noutput z\n",
     "transpose conv reduce_sum"},
    {"a product over channels follows",
     "model m\ndim n = 2\ndim c = 3\ndim o = 4\ndim p = 5\ndim h = 6\n"
     "input x : f32[n, c, h]\nparam w : f32[o, c, 3]\nparam k : f32[p, o]\n"
     "param v : f32[c, p, 3]\n"
     "y = conv(x, w, " CONV_ATTRS ") : f32[n, o, h]\n"
     "z = einsum(y, k) : f32[n, p, h]\n"
     "t = conv(z, v, " CONV_ATTRS ") : f32[n, c, h]\noutput t\n",
     "transpose conv einsum conv transpose"},
    {"joined channels follow",
     "model m\ndim n = 2\ndim c = 3\ndim o = 4\ndim p = 8\ndim h = 6\n"
     "input x : f32[n, c, h]\nparam w : f32[o, c, 3]\n"
     "param v : f32[c, p, 3]\n"
     "y = conv(x, w, " CONV_ATTRS ") : f32[n, o, h]\n"
     "z = concat(y, y, dim=p) : f32[n, p, h]\n"
     "t = conv(z, v, " CONV_ATTRS ") : f32[n, c, h]\noutput t\n",
     "transpose conv concat conv transpose"},
    {"a kept order for a softmax over the channels",
     HEAD "t = reduce_max(y) : f32[n, h]\nz = sub(y, t) : f32[n, o, h]\n"
          "output z\n",
     "transpose conv reduce_max sub transpose"},
};

static void list_ops(const mw_graph *graph, char *text, size_t cap)
{
    size_t at = 0;
    text[0] = '\0';
    for (int k = 0; k < graph->n_ops && at < cap; k++)
        at += (size_t)snprintf(text + at, cap - at, "%s%s", k ? " " : "",
                               graph->op[k].def->name);
}

// Values by name, so that both graphs begin with the same.
static mw_status eval(bench *b, const mw_graph *graph, const void **result)
{
    const void **value =
        MW_NEW_ARRAY(&b->arena, graph->n_tensors, const void *);
    if (!value)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->producer != MW_NONE || tensor->role == MW_ROLE_CONST)
            continue;
        uint64_t state = 1;
        for (const char *c = tensor->name; *c; c++)
            state = state * 31 + (uint64_t)*c;
        void *data = room(b, mw_tensor_bytes(tensor));
        law_fill(tensor->dtype, data, mw_tensor_elements(tensor), &state);
        value[t] = data;
    }
    MW_TRY(mw_eval_graph(&b->arena, graph, value));
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].output)
            *result = value[t];
    return MW_OK;
}

static void check_pass(const struct pass_row *row)
{
    bench b;
    const void *want = NULL, *got = NULL;
    char ops[TEXT];
    bool ok = open_bench(&b, row->text) && eval(&b, &b.graph, &want) == MW_OK &&
              mw_conv_passes(&b.graph, NULL) == MW_OK &&
              eval(&b, &b.graph, &got) == MW_OK;
    if (CHECK(ok, "%s: %s", row->name, b.ctx.message)) {
        list_ops(&b.graph, ops, sizeof ops);
        CHECK(strcmp(ops, row->ops) == 0, "%s: got %s, want %s", row->name, ops,
              row->ops);
        for (mw_id t = 0; t < b.graph.n_tensors; t++) {
            const mw_tensor *tensor = &b.graph.tensor[t];
            if (!tensor->output)
                continue;
            int64_t n =
                law_differences(MW_F32, got, want, mw_tensor_elements(tensor));
            CHECK(n == 0, "%s: %lld differ", row->name, (long long)n);
        }
        mw_direct d;
        for (int k = 0; k < b.graph.n_ops; k++) {
            const mw_op *op = &b.graph.op[k];
            if (op->def->convolves)
                mw_direct_analyse(op, MW_F32, &d);
            CHECK(!op->def->convolves || d.fits, "%s: '%s' does not fit",
                  row->name, op->name);
        }
    }
    close_bench(&b);
}

static void passes(void)
{
    for (size_t i = 0; i < sizeof pass_rows / sizeof pass_rows[0]; i++)
        check_pass(&pass_rows[i]);
}

// What is named stays, and ends the chain.
static void kept(void)
{
    bench b;
    char ops[TEXT];
    static const char *const names[] = {"z"};
    const mw_kept list = {.n = 1, .name = names};
    bool ok = open_bench(&b, pass_rows[0].text) &&
              mw_conv_passes(&b.graph, &list) == MW_OK;
    if (CHECK(ok, "%s", b.ctx.message)) {
        mw_id z = mw_graph_find_tensor(&b.graph, "z");
        list_ops(&b.graph, ops, sizeof ops);
        CHECK(strcmp(ops, "transpose conv_fused transpose relu") == 0, "got %s",
              ops);
        CHECK(z != MW_NONE && b.graph.tensor[z].axis[1].size == 4,
              "'z' has another order");
    }
    close_bench(&b);
}

const mw_suite mw_suite_conv = {
    "conv",
    {{"every tile of every set of instructions", every_tile},
     {"kernels equal the reference", kernels},
     {"pools equal the reference", pools},
     {"passes keep the values", passes},
     {"what is named stays", kept}}};
