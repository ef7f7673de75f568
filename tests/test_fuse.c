/*
 * test_fuse.c - groups of maps: random graphs compute the same fused and not,
 * by reference and by kernel; which partial sums pass is held against numbers;
 * the text comes back; what must exist does; the command's options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ir/eval.h"
#include "ir/fuse.h"
#include "ir/fused.h"
#include "ir/import.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "runtime/kernel.h"
#include "tests/laws.h"
#include "tests/shell.h"
#include "tests/test.h"

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph whole, fused;
} scene;

static void open_scene(scene *s)
{
    mw_ctx_init(&s->ctx);
    mw_arena_init(&s->arena, &s->ctx);
}

static void close_scene(scene *s)
{
    mw_arena_free(&s->arena);
    mw_ctx_free(&s->ctx);
}

/* ---- random graphs ------------------------------------------------------ */

static int pick(uint64_t *state, int n)
{
    return (int)(mw_test_random(state) % (uint64_t)n);
}

enum { N_DIMS = 3, MAX_VALUES = 60 };

/* A value by the dims it has (bit d). */
typedef struct pool {
    int n;
    int dims[MAX_VALUES];
    uint64_t *state;
    mw_text *text;
} pool;

static const char *type_of(int dims, char type[64])
{
    static const char *const names[N_DIMS] = {"a", "b", "c"};
    size_t at = (size_t)snprintf(type, 64, "f32[");
    for (int d = 0, n = 0; d < N_DIMS; d++)
        if (dims >> d & 1)
            at += (size_t)snprintf(type + at, 64 - at, "%s%s", n++ ? ", " : "",
                                   names[d]);
    (void)snprintf(type + at, 64 - at, "]");
    return type;
}

static void add_value(pool *p, int dims, const char *call)
{
    char type[64];
    mw_text_format(p->text, "v%d = %s : %s\n", p->n, call, type_of(dims, type));
    p->dims[p->n++] = dims;
}

// A map of up to two values, or a reduction of one.
static void add_random(pool *p)
{
    static const char *const unary[] = {"neg", "abs", "relu", "tanh",
                                        "sigmoid"};
    static const char *const binary[] = {"add", "sub", "mul", "max", "min"};
    static const char *const reduce[] = {"reduce_sum", "reduce_sum",
                                         "reduce_max", "reduce_min"};
    char call[96];
    int x = pick(p->state, p->n), y = pick(p->state, p->n);
    int kind = pick(p->state, 10);
    if (kind < 3) {
        (void)snprintf(call, sizeof call, "%s(v%d)", unary[pick(p->state, 5)],
                       x);
        add_value(p, p->dims[x], call);
    } else if (kind < 8 || p->dims[x] == 0) {
        (void)snprintf(call, sizeof call, "%s(v%d, v%d)",
                       binary[pick(p->state, 5)], x, y);
        add_value(p, p->dims[x] | p->dims[y], call);
    } else {
        int kept = p->dims[x] & pick(p->state, 1 << N_DIMS);
        (void)snprintf(call, sizeof call, "%s(v%d)", reduce[pick(p->state, 4)],
                       x);
        add_value(p, kept, call);
    }
}

static void write_graph(mw_text *text, int n_ops, uint64_t *state)
{
    pool p = {.state = state, .text = text};
    mw_text_add(text, "model m\ndim a = 5\ndim b = 6\ndim c = 7\n");
    for (int i = 0; i < 4; i++) {
        char type[64];
        int dims = i == 0 ? 7 : pick(state, 8);
        mw_text_format(text, "input v%d : %s\n", i, type_of(dims, type));
        p.dims[p.n++] = dims;
    }
    mw_text_format(text, "const v%d : f32[] = {0.5}\n", p.n);
    p.dims[p.n++] = 0;
    while (p.n < 5 + n_ops)
        add_random(&p);
    for (int i = 0; i < 3; i++)
        mw_text_format(text, "output v%d\n", p.n - 1 - i);
}

static bool make_random(scene *s, uint64_t seed)
{
    mw_text text;
    uint64_t state = seed;
    mw_text_init(&text, &s->ctx);
    write_graph(&text, 4 + (int)(seed % 36), &state);
    bool made = mw_text_status(&text) == MW_OK &&
                mw_graph_init(&s->whole, &s->arena, "m") == MW_OK &&
                mw_graph_init(&s->fused, &s->arena, "m") == MW_OK &&
                mw_text_parse(&s->whole, "random", text.data) == MW_OK &&
                mw_fuse(&s->whole, NULL, 0, &s->fused) == MW_OK &&
                mw_verify(&s->fused) == MW_OK;
    CHECK(made, "%llu: %s\n%s", (unsigned long long)seed, s->ctx.message,
          text.data);
    mw_text_free(&text);
    return made;
}

