/* test_text.c - .mw text: what is read, what is printed, what is refused. */
#include <stdio.h>
#include <string.h>

#include "ir/op.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tests/import_support.h"
#include "tests/test.h"

static bool same_letters(const mw_operand *a, const mw_operand *b)
{
    return a->tensor == b->tensor && a->window == b->window &&
           memcmp(a->letter, b->letter, sizeof a->letter) == 0;
}

static bool same_op(const mw_op *a, const mw_op *b)
{
    bool same = a->def == b->def && a->n_in == b->n_in &&
                a->n_out == b->n_out && a->n_letters == b->n_letters &&
                a->n_attr == b->n_attr && strcmp(a->name, b->name) == 0;
    for (int i = 0; same && i < a->n_in; i++)
        same = same_letters(&a->in[i], &b->in[i]);
    for (int i = 0; same && i < a->n_out; i++)
        same = same_letters(&a->out[i], &b->out[i]);
    for (int i = 0; same && i < a->n_letters; i++)
        same = a->letter[i].dim == b->letter[i].dim &&
               a->letter[i].size == b->letter[i].size &&
               a->letter[i].pinned == b->letter[i].pinned;
    return same;
}

// Large values are not printed; `data`: they are compared too.
static bool same_tensor(const mw_tensor *a, const mw_tensor *b, bool data)
{
    bool same = strcmp(a->name, b->name) == 0 && a->dtype == b->dtype &&
                a->role == b->role && a->output == b->output &&
                a->rank == b->rank && a->file_rank == b->file_rank &&
                a->root == b->root && a->producer == b->producer &&
                (!data || a->data.kind == b->data.kind) &&
                memcmp(a->file_axis, b->file_axis, sizeof a->file_axis) == 0;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].dim == b->axis[i].dim &&
               a->axis[i].size == b->axis[i].size;
    if (same && data && a->data.kind == MW_DATA_MEMORY)
        same = memcmp(a->data.bytes, b->data.bytes,
                      (size_t)mw_tensor_bytes(a)) == 0;
    return same;
}

static bool same_dim(const mw_dim *a, const mw_dim *b)
{
    return strcmp(a->name, b->name) == 0 && a->size == b->size &&
           a->of == b->of && !a->how == !b->how && !a->synonym == !b->synonym &&
           (!a->how || strcmp(a->how, b->how) == 0) &&
           (!a->synonym || strcmp(a->synonym, b->synonym) == 0);
}

static bool same_graph(const mw_graph *a, const mw_graph *b, bool data)
{
    bool same = a->n_ops == b->n_ops && a->n_tensors == b->n_tensors &&
                a->n_dims == b->n_dims && a->n_conditions == b->n_conditions;
    for (int i = 0; same && i < a->n_ops; i++)
        same = same_op(&a->op[i], &b->op[i]);
    for (int i = 0; same && i < a->n_tensors; i++)
        same = same_tensor(&a->tensor[i], &b->tensor[i], data);
    for (int i = 0; same && i < a->n_dims; i++)
        same = same_dim(&a->dim[i], &b->dim[i]);
    return same;
}

// Print, parse, print: the graphs and the texts are the same.
static void check_again(const char *name, const mw_graph *first, bool data)
{
    mw_graph second;
    char *printed = mw_text_print(first);
    bool ok = printed && mw_graph_init(&second, first->arena, "") == MW_OK &&
              mw_text_parse(&second, "again", printed) == MW_OK;
    char *again = ok ? mw_text_print(&second) : NULL;
    CHECK(again && strcmp(printed, again) == 0, "%s: %s: %s\n%s", name,
          first->ctx->where, first->ctx->message, printed ? printed : "");
    CHECK(again && same_graph(first, &second, data),
          "%s: another graph after printing\n%s", name, printed ? printed : "");
}

static void check_round_trip(const char *name, const char *text)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    bool ok = mw_graph_init(&graph, &arena, "") == MW_OK &&
              mw_text_parse(&graph, name, text) == MW_OK;
    CHECK(ok, "%s: %s: %s\n%s", name, ctx.where, ctx.message, text);
    if (ok)
        check_again(name, &graph, true);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void models(void)
{
    static const char *const names[] = {"gpt_static", "bert_tiny",
                                        "vit_tiny",   "mlp",
                                        "mixer",      "jax_gpt_static"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[200], npz[200];
        imported model;
        (void)snprintf(path, sizeof path, "tests/data/exports/%s.onnx",
                       names[i]);
        (void)snprintf(npz, sizeof npz, "tests/data/exports/%s.npz", names[i]);
        import_open(&model, path, npz, NULL);
        CHECK(model.status == MW_OK && mw_verify(&model.named) == MW_OK,
              "%s: %s", names[i], model.ctx.message);
        if (model.status == MW_OK)
            check_again(names[i], &model.named, false);
        import_close(&model);
    }
}

