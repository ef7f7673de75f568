/*
 * test_graph.c - graphs built by hand: what adding a dim, a tensor or an op
 * refuses, what the verifier finds in a graph that was broken afterwards, and
 * values from files.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "ir/eval.h"
#include "ir/op.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tests/laws.h"
#include "tests/test.h"

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
} bench;

static void open_bench(bench *b, bool named)
{
    mw_ctx_init(&b->ctx);
    mw_arena_init(&b->arena, &b->ctx);
    CHECK(mw_graph_init(&b->graph, &b->arena, "m") == MW_OK, "%s",
          b->ctx.message);
    b->graph.named = named;
}

static void close_bench(bench *b)
{
    mw_arena_free(&b->arena);
    mw_ctx_free(&b->ctx);
}

static void check_refused(bench *b, mw_status status, const char *part)
{
    CHECK(status == MW_EINPUT && strstr(b->ctx.message, part),
          "got '%s', want '%s'", b->ctx.message, part);
    mw_ctx_clear(&b->ctx);
}

static void tensors(void)
{
    const int64_t large = INT64_C(1) << 31;
    bench b;
    mw_id id;
    open_bench(&b, false);
    mw_tensor t = {.name = "w", .dtype = MW_F32, .rank = 2};
    t.axis[0] = t.axis[1] = (mw_axis){.dim = MW_NONE, .size = large};
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &id),
                  "tensor 'w': its bytes overflow");
    t.axis[1].size = large / 4;
    CHECK(mw_graph_tensor(&b.graph, &t, &id) == MW_OK &&
              mw_tensor_bytes(&b.graph.tensor[id]) == INT64_C(1) << 62,
          "%s", b.ctx.message);
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &id),
                  "tensor 'w' is there twice");
    t.name = "negative";
    t.axis[1].size = -3;
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &id),
                  "tensor 'negative': axis 1 is -3");
    t.name = "";
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &id), "has no name");
    t.name = "deep";
    t.rank = MW_MAX_RANK + 1;
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &id),
                  "tensor 'deep': 17 dims, at most 16");
    t.name = "empty";
    t.rank = 3;
    t.axis[0].size = t.axis[1].size = INT64_C(1) << 30;
    t.axis[2] = (mw_axis){.dim = MW_NONE, .size = 0};
    CHECK(mw_graph_tensor(&b.graph, &t, &id) == MW_OK &&
              mw_tensor_elements(&b.graph.tensor[id]) == 0,
          "%s", b.ctx.message);
    t.name = "empty but too large";
    t.axis[2] = t.axis[1];
    t.axis[3] = (mw_axis){.dim = MW_NONE, .size = 0};
    t.rank = 4;
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &id), "overflow");
    CHECK(mw_graph_find_tensor(&b.graph, "w") == 0 &&
              mw_graph_find_tensor(&b.graph, "v") == MW_NONE,
          "tensors are not found by name");
    close_bench(&b);
}

static void dims(void)
{
    bench b;
    mw_id id, other;
    open_bench(&b, true);
    mw_dim d = {.name = "d", .size = 5, .of = MW_NONE};
    CHECK(mw_graph_dim(&b.graph, &d, &id) == MW_OK &&
              mw_graph_find_dim(&b.graph, "d") == id,
          "%s", b.ctx.message);
    check_refused(&b, mw_graph_dim(&b.graph, &d, &other),
                  "dim 'd' is there twice");
    mw_tensor t = {.name = "t", .dtype = MW_F32, .rank = 2};
    t.axis[0] = (mw_axis){.dim = id, .size = 5};
    t.axis[1] = (mw_axis){.dim = id, .size = 5};
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &other),
                  "dim 'd' twice in 't': rename one");
    t.axis[1] = (mw_axis){.dim = MW_NONE, .size = 4};
    t.axis[0].size = 6;
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &other),
                  "tensor 't': axis 0 is 6 where 'd' is 5");
    t.axis[0].size = 5;
    t.file_rank = 1;
    t.file_axis[0] = 1;
    check_refused(&b, mw_graph_tensor(&b.graph, &t, &other),
                  "its file's axes hold 1 dims, wanted 2");
    t.file_axis[0] = 2;
    int64_t shape[MW_MAX_FILE_RANK];
    CHECK(mw_graph_tensor(&b.graph, &t, &other) == MW_OK &&
              mw_tensor_file_shape(&b.graph.tensor[other], shape) == 1 &&
              shape[0] == 20,
          "%s", b.ctx.message);
    close_bench(&b);
}

static const char base_text[] =
    "dim b = 3\ndim m = 4\ndim k = 5\ndim m2 = 4 of m by alias\n"
    "input x : f32[b, m, k]\nparam w : f32[k, m]\n"
    "r = rename(w) : f32[k, m2]\ny = einsum(x, r) : f32[b, m, m2]\n"
    "z = exp(y) : f32[b, m, m2]\noutput z\n";

// Ways to break the graph of base_text.
static void dim_twice(mw_graph *g)
{
    g->tensor[4].axis[1].dim = 0;
    g->tensor[4].axis[1].size = 3;
    g->op[2].out[0].letter[1] = 0;
}

static void size_of_dim(mw_graph *g)
{
    g->tensor[0].axis[0].size = 7;
}

static void dim_out_of_range(mw_graph *g)
{
    g->tensor[0].axis[0].dim = 99;
}

static void other_letter(mw_graph *g)
{
    g->op[2].in[0].letter[0] = 1;
    g->op[2].in[0].letter[1] = 0;
}

static void no_letter(mw_graph *g)
{
    g->op[2].in[0].letter[0] = MW_NONE;
}

static void letter_twice(mw_graph *g)
{
    g->op[2].in[0].letter[2] = 1;
}

static void two_letters(mw_graph *g)
{
    g->op[2].letter[2].dim = g->op[2].letter[1].dim;
}

static void unpinned(mw_graph *g)
{
    g->op[2].letter[2].dim = MW_NONE;
    g->tensor[3].axis[2].dim = MW_NONE;
    g->op[1].letter[3].dim = MW_NONE;
    g->op[1].letter[3].pinned = true;
    g->op[0].letter[1].dim = MW_NONE;
    g->op[0].letter[1].pinned = true;
    g->tensor[2].axis[1].dim = MW_NONE;
    g->tensor[4].axis[2].dim = MW_NONE;
}

static void unused_letter(mw_graph *g)
{
    g->op[2].letter[3] = (mw_letter){.dim = 2, .size = 5};
    g->op[2].n_letters = 4;
}

static void window_of_map(mw_graph *g)
{
    g->op[2].in[0].window = 1;
}

static void order(mw_graph *g)
{
    mw_op op = g->op[1];
    g->op[1] = g->op[2];
    g->op[2] = op;
}

static void later_operand(mw_graph *g)
{
    g->op[1].in[0].tensor = 4;
}

static void no_producer(mw_graph *g)
{
    g->tensor[3].producer = MW_NONE;
}

static void wrong_role(mw_graph *g)
{
    g->tensor[3].role = MW_ROLE_PARAM;
}

static void own_root(mw_graph *g)
{
    g->tensor[2].root = 2;
}

static void other_root(mw_graph *g)
{
    g->tensor[3].root = 0;
}

static void same_name(mw_graph *g)
{
    g->tensor[3].name = "z";
}

static void same_dim_name(mw_graph *g)
{
    g->dim[1].name = "k";
}

static void own_parent(mw_graph *g)
{
    g->dim[3].of = 3;
}

static void file_axes(mw_graph *g)
{
    g->tensor[0].file_axis[0] = 2;
}

static void operand_out_of_range(mw_graph *g)
{
    g->op[2].in[0].tensor = 50;
}

static void positional(mw_graph *g)
{
    g->named = false;
}

static const struct breakage {
    const char *name;
    void (*change)(mw_graph *g);
    const char *part;
} breakages[] = {
    {"dim twice", dim_twice, "dim 'b' twice in 'z': rename one"},
    {"size of dim", size_of_dim, "tensor 'x': axis 0 is 7 where 'b' is 3"},
    {"dim out of range", dim_out_of_range, "axis 0 is dim 99 of 4"},
    {"other letter", other_letter, "exp 'z': 'y' axis 0"},
    {"no letter", no_letter, "'y' axis 0 has no letter"},
    {"letter twice", letter_twice, "axes 1 and 2 are one letter"},
    {"two letters", two_letters, "dim 'm' is two letters"},
    {"unpinned", unpinned, "op 'z': letter 2 without dim is not pinned"},
    {"unused letter", unused_letter, "op 'z': letter 3 is of no axis"},
    {"window of a map", window_of_map, "op 'z': operand 0 has no windows"},
    {"order", order, "stands at"},
    {"later operand", later_operand, "stands at 1, 'z' is made at 2"},
    {"no producer", no_producer, "stands at 1, 'y' is made at -1"},
    {"wrong role", wrong_role, "tensor 'y': its role"},
    {"own root", own_root, "tensor 'r': its root is tensor 2, wanted 1"},
    {"other root", other_root, "tensor 'y': its root is tensor 0, wanted 3"},
    {"same name", same_name, "tensor 'z' is there twice"},
    {"same name of dims", same_dim_name, "dim 'k' is there twice"},
    {"own parent", own_parent, "dim 'm2' is derived from itself"},
    {"file axes", file_axes, "its file's axes hold 4 dims, wanted 3"},
    {"operand out of range", operand_out_of_range, "tensor 50 of 5"},
    {"positional", positional, "has no dims"},
};

static void broken(void)
{
    for (size_t i = 0; i < sizeof breakages / sizeof breakages[0]; i++) {
        bench b;
        open_bench(&b, true);
        CHECK(mw_text_parse(&b.graph, "t.mw", base_text) == MW_OK, "%s: %s",
              b.ctx.where, b.ctx.message);
        breakages[i].change(&b.graph);
        mw_status status = mw_verify(&b.graph);
        CHECK(status == MW_EINPUT && strstr(b.ctx.message, breakages[i].part),
              "%s: got '%s', want '%s'", breakages[i].name, b.ctx.message,
              breakages[i].part);
        close_bench(&b);
    }
}

static void interference(void)
{
    bench b;
    open_bench(&b, true);
    CHECK(mw_text_parse(&b.graph, "t.mw", base_text) == MW_OK, "%s",
          b.ctx.message);
    // m and m2 meet in y; k and m2 meet in w under its other name
    static const char *const pairs[] = {"bm1", "bk1", "mk1", "mn1",
                                        "kn1", "bn1", "bb0"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        int at[2];
        for (int k = 0; k < 2; k++)
            at[k] = (int)(strchr("bmkn", pairs[i][k]) - "bmkn");
        int found = b.graph.interferes[at[0] * b.graph.n_dims + at[1]];
        CHECK(found == pairs[i][2] - '0', "%s: %d", pairs[i], found);
    }
    close_bench(&b);
}

static const struct count {
    const char *text;
    double flops;
} counts[] = {
    {"y = einsum(x, w) : f32[m, n]\n", 2 * 4 * 5 * 6},
    {"y = add(x, x) : f32[m, k]\n", 20},
    {"y = reduce_sum(x) : f32[m]\n", 20},
    {"y = transpose(x) : f32[k, m]\n", 0},
    {"y = conv(x, v, strides=[1], dilations=[1], pads_begin=[0], "
     "pads_end=[0], in_axes=[1], tap_axes=[1], out_axes=[1]) : f32[m, q]\n",
     2 * 4 * 3 * 3},
};

static void flops(void)
{
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char text[1000];
        bench b;
        open_bench(&b, true);
        (void)snprintf(text, sizeof text,
                       "dim m = 4\ndim k = 5\ndim n = 6\ndim q = 3\n"
                       "input x : f32[m, k]\nparam w : f32[k, n]\n"
                       "param v : f32[m, 3]\n%s",
                       counts[i].text);
        bool ok = mw_text_parse(&b.graph, "t.mw", text) == MW_OK;
        double found = ok ? mw_op_flops(&b.graph, &b.graph.op[0]) : -1;
        CHECK(found == counts[i].flops, "%s: %g, %s", counts[i].text, found,
              b.ctx.message);
        close_bench(&b);
    }
}

static const struct passing {
    const char *text;
    uint32_t sets[3];
} passings[] = {
    {"y = add(x, x) : f32[a]\n", {3, 0, 0}},
    {"y = mul(x, x) : f32[a]\n", {1, 2, 0}},
    {"y = div(x, x) : f32[a]\n", {1, 0, 0}},
    {"y = div(i, i) : i64[a]\n", {0, 0, 0}},
    {"y = where(b, x, x) : f32[a]\n", {6, 0, 0}},
    {"y = where(b, b, b) : bool[a]\n", {0, 0, 0}},
    {"y = einsum(x) : f32[]\n", {1, 0, 0}},
    {"y = einsum(x, x) : f32[a]\n", {1, 2, 0}},
    {"y = cast(x, to=f64) : f64[a]\n", {1, 0, 0}},
    {"y = cast(x, to=i64) : i64[a]\n", {0, 0, 0}},
    {"y = cast(i, to=f32) : f32[a]\n", {0, 0, 0}},
    {"y = concat(x, x, x, dim=p) : f32[p, a]\n", {7, 0, 0}},
    {"y = pad(x, dim=q, before=1, after=1) : f32[q]\n", {1, 0, 0}},
    {"y = pad(x, dim=q, before=1, after=1, value=2) : f32[q]\n", {0, 0, 0}},
    {"y = pad(x, dim=q, before=1, after=1, value=nan) : f32[q]\n", {0, 0, 0}},
    {"y = exp(x) : f32[a]\n", {0, 0, 0}},
    {"y = gather(x, j, dim=a) : f32[c]\n", {1, 0, 0}},
    {"y = gather(b, j, dim=a) : bool[c]\n", {0, 0, 0}},
};

static void linear(void)
{
    for (size_t i = 0; i < sizeof passings / sizeof passings[0]; i++) {
        char text[1000];
        bench b;
        open_bench(&b, true);
        (void)snprintf(text, sizeof text,
                       "dim a = 4\ndim p = 3\ndim q = 6\ndim c = 2\n"
                       "input x : f32[a]\ninput i : i64[a]\n"
                       "input b : bool[a]\ninput j : i64[c]\n%s",
                       passings[i].text);
        bool ok = mw_text_parse(&b.graph, "t.mw", text) == MW_OK;
        CHECK(ok, "%s: %s", passings[i].text, b.ctx.message);
        for (int k = 0; ok && k < 3; k++) {
            uint32_t found = mw_op_linear(&b.graph, &b.graph.op[0], k);
            CHECK(found == passings[i].sets[k], "%s set %d: %u, want %u",
                  passings[i].text, k, found, passings[i].sets[k]);
        }
        close_bench(&b);
    }
}

// Values from a file, from an offset; a file that is too short is named.
static void files(void)
{
    static const struct row {
        const char *size;
        int offset;
        const char *part; /* of the message; NULL: it works */
    } rows[] = {
        {"3", 8, NULL},
        {"3", 16, "has 20 bytes, wanted 12 from 16"},
        {"3", 21, "has 20 bytes, wanted 12 from 21"},
        {"0", 20, NULL},
    };
    static const float stored[] = {1, 2, 3, 4, 5};
    char path[500];
    (void)snprintf(path, sizeof path, "%s/values.bin", mw_scratch_path());
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1000];
        bench b;
        open_bench(&b, true);
        (void)snprintf(text, sizeof text,
                       "dim a = %s\nparam w : f32[a] = \"%s\" @ %d\n"
                       "y = neg(w) : f32[a]\n",
                       rows[i].size, path, rows[i].offset);
        bool ok = mw_file_write(&b.ctx, path, stored, sizeof stored) == MW_OK &&
                  mw_text_parse(&b.graph, "t.mw", text) == MW_OK;
        CHECK(ok, "%s", b.ctx.message);
        const void *value[2] = {NULL, NULL};
        mw_status status = mw_eval_graph(&b.arena, &b.graph, value);
        const float *y = value[1];
        if (rows[i].part)
            CHECK(status == MW_EINPUT && strstr(b.ctx.message, rows[i].part),
                  "got '%s', want '%s'", b.ctx.message, rows[i].part);
        else
            CHECK(status == MW_OK &&
                      (rows[i].size[0] == '0' || (y[0] == -3 && y[2] == -5)),
                  "%s", b.ctx.message);
        close_bench(&b);
    }
}

static void missing_values(void)
{
    bench b;
    open_bench(&b, true);
    CHECK(mw_text_parse(&b.graph, "t.mw", base_text) == MW_OK, "%s",
          b.ctx.message);
    const void *value[5] = {NULL};
    check_refused(&b, mw_eval_graph(&b.arena, &b.graph, value),
                  "tensor 'x' has no values");
    close_bench(&b);
}

static mw_status build(mw_ctx *ctx, void *arg)
{
    mw_arena arena;
    mw_graph graph;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_graph_init(&graph, &arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&graph, "t.mw", arg);
    const void *value[5] = {NULL};
    static const float zeros[60];
    value[0] = value[1] = zeros;
    if (status == MW_OK)
        status = mw_eval_graph(&arena, &graph, value);
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    char text[sizeof base_text];
    memcpy(text, base_text, sizeof text);
    check_oom("graph", build, text);
}

const mw_suite mw_suite_graph = {"graph",
                                 {{"tensors", tensors},
                                  {"dims", dims},
                                  {"broken graphs", broken},
                                  {"interference", interference},
                                  {"flops", flops},
                                  {"linear sets", linear},
                                  {"values from files", files},
                                  {"missing values", missing_values},
                                  {"out of memory", out_of_memory}}};