/* ---- values ------------------------------------------------------------- */

// Each op by its fast kernel.
static void run_kernel(const mw_op *op, const mw_view in[], mw_view out[])
{
    const mw_kernel_call call = {.op = op, .in = in, .out = out, .threads = 2};
    mw_kernel_run(mw_kernel_find(op->def->name, mw_kernel_dtype(op, in, out)),
                  &call);
}

static bool eval(scene *s, const mw_graph *graph, bool fast, void *value[])
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        value[t] =
            mw_arena_alloc(&s->arena, 1, (size_t)mw_tensor_bytes(tensor) + 8);
        uint64_t key = 1;
        for (const char *c = tensor->name; *c; c++)
            key = key * 31 + (uint64_t)*c;
        if (!value[t])
            return false;
        if (tensor->role == MW_ROLE_CONST)
            memcpy(value[t], tensor->data.bytes,
                   (size_t)mw_tensor_bytes(tensor));
        else if (tensor->producer == MW_NONE)
            law_fill(tensor->dtype, value[t], mw_tensor_elements(tensor), &key);
    }
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        mw_view in[MW_FUSED_IN], out[MW_FUSED_OUT];
        for (int i = 0; i < op->n_in; i++)
            in[i] = mw_view_whole(&graph->tensor[op->in[i].tensor],
                                  value[op->in[i].tensor]);
        for (int o = 0; o < op->n_out; o++)
            out[o] = mw_view_whole(&graph->tensor[op->out[o].tensor],
                                   value[op->out[o].tensor]);
        if (fast)
            run_kernel(op, in, out);
        else
            mw_op_ref(op, in, out, NULL);
    }
    return true;
}

// Every output, by name.
static void compare(scene *s, uint64_t seed, bool fast)
{
    void **a = MW_NEW_ARRAY(&s->arena, s->whole.n_tensors, void *);
    void **b = MW_NEW_ARRAY(&s->arena, s->fused.n_tensors, void *);
    if (!CHECK(a && b && eval(s, &s->whole, false, a) &&
                   eval(s, &s->fused, fast, b),
               "%s", s->ctx.message))
        return;
    for (mw_id t = 0; t < s->whole.n_tensors; t++) {
        const mw_tensor *tensor = &s->whole.tensor[t];
        mw_id other = mw_graph_find_tensor(&s->fused, tensor->name);
        if (!tensor->output)
            continue;
        CHECK(other != MW_NONE &&
                  law_differences(tensor->dtype, a[t], b[other],
                                  mw_tensor_elements(tensor)) == 0,
              "%llu, %s: '%s' differs", (unsigned long long)seed,
              fast ? "kernel" : "reference", tensor->name);
    }
}

static int count_fused(const mw_graph *graph)
{
    int n = 0;
    for (int k = 0; k < graph->n_ops; k++)
        n += graph->op[k].def->bind == mw_fused_bind;
    return n;
}

static void random_graphs(void)
{
    int groups = 0;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        scene s;
        open_scene(&s);
        if (make_random(&s, seed)) {
            groups += count_fused(&s.fused);
            compare(&s, seed, false);
            compare(&s, seed, true);
        }
        close_scene(&s);
    }
    CHECK(groups > 250, "%d groups in 250 graphs", groups);
}

// The text of a fused graph comes back as it was.
static void texts(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        scene s;
        mw_graph again;
        open_scene(&s);
        if (make_random(&s, seed)) {
            char *text = mw_text_print(&s.fused), *back = NULL;
            if (text && mw_graph_init(&again, &s.arena, "m") == MW_OK &&
                mw_text_parse(&again, "again", text) == MW_OK)
                back = mw_text_print(&again);
            CHECK(back && strcmp(text, back) == 0, "%llu: %s",
                  (unsigned long long)seed, s.ctx.message);
        }
        close_scene(&s);
    }
}

// Every strategy of the groups that the pass makes.
static void splits(void)
{
    for (uint64_t seed = 1; seed <= 25; seed++) {
        scene s;
        law_result result = {.n_cases = 0};
        open_scene(&s);
        bool made = make_random(&s, seed);
        for (int k = 0; made && k < s.fused.n_ops; k++) {
            const mw_op *op = &s.fused.op[k];
            if (op->def->bind == mw_fused_bind)
                CHECK(law_splits(&s.arena, &s.fused, op, seed % 2 ? "3" : "2x2",
                                 &result) == MW_OK,
                      "%s", s.ctx.message);
        }
        CHECK(result.n_failed == 0, "%llu: %s", (unsigned long long)seed,
              result.first);
        close_scene(&s);
    }
}