static void samples(void)
{
    for (int i = 0; i < mw_op_count; i++) {
        const char *const *sample = mw_op_table[i]->samples;
        CHECK(sample && sample[0], "%s has no samples", mw_op_table[i]->name);
        for (; sample && *sample; sample++)
            check_round_trip(mw_op_table[i]->name, *sample);
    }
}

static const struct kept {
    const char *name, *text, *part; /* part: stands in the printed text */
} kept[] = {
    {"brackets", "dim h = 3\ndim d = 4\ninput x : f32[(h d), 1]\n",
     "input x : f32[(h d), 1]\n"},
    {"empty bracket is an axis of 1", "input x : f32[(), 1]\n", "f32[1, 1]"},
    {"bracket of one", "dim h = 3\ninput x : f32[(h)]\n", "f32[h]"},
    {"plain sizes", "dim h = 3\nparam w : f32[h, 3, 3]\n",
     "param w : f32[h, 3, 3]\n"},
    {"sizes in a bracket", "dim h = 3\nparam w : f32[(h 7), 3]\n",
     "param w : f32[(h 7), 3]\n"},
    {"a state starts at 0", "state s : f32[]\n", "state s : f32[] = fill 0\n"},
    {"a state's start", "state s : i64[3] = -2\n", "= fill -2\n"},
    {"derived", "dim a = 5 of b by conv also c\ndim b = 9\n",
     "dim a = 5 of b by conv also c\ndim b = 9\n"},
    {"quoted", "dim \"a b\" = 5\ninput \"x:0\" : f32[\"a b\"]\n",
     "input \"x:0\" : f32[\"a b\"]\n"},
    {"escapes", "input \"\\\"\\\\\\n\\t\\x01\" : f32[]\n",
     "input \"\\\"\\\\\\n\\x09\\x01\" : f32[]\n"},
    {"keyword as a name", "input \"output\" : f32[]\n",
     "input \"output\" : f32[]\n"},
    {"utf-8", "input \"größe\" : f32[]\n", "input \"größe\" : f32[]\n"},
    {"paths are bare", "input /a.b/c_0 : f32[]\n", "input /a.b/c_0 : f32[]\n"},
    {"inline integers", "dim a = 3\nconst c : i64[a] = {1, -2, 3}\n",
     "const c : i64[a] = {1, -2, 3}\n"},
    {"inline scalar", "const c : f32[] = {0.1}\n", "= {0.100000001}\n"},
    {"inline double", "const c : f64[] = {0.1}\n", "= {0.10000000000000001}\n"},
    {"inline odd floats",
     "dim a = 4\nconst c : f32[a] = {inf, -inf, nan, -0}\n",
     "= {inf, -inf, nan, -0}\n"},
    {"inline extremes",
     "dim a = 2\nconst c : i64[a] = {-9223372036854775808, "
     "9223372036854775807}\nconst d : u64[] = {18446744073709551615}\n",
     "{-9223372036854775808, 9223372036854775807}"},
    {"inline, packed", "dim a = 3\nconst c : i4[a] = {-8, 7, -1}\n",
     "const c : i4[a] = {-8, 7, -1}\n"},
    {"inline, two bits", "dim a = 5\nconst c : u2[a] = {0, 1, 2, 3, 0}\n",
     "= {0, 1, 2, 3, 0}\n"},
    {"inline, floats of 8 bits",
     "dim a = 2\nconst c : f8e4m3fn[a] = {448, 0.001953125}\n",
     "const c : f8e4m3fn[a] = {448, 0.001953125}\n"},
    {"inline, floats of 4 bits", "dim a = 2\nconst c : f4e2m1[a] = {6, -0.5}\n",
     "const c : f4e2m1[a] = {6, -0.5}\n"},
    {"inline, complex", "dim a = 2\nconst c : c64[a] = {1, 2, 3, -4}\n",
     "const c : c64[a] = {1, 2, 3, -4}\n"},
    {"inline half", "dim a = 2\nconst c : f16[a] = {65504, 0.5}\n",
     "{65504, 0.5}"},
    {"inline empty", "dim a = 0\nconst c : f32[a] = {}\n", "= {}\n"},
    {"fill", "dim a = 300\nparam c : f32[a] = fill 0.5\n", "= fill 0.5\n"},
    {"file", "dim a = 300\nparam c : f32[a] = \"F.safetensors:c\"\n",
     "= \"F.safetensors:c\"\n"},
    {"file and offset", "dim a = 300\nparam c : f32[a] = \"w.bin\" @ 64\n",
     "= \"w.bin\" @ 64\n"},
    {"comment", "# first\ninput x : f32[] # last\n", "input x : f32[]\n"},
    {"windows line ends", "input x : f32[]\r\noutput x\r\n", "output x\n"},
    {"no last line end", "input x : f32[]", "input x : f32[]\n"},
    {"outputs", "input x : f32[]\ninput y : f32[]\noutput y, x\n",
     "output x\noutput y\n"},
    {"label", "input x : f32[]\ny = exp(x) : f32[] @ \"node 1\"\n",
     "y = exp(x) : f32[] @ \"node 1\"\n"},
    {"condition", "condition \"batch > 1\"\n", "condition \"batch > 1\"\n"},
    {"order of ids",
     "input x : f32[]\ny = exp(x) : f32[]\nparam w : f32[]\n"
     "z = mul(y, w) : f32[]\n",
     "y = exp(x) : f32[]\nparam w : f32[]\nz ="},
    {"pad value",
     "dim a = 3\ndim b = 5\ninput x : f32[a]\n"
     "y = pad(x, dim=b, before=1, after=1, value=-inf) : f32[b]\n",
     "value=-inf"},
};

