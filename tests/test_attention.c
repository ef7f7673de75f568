/*
 * test_attention.c - attentions are found by structure and compute what their
 * ops do one by one, by the kernel, with masks that rule out keys and rows.
 */
#include <string.h>

#include "base/text.h"
#include "ir/eval.h"
#include "ir/fuse.h"
#include "ir/fused.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "runtime/kernel.h"
#include "tests/laws.h"
#include "tests/test.h"

enum { MAX_IN = 20 };

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph whole, fused;
} scene;

/* Lines end in '\n'; a value without type is f32[b, h, s, t]. Between the
 * product of q and k, x, and that of w and v, y. */
static const struct row {
    const char *what, *between, *more, *keep;
    int wanted; /* attentions */
} rows[] = {
    {"softmax",
     "m = reduce_max(x) : f32[b, h, s]\nc = sub(x, m)\ne = exp(c)\n"
     "n = reduce_sum(e) : f32[b, h, s]\nw = div(e, n)\n",
     "", NULL, 1},
    {"causal",
     "z = where(causal, x, low)\nm = reduce_max(z) : f32[b, h, s]\n"
     "c = sub(z, m)\ne = exp(c)\nn = reduce_sum(e) : f32[b, h, s]\n"
     "w = div(e, n)\n",
     "", NULL, 1},
    {"causal, where what is left out counts",
     "z = where(causal, x, one)\nm = reduce_max(z) : f32[b, h, s]\n"
     "c = sub(z, m)\ne = exp(c)\nn = reduce_sum(e) : f32[b, h, s]\n"
     "w = div(e, n)\n",
     "", NULL, 1},
    {"a band, scaled, with a bias",
     "a = mul(x, half)\nz = where(band, a, low)\nu = add(z, bias)\n"
     "m = reduce_max(u) : f32[b, h, s]\nc = sub(u, m)\ne = exp(c)\n"
     "n = reduce_sum(e) : f32[b, h, s]\nw = div(e, n)\n",
     "", NULL, 1},
    {"a band, rows without any",
     "z = where(band, x, low)\nm = reduce_max(z) : f32[b, h, s]\n"
     "c = sub(z, m)\ne = exp(c)\nn = reduce_sum(e) : f32[b, h, s]\n"
     "w = div(e, n)\n",
     "", NULL, 1},
    {"a random mask, a greatest weight, no sum",
     "z = where(mask, x, low)\nm = reduce_max(z) : f32[b, h, s]\n"
     "c = sub(z, m)\nw = exp(c)\n",
     "", NULL, 1},
    {"sums of what the mask leaves out",
     "z = where(causal, x, one)\nn = reduce_sum(z) : f32[b, h, s]\n"
     "a = tanh(n) : f32[b, h, s]\nw = mul(z, a)\n",
     "", NULL, 1},
    {"a view between, as importers make them",
     "m = reduce_max(x) : f32[b, h, s]\nm2 = rename(m) : f32[b, h, s]\n"
     "c = sub(x, m2)\ne = exp(c)\nn = reduce_sum(e) : f32[b, h, s]\n"
     "n2 = rename(n) : f32[b, h, s]\nw = div(e, n2)\n",
     "", NULL, 1},
    {"scores of two products, as relative positions make them",
     "r = einsum(q, k)\na = mul(r, half)\nz = add(x, a)\n"
     "m = reduce_max(z) : f32[b, h, s]\nc = sub(z, m)\ne = exp(c)\n"
     "n = reduce_sum(e) : f32[b, h, s]\nw = div(e, n)\n",
     "", NULL, 1},
    {"a view that is named",
     "m = reduce_max(x) : f32[b, h, s]\nm2 = rename(m) : f32[b, h, s]\n"
     "w = sub(x, m2)\n",
     "", "m2", 0},
    {"scores alone", "w = mul(x, half)\n", "", NULL, 0},
    {"scores are an output",
     "n = reduce_sum(x) : f32[b, h, s]\nw = sub(x, n)\n", "output x\n", NULL,
     0},
    {"weights are read elsewhere",
     "n = reduce_sum(x) : f32[b, h, s]\nw = sub(x, n)\n",
     "r = reduce_sum(w) : f32[b]\noutput r\n", NULL, 0},
    {"a sum over rows", "n = reduce_sum(x) : f32[b, h, t]\nw = sub(x, n)\n", "",
     NULL, 0},
    {"scores are named", "n = reduce_sum(x) : f32[b, h, s]\nw = sub(x, n)\n",
     "", "x", 0},
    {"keys are to be split",
     "n = reduce_sum(x) : f32[b, h, s]\nw = sub(x, n)\n", "", "t", 0},
    {"rows are to be split",
     "n = reduce_sum(x) : f32[b, h, s]\nw = sub(x, n)\n", "", "s", 1},
};