/* ---- partial sums ------------------------------------------------------- */

static const struct linear_row {
    const char
        *ops; /* of a body over f32[a, b]: x, y, z inputs, r the result */
    const char *sets; /* of x, y, z: all that there are, sorted */
} linear_rows[] = {
    {"r = add(x, y)", "xy"},
    {"s = add(x, y)\nr = mul(s, z)", "xy z"},
    {"s = mul(x, y)\nr = mul(s, z)", "x y z"},
    {"s = mul(x, y)\nr = add(s, z)", "xz yz"},
    {"r = mul(x, x)", ""},
    {"s = neg(x)\nr = mul(s, x)", ""},
    {"s = tanh(x)\nr = mul(s, y)", "y"},
    {"r = add(x, one)", ""},
    {"s = mul(x, one)\nr = neg(s)", "x"},
    {"r = add(x, zero)", "x"},
    {"m = less(y, one)\nr = where(m, x, zero)", "x"},
    {"m = less(y, one)\nr = where(m, x, z)", "xz"},
    {"m = less(x, one)\nr = where(m, x, z)", ""},
    {"r = div(x, y)", "x"},
    {"s = sub(x, y)\nt = sub(s, z)\nr = mul(t, one)", "xyz"},
    {"r = relu(x)", ""},
    {"r = max(x, y)", ""},
};

static void add_lines(mw_text *text, const char *ops)
{
    for (const char *at = ops; *at;) {
        size_t n = strcspn(at, "\n");
        bool test = strncmp(at, "m = ", 4) == 0;
        mw_text_format(text, "%.*s : %s[a, b]\n", (int)n, at,
                       test ? "bool" : "f32");
        at += n + (at[n] == '\n');
    }
}

static bool make_linear(scene *s, const struct linear_row *row)
{
    mw_text text;
    mw_text_init(&text, &s->ctx);
    mw_text_add(&text, "model m\ndim a = 3\ndim b = 4\nbody f\ndim a = 3\n"
                       "dim b = 4\ninput x : f32[a, b]\ninput y : f32[a, b]\n"
                       "input z : f32[a, b]\nconst one : f32[] = {1}\n"
                       "const zero : f32[] = fill 0\n");
    add_lines(&text, row->ops);
    mw_text_add(&text, "result r\nend\ninput x : f32[a, b]\n"
                       "input y : f32[a, b]\ninput z : f32[a, b]\n"
                       "r = fused(x, y, z, body=f) : f32[a, b]\noutput r\n");
    bool made = mw_text_status(&text) == MW_OK &&
                mw_graph_init(&s->fused, &s->arena, "m") == MW_OK &&
                mw_text_parse(&s->fused, "linear", text.data) == MW_OK;
    CHECK(made, "%s: %s", row->ops, s->ctx.message);
    mw_text_free(&text);
    return made;
}

static bool has_set(const char *sets, uint32_t set)
{
    char name[4];
    size_t n = 0;
    for (int i = 0; i < 3; i++)
        if (set >> i & 1)
            name[n++] = "xyz"[i];
    name[n] = '\0';
    for (const char *at = sets; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == n && strncmp(at, name, n) == 0)
            return true;
        at += length;
    }
    return false;
}

static void linear_sets(void)
{
    for (size_t i = 0; i < sizeof linear_rows / sizeof linear_rows[0]; i++) {
        const struct linear_row *row = &linear_rows[i];
        scene s;
        open_scene(&s);
        bool made = make_linear(&s, row);
        for (uint32_t set = 1; made && set < 8; set++) {
            const mw_op *op = &s.fused.op[0];
            bool said = false, wanted = has_set(row->sets, set);
            for (int k = 0; k < MW_MAX_LINEAR; k++)
                said = said || mw_op_linear(&s.fused, op, k) == set;
            CHECK(said == wanted, "%s: set %u is %s", row->ops, set,
                  said ? "said, not wanted" : "wanted, not said");
        }
        close_scene(&s);
    }
}