static void keeps(void)
{
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const struct kept *row = &kept[i];
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                  mw_text_parse(&graph, "t.mw", row->text) == MW_OK;
        const char *printed = ok ? mw_text_print(&graph) : NULL;
        CHECK(printed && strstr(printed, row->part), "%s: %s: %s\n%s",
              row->name, ctx.where, ctx.message, printed ? printed : row->text);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
        check_round_trip(row->name, row->text);
    }
}

static const struct refused {
    const char *text, *where, *part;
} refused[] = {
    {"dim a 5\n", "t.mw:1:7", "'5' stands there, wanted '='"},
    {"dim a = 5\ndim a = 6\n", "t.mw:2:5", "dim 'a' is there twice"},
    {"dim a = -5\n", "t.mw:1:5", "size is -5, wanted at least 0"},
    {"dim a = 99999999999999999999\n", "t.mw:1:9", "integer of 64 bits"},
    {"dim a = 5 of b\n", "t.mw:1:14", "dim 'b' is unknown"},
    {"dim a = 2\nbody b\ndim a = 2\ninput x : f32[a]\n"
     "y = scan(x, body=b, carries=1, count=3) : f32[a]\n",
     "t.mw:5:18", "body 'b' is unknown"},
    {"dim a = 2\nconst c : i4[a] = {8, 0}\n", "t.mw:2:20",
     "an integer that fits the dtype"},
    {"body b\nbody c\n", "t.mw:2:6", "a body within body 'b'"},
    {"dim a = 5 of a\n", "t.mw", "dim 'a' is derived from itself"},
    {"input x : f32[a]\n", "t.mw:1:15", "dim 'a' is unknown"},
    {"dim batch = 2\ninput x : f32[bath]\n", "t.mw:2:15",
     "did you mean 'batch'"},
    {"input x : f31[]\n", "t.mw:1:11", "dtype 'f31' is unknown"},
    {"dim a = 5\ninput x : f32[a, a]\n", "t.mw:2:7",
     "dim 'a' twice in 'x': rename one"},
    {"dim a = 4611686018427387904\ninput x : f32[a]\n", "t.mw:2:7",
     "its bytes overflow"},
    {"input x : f32[]\ninput x : f32[]\n", "t.mw:2:7",
     "tensor 'x' is there twice"},
    {"input x : f32[1 2]\n", "t.mw:1:17", "wanted ','"},
    {"input x : f32[(3\n", "t.mw:1:17", "the end of the line stands there"},
    {"input x : f32[] = {1}\n", "t.mw:1:17", "an input has no values"},
    {"dim a = 2\nconst c : i8[a] = {1}\n", "t.mw:2:19", "1 values, wanted 2"},
    {"const c : i8[] = {128}\n", "t.mw:1:19", "fits the dtype"},
    {"const c : u8[] = {-1}\n", "t.mw:1:19", "fits the dtype"},
    {"const c : bool[] = {2}\n", "t.mw:1:21", "fits the dtype"},
    {"const c : i64[] = {1.5}\n", "t.mw:1:20", "fits the dtype"},
    {"y = exp(x) : f32[]\n", "t.mw:1:9", "tensor 'x' is unknown"},
    {"input x : f32[]\ny = exq(x) : f32[]\n", "t.mw:2:5",
     "op 'exq' is unknown; did you mean 'exp'?"},
    {"input x : f32[]\ny = exp(x, axis=3) : f32[]\n", "t.mw:2:12",
     "exp: attribute 'axis' is unknown"},
    {"input x : f32[]\ny = exp(x) : f64[]\n", "t.mw:2:5",
     "'y' is f64, wanted f32"},
    {"input x : f32[]\ny = exp(x, x) : f32[]\n", "t.mw:2:5",
     "2 operands, wanted at most 1"},
    {"input x : f32[]\ny, z = exp(x) : f32[], f32[]\n", "t.mw:2:8",
     "2 results, wanted 1"},
    {"input x : f32[]\nx = exp(x) : f32[]\n", "t.mw:2:1",
     "tensor 'x' is there twice"},
    {"dim a = 2\ninput x : f32[]\ny = exp(x) : f32[a]\n", "t.mw:3:5",
     "dim 'a' of 'y' is in no operand"},
    {"dim a = 2\ninput x : f32[a]\ny = exp(x) : f32[]\n", "t.mw:3:5",
     "dim 'a' is missing in 'y'"},
    {"input x : f32[]\ny = slice(x) : f32[]\n", "t.mw:2:5",
     "attribute 'dim' is missing"},
    {"dim a = 2\ninput x : f32[a]\n"
     "y = slice(x, dim=a, start=1, step=1, count=2) : f32[a]\n",
     "t.mw:3:5", "2 elements from 1 by 1 do not lie within 2"},
    {"output x\n", "t.mw:1:8", "tensor 'x' is unknown"},
    {"input x : f32[]\noutput x, x\n", "t.mw:2:11",
     "output 'x' is there twice"},
    {"input \"x : f32[]\n", "t.mw:1:7", "a quote is not closed"},
    {"input \"\\q\" : f32[]\n", "t.mw:1:7", "an escape is unknown"},
    {"input \"\\x00\" : f32[]\n", "t.mw:1:7", "an escape is unknown"},
    {"input \"\" : f32[]\n", "t.mw:1:7", "has no name"},
    {"input x ; f32[]\n", "t.mw:1:9", "a byte 0x3b is out of place"},
    {"input x : f32[] y\n", "t.mw:1:17", "wanted the end of the line"},
    {"input x : f32[a, b", "t.mw:1:15", "dim 'a' is unknown"},
    {"= 5\n", "t.mw:1:1", "'=' stands there, wanted a statement"},
    {"input x : f32[-3]\n", "t.mw:1:7", "axis 0 is -3"},
    {"param w : f32[(1 3)]\n", "t.mw", "axis 0 of size 1 has no dim"},
    {"input x : f32[]\ny = assign(x, x) : f32[]\n", "t.mw:2:5",
     "'x', is updated, and is neither a parameter nor a state"},
    {"dim a = 2\nstate s : f32[a, 3]\ninput x : f32[3, a]\n"
     "y = assign(s, x) : f32[3, a]\n",
     "t.mw:4:5", "'y' updates 's', and has other dims"},
    {"state s : f32[] = 1\ny = assign(s, s) : f32[]\n"
     "z = exp(s) : f32[]\n",
     "t.mw", "op 'z' reads 's' after op 'y' has updated it"},
    {"dim a = 2\ndim b = 2\nstate s : f32[a] = 1\nr = rename(s) : f32[b]\n"
     "input x : f32[a]\ny = assign(s, x) : f32[a]\nz = exp(r) : f32[b]\n",
     "t.mw", "op 'z' reads 'r' after op 'y' has updated it"},
    {"state s : f32[] = 1\ny = assign(s, s) : f32[]\n"
     "z = assign(y, y) : f32[]\n",
     "t.mw", "ops 'y' and 'z' both update 's'"},
};