static void add_lines(mw_text *text, const char *lines)
{
    for (const char *at = lines; *at;) {
        size_t n = strcspn(at, "\n");
        bool typed = memchr(at, ':', n) || strncmp(at, "output", 6) == 0;
        mw_text_format(text, "%.*s%s\n", (int)n, at,
                       typed ? "" : " : f32[b, h, s, t]");
        at += n + (at[n] == '\n');
    }
}

// heads h share keys and values; the band leaves rows without any key.
static mw_status write_model(mw_ctx *ctx, const struct row *row, mw_text *text)
{
    mw_text_init(text, ctx);
    mw_text_add(
        text,
        "model m\ndim b = 2\ndim h = 3\ndim s = 150\ndim t = 140\ndim d = 5\n"
        "dim e = 4\ninput q : f32[b, s, h, d]\ninput k : f32[b, t, d]\n"
        "input v : f32[b, t, e]\ninput mask : bool[s, t]\n"
        "input bias : f32[h, t, s]\nconst low : f32[] = {-1e9}\n"
        "const one : f32[] = {1}\nconst half : f32[] = {0.5}\n"
        "const width : i64[] = {20}\nconst far : i64[] = {60}\n"
        "i = iota(dim=s) : i64[s]\nj = iota(dim=t) : i64[t]\n"
        "causal = greater_equal(i, j) : bool[s, t]\n"
        "o = sub(i, far) : i64[s]\np = sub(o, width) : i64[s]\n"
        "under = greater_equal(o, j) : bool[s, t]\n"
        "over = less(p, j) : bool[s, t]\n"
        "band = and(under, over) : bool[s, t]\n"
        "x = einsum(q, k) : f32[b, h, s, t]\n");
    add_lines(text, row->between);
    mw_text_add(text, "y = einsum(w, v) : f32[b, s, h, e]\noutput y\n");
    add_lines(text, row->more);
    return mw_text_status(text);
}

static mw_status read_model(scene *s, const struct row *row)
{
    mw_text text;
    mw_status status = write_model(&s->ctx, row, &text);
    if (status == MW_OK)
        status = mw_graph_init(&s->whole, &s->arena, "m");
    if (status == MW_OK)
        status = mw_graph_init(&s->fused, &s->arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&s->whole, row->what, text.data);
    if (status == MW_OK)
        status = mw_fuse(&s->whole, &row->keep, row->keep != NULL, &s->fused);
    if (status == MW_OK)
        status = mw_verify(&s->fused);
    mw_text_free(&text);
    return status;
}

static int count(const mw_graph *graph)
{
    int n = 0;
    for (int k = 0; k < graph->n_ops; k++)
        n += strcmp(graph->op[k].def->name, "attention") == 0;
    return n;
}

static bool run_op(scene *s, const mw_graph *graph, const mw_op *op,
                   void *value[])
{
    mw_view in[MAX_IN], out[MW_FUSED_OUT];
    int64_t extent[MW_MAX_LETTERS];
    for (int i = 0; i < op->n_in; i++)
        in[i] = mw_view_whole(&graph->tensor[op->in[i].tensor],
                              value[op->in[i].tensor]);
    for (int o = 0; o < op->n_out; o++)
        out[o] = mw_view_whole(&graph->tensor[op->out[o].tensor],
                               value[op->out[o].tensor]);
    for (int l = 0; l < op->n_letters; l++)
        extent[l] = op->letter[l].size;
    int64_t bytes =
        op->def->workspace ? op->def->workspace(graph, op, extent) : 0;
    char *room = mw_arena_alloc(&s->arena, 1, (size_t)bytes + 64);
    if (!room)
        return false;
    room += (64 - (uintptr_t)room % 64) % 64;
    const mw_kernel_call call = {.op = op,
                                 .in = in,
                                 .out = out,
                                 .workspace = room,
                                 .workspace_bytes = bytes,
                                 .threads = 2};
    mw_kernel_fn *fn =
        mw_kernel_find(op->def->name, mw_kernel_dtype(op, in, out));
    if (strcmp(op->def->name, "attention") != 0) {
        mw_kernel_run(fn, &call);
        return true;
    }
    return CHECK(fn && fn(&call), "the kernel declines '%s'", op->name);
}