// f of the parts, added up, is f of the whole, in every set of every group.
static void check_sum(scene *s, const mw_op *op, uint32_t set, uint64_t *state)
{
    enum { ROOM = 5 * 6 * 7 + 1 };
    static float in[3][MW_FUSED_IN][ROOM], out[3][MW_FUSED_OUT][ROOM];
    mw_view x[MW_FUSED_IN], y[MW_FUSED_OUT];
    for (int i = 0; i < op->n_in; i++)
        for (int e = 0; e < ROOM; e++) {
            float a = (float)(pick(state, 9) - 4) * 0.5F;
            float b = (float)(pick(state, 9) - 4) * 0.5F;
            bool parts = set >> i & 1;
            in[0][i][e] = a;
            in[1][i][e] = parts ? b : a;
            in[2][i][e] = parts ? a + b : a;
        }
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < op->n_in; i++)
            x[i] =
                mw_view_whole(&s->fused.tensor[op->in[i].tensor], in[part][i]);
        for (int o = 0; o < op->n_out; o++)
            y[o] = mw_view_whole(&s->fused.tensor[op->out[o].tensor],
                                 out[part][o]);
        mw_op_ref(op, x, y, NULL);
    }
    for (int o = 0; o < op->n_out; o++) {
        int64_t n = mw_tensor_elements(&s->fused.tensor[op->out[o].tensor]);
        for (int64_t e = 0; e < n; e++)
            out[0][o][e] += out[1][o][e];
        CHECK(law_differences(MW_F32, out[0][o], out[2][o], n) == 0,
              "'%s', set %x: no sum of its parts", op->name, set);
    }
}

static void sums(void)
{
    int n = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        scene s;
        uint64_t state = seed;
        open_scene(&s);
        bool made = make_random(&s, seed);
        for (int k = 0; made && k < s.fused.n_ops; k++) {
            const mw_op *op = &s.fused.op[k];
            for (int i = 0; op->linear && i < MW_MAX_LINEAR; i++) {
                uint32_t set = mw_op_linear(&s.fused, op, i);
                if (set)
                    check_sum(&s, op, set, &state);
                n += set != 0;
            }
        }
        close_scene(&s);
    }
    CHECK(n > 20, "%d sets in 120 graphs", n);
}

/* ---- models ------------------------------------------------------------- */

static const char *const models[] = {"gpt", "bert", "t5", "moe", "mlp", "vit"};

static mw_status read_model(scene *s, const char *name, bool fuse,
                            const char *keep, mw_graph *graph)
{
    static const char *const set[] = {"layers=2", "d_model=16", "heads=4"};
    bool sized = strcmp(name, "mlp") != 0;
    mw_import_files *files;
    mw_import_options options = {.fuse = fuse,
                                 .keep = &keep,
                                 .n_keep = keep != NULL,
                                 .set = set,
                                 .n_set = sized ? 3 : 0};
    return mw_model_read(&s->arena, name, &options, graph, &files);
}

// Fewer ops, equal layers with equal bodies, and what is named is there.
static void model_groups(void)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        scene s;
        open_scene(&s);
        bool read = read_model(&s, models[i], false, NULL, &s.whole) == MW_OK &&
                    read_model(&s, models[i], true, NULL, &s.fused) == MW_OK;
        if (CHECK(read, "%s: %s", models[i], s.ctx.message))
            CHECK(s.fused.n_ops < s.whole.n_ops && count_fused(&s.fused) > 0,
                  "%s: %d ops of %d", models[i], s.fused.n_ops, s.whole.n_ops);
        close_scene(&s);
    }
}

static void kept(void)
{
    scene s;
    open_scene(&s);
    const char *name = NULL;
    bool read = read_model(&s, "gpt", false, NULL, &s.whole) == MW_OK &&
                read_model(&s, "gpt", true, NULL, &s.fused) == MW_OK;
    for (mw_id t = 0; read && t < s.whole.n_tensors; t++)
        if (s.whole.tensor[t].role == MW_ROLE_VALUE &&
            s.whole.tensor[t].rank == 3 &&
            mw_graph_find_tensor(&s.fused, s.whole.tensor[t].name) == MW_NONE)
            name = s.whole.tensor[t].name;
    mw_graph again;
    if (CHECK(name && read_model(&s, "gpt", true, name, &again) == MW_OK, "%s",
              s.ctx.message))
        CHECK(mw_graph_find_tensor(&again, name) != MW_NONE,
              "'%s' is kept by name and gone", name);
    close_scene(&s);
}

/* ---- the command -------------------------------------------------------- */

#define SMALL                                                                  \
    "gpt --set layers=1 --set d_model=16 --set heads=4 --set d_ff=32 --set "   \
    "vocab=24 --set seq=6 --set batch=4 "