static void refuses(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct refused *row = &refused[i];
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_status status = mw_graph_init(&graph, &arena, "m");
        if (status == MW_OK)
            status = mw_text_parse(&graph, "t.mw", row->text);
        CHECK(status == MW_EINPUT && strcmp(ctx.where, row->where) == 0 &&
                  strstr(ctx.message, row->part),
              "%sgot %s: %s, want %s: %s", row->text, ctx.where, ctx.message,
              row->where, row->part);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static mw_status parse_and_print(mw_ctx *ctx, void *arg)
{
    mw_arena arena;
    mw_graph graph;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_graph_init(&graph, &arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&graph, "t.mw", arg);
    if (status == MW_OK && !mw_text_print(&graph))
        status = MW_ENOMEM;
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    char text[] = "dim a = 3\ndim b = 5 of a by pad\ninput x : f32[a]\n"
                  "const c : i64[] = {4}\n"
                  "y = pad(x, dim=b, before=1, after=1) : f32[b]\n"
                  "output y\ncondition \"a > 1\"\n";
    check_oom("text", parse_and_print, text);
}

const mw_suite mw_suite_text = {"text",
                                {{"samples come back", samples},
                                 {"what is kept", keeps},
                                 {"what is refused", refuses},
                                 {"imported models", models},
                                 {"out of memory", out_of_memory}}};