static bool eval(scene *s, const mw_graph *graph, void *value[])
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        uint64_t key = 1;
        for (const char *c = tensor->name; *c; c++)
            key = key * 31 + (uint64_t)*c;
        value[t] =
            mw_arena_alloc(&s->arena, 1, (size_t)mw_tensor_bytes(tensor) + 8);
        if (!value[t])
            return false;
        if (tensor->role == MW_ROLE_CONST)
            memcpy(value[t], tensor->data.bytes,
                   (size_t)mw_tensor_bytes(tensor));
        else if (tensor->producer == MW_NONE)
            law_fill(tensor->dtype, value[t], mw_tensor_elements(tensor), &key);
    }
    for (int k = 0; k < graph->n_ops; k++)
        if (!run_op(s, graph, &graph->op[k], value))
            return false;
    return true;
}

static void compare(scene *s, const char *what)
{
    void **a = MW_NEW_ARRAY(&s->arena, s->whole.n_tensors, void *);
    void **b = MW_NEW_ARRAY(&s->arena, s->fused.n_tensors, void *);
    if (!CHECK(a && b && eval(s, &s->whole, a) && eval(s, &s->fused, b), "%s",
               s->ctx.message))
        return;
    mw_id y = mw_graph_find_tensor(&s->whole, "y");
    mw_id z = mw_graph_find_tensor(&s->fused, "y");
    CHECK(law_differences(MW_F32, a[y], b[z],
                          mw_tensor_elements(&s->whole.tensor[y])) == 0,
          "%s: differs", what);
}

static void found(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        scene s;
        mw_ctx_init(&s.ctx);
        mw_arena_init(&s.arena, &s.ctx);
        mw_status status = read_model(&s, &rows[i]);
        if (CHECK(status == MW_OK, "%s: %s", rows[i].what, s.ctx.message)) {
            int n = count(&s.fused);
            CHECK(n == rows[i].wanted, "%s: %d attentions, wanted %d",
                  rows[i].what, n, rows[i].wanted);
            compare(&s, rows[i].what);
        }
        mw_arena_free(&s.arena);
        mw_ctx_free(&s.ctx);
    }
}

/* Bodies that are none of an attention's, beside what is said of them. */
static const struct refusal {
    const char *ops, *said;
} refusals[] = {
    {"x = einsum(q, k) : f32[s, t]\nr = reduce_sum(x) : f32[s]\n",
     "wanted a product of two operands first and last"},
    {"x = einsum(q, k) : f32[s, t]\nr = einsum(x, z) : f32[e]\n",
     "the result lacks several dims of the scores"},
    {"x = einsum(q, k) : f32[s, t]\nm = reduce_max(x) : f32[t]\n"
     "w = sub(x, m) : f32[s, t]\nr = einsum(w, v) : f32[s, e]\n",
     "a reduction is not along the key alone"},
    {"x = einsum(q, k) : f32[s, t]\nw = mul(x, far) : f32[s, t, e]\n"
     "r = einsum(w, v) : f32[s, e]\n",
     "the last product does not sum over the key"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        static const char *const sides =
            "input q : f32[s, d]\ninput k : f32[t, d]\ninput v : f32[t, e]\n"
            "input z : f32[s, t, e]\ninput far : f32[e]\n";
        static const char *const dims =
            "dim s = 4\ndim t = 5\ndim d = 3\ndim e = 2\n";
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_text text;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_text_init(&text, &ctx);
        mw_text_format(&text,
                       "model m\n%sbody no\n%s%s%sresult r\nend\n%s"
                       "r = attention(q, k, v, z, far, body=no) : f32[s, e]\n"
                       "output r\n",
                       dims, dims, sides, refusals[i].ops, sides);
        bool right = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                     mw_text_parse(&graph, "refused", text.data) == MW_EINPUT &&
                     strstr(ctx.message, refusals[i].said);
        CHECK(right, "said '%s', wanted '%s'", ctx.message, refusals[i].said);
        mw_text_free(&text);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static mw_status fuse_one(mw_ctx *ctx, void *arg)
{
    scene s = {.ctx = {0}};
    (void)arg;
    mw_arena_init(&s.arena, ctx);
    mw_text text;
    mw_status status = write_model(ctx, &rows[1], &text);
    if (status == MW_OK)
        status = mw_graph_init(&s.whole, &s.arena, "m");
    if (status == MW_OK)
        status = mw_graph_init(&s.fused, &s.arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&s.whole, "m", text.data);
    if (status == MW_OK)
        status = mw_fuse(&s.whole, NULL, 0, &s.fused);
    mw_text_free(&text);
    mw_arena_free(&s.arena);
    return status;
}

static void memory(void)
{
    check_oom("attention", fuse_one, NULL);
}

const mw_suite mw_suite_attention = {"attention",
                                     {{"found by structure", found},
                                      {"bodies that are refused", refused},
                                      {"out of memory", memory}}};