static void commands(void)
{
    static const char *const lines[] = {
        "meshwright plan " SMALL "--mesh 2 --iterations 4 -o $S/f.json",
        "meshwright check $S/f.json",
        "meshwright run $S/f.json --seed 5 --output $S/fused",
        "meshwright verify $S/f.json",
        "meshwright plan " SMALL "--mesh 2 --no-fuse --iterations 4 -o "
        "$S/n.json",
        "meshwright run $S/n.json --seed 5 --output $S/plain",
        "meshwright plan " SMALL "--mesh 2 --iterations 4 --train adam --fix "
        "h.0.mlp.tanh=d_ff@m0 -o $S/t.json",
        "meshwright check $S/t.json",
        "meshwright run $S/t.json",
        "grep -q '\"h.0.mlp.tanh\"' $S/t.json",
        "cmp $S/fused/logits.npy $S/plain/logits.npy",
    };
    scene s;
    open_scene(&s);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        mw_shell got;
        if (mw_shell_run(&s.arena, lines[i], &got))
            CHECK(got.exit_status == 0, "%s: %s", lines[i], got.err);
    }
    close_scene(&s);
}

/* Bodies that are refused, with a piece of what is said. */
static const struct refused_row {
    const char *body, *call, *said;
} refused_rows[] = {
    {"input x : f32[a, b]\ns = reduce_sum(x) : f32[a]\n"
     "t = sub(x, s) : f32[a, b]\nresult t\n",
     "fused_sum(x, body=f) : f32[a, b]", "reads the reduced 's'"},
    {"input x : f32[a, b]\ns = reduce_max(x) : f32[a]\nresult s\n",
     "fused_sum(x, body=f) : f32[a]", "has no place there"},
    {"input x : f32[a, b]\nt = einsum(x) : f32[a]\nresult t\n",
     "fused(x, body=f) : f32[a]", "has no place there"},
    {"input x : f32[a, b]\nt = neg(x) : f32[a, b]\nresult t, t\n",
     "fused(x, body=f) : f32[a, b]", "1 results, and body 'f' has 2"},
    {"input x : f32[a, b]\nresult x\n", "fused(x, body=f) : f32[a, b]",
     "has 0 ops"},
    {"input x : f32[a, b]\ninput z : f32[a]\nt = neg(z) : f32[a]\n"
     "result t\n",
     "fused(x, x, body=f) : f32[a]", "axes"},
    {"input x : f32[a, b]\nconst c : f32[b] = {1, 2, 3}\n"
     "t = mul(x, c) : f32[a, b]\nresult t\n",
     "fused(x, body=f) : f32[a, b]", "constant 'c'"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof refused_rows / sizeof refused_rows[0]; i++) {
        const struct refused_row *row = &refused_rows[i];
        scene s;
        open_scene(&s);
        char *text = mw_arena_format(
            &s.arena,
            "model m\ndim a = 2\ndim b = 3\nbody f\ndim a = 2\ndim b = 3\n"
            "%send\ninput x : f32[a, b]\ny = %s\noutput y\n",
            row->body, row->call);
        bool right = text && mw_graph_init(&s.fused, &s.arena, "m") == MW_OK &&
                     mw_text_parse(&s.fused, "t", text) == MW_EINPUT &&
                     strstr(s.ctx.message, row->said);
        CHECK(right, "%s: said '%s', wanted '%s'", row->call, s.ctx.message,
              row->said);
        close_scene(&s);
    }
}

static mw_status fuse_all(mw_ctx *ctx, void *arg)
{
    (void)arg;
    mw_arena arena;
    mw_graph whole, fused;
    mw_text text;
    uint64_t state = 7;
    mw_arena_init(&arena, ctx);
    mw_text_init(&text, ctx);
    write_graph(&text, 20, &state);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_graph_init(&whole, &arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&whole, "random", text.data);
    if (status == MW_OK)
        status = mw_graph_init(&fused, &arena, "m");
    if (status == MW_OK)
        status = mw_fuse(&whole, NULL, 0, &fused);
    mw_text_free(&text);
    mw_arena_free(&arena);
    return status;
}

static void memory(void)
{
    check_oom("fuse", fuse_all, NULL);
}

const mw_suite mw_suite_fuse = {"fuse",
                                {{"random graphs", random_graphs},
                                 {"texts", texts},
                                 {"every split of groups", splits},
                                 {"linear sets", linear_sets},
                                 {"sums of parts", sums},
                                 {"groups of models", model_groups},
                                 {"what is named stays", kept},
                                 {"commands", commands},
                                 {"what is refused", refused},
                                 {"out of memory", memory}}};
