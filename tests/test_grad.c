/*
 * test_grad.c - reverse mode: the gradient of every row's samples equals
 * central differences in f64; ties are shared as JAX shares them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/grad.h"
#include "ir/number.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tests/test.h"

enum { MAX_LEAVES = 16, MAX_TEXT = 4000 };

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_id loss;
    int n; /* float leaves, their gradients and values */
    mw_id leaf[MAX_LEAVES], grad[MAX_LEAVES];
    const void **value; /* of each tensor without producer */
} scene;

// The text with f32 made f64, so that differences can be small.
static void in_f64(const char *text, char *wide)
{
    size_t n = strlen(text);
    memcpy(wide, text, n + 1);
    for (char *at = strstr(wide, "f32"); at; at = strstr(at, "f32")) {
        at[1] = '6';
        at[2] = '4';
    }
}

// loss += sum of output times weights of its own.
static mw_status add_loss(scene *s, mw_grad *g, mw_id output)
{
    mw_tensor weight = s->graph.tensor[output];
    mw_id w, product, sum, none;
    weight.role = MW_ROLE_INPUT;
    weight.output = false;
    weight.producer = MW_NONE;
    weight.name =
        mw_arena_format(&s->arena, "weight/%s", s->graph.tensor[output].name);
    if (!weight.name)
        return MW_ENOMEM;
    MW_TRY(mw_graph_tensor(&s->graph, &weight, &w));
    MW_TRY(mw_grad_map2(g, "mul", output, w, &product));
    MW_TRY(mw_grad_const(g, MW_F64, 0, &none));
    MW_TRY(mw_grad_reduce(g, "reduce_sum", product, none, &sum));
    if (s->loss == MW_NONE) {
        s->loss = sum;
        return MW_OK;
    }
    return mw_grad_map2(g, "add", s->loss, sum, &s->loss);
}

static mw_status add_losses(scene *s, mw_grad *g)
{
    int n = s->graph.n_ops;
    s->loss = MW_NONE;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < s->graph.op[k].n_out; i++) {
            mw_id out = s->graph.op[k].out[i].tensor;
            if (s->graph.tensor[out].dtype == MW_F64)
                MW_TRY(add_loss(s, g, out));
        }
    return MW_OK;
}

static bool is_leaf(const scene *s, mw_id t)
{
    return s->graph.tensor[t].producer == MW_NONE;
}

// Leaves of the text get gradients; s->loss stays MW_NONE without floats.
static mw_status build(scene *s, const char *text)
{
    MW_TRY(mw_graph_init(&s->graph, &s->arena, "m"));
    MW_TRY(mw_text_parse(&s->graph, "sample", text));
    s->n = 0;
    for (mw_id t = 0; t < s->graph.n_tensors; t++)
        if (is_leaf(s, t) && s->graph.tensor[t].dtype == MW_F64 &&
            s->n < MAX_LEAVES)
            s->leaf[s->n++] = t;
    mw_grad g = mw_grad_on(&s->graph, "d");
    MW_TRY(add_losses(s, &g));
    if (s->loss == MW_NONE)
        return MW_OK;
    const mw_grad_want want = {.of = s->loss,
                               .seed = MW_NONE,
                               .last_op = s->graph.n_ops,
                               .n = s->n,
                               .wanted = s->leaf};
    MW_TRY(mw_grad_back(&g, &want, s->grad));
    return mw_verify(&s->graph);
}

static void draw(const scene *s, mw_id t, bool positive, uint64_t *state,
                 void *data)
{
    const mw_tensor *tensor = &s->graph.tensor[t];
    for (int64_t i = 0; i < mw_tensor_elements(tensor); i++) {
        uint64_t bits = mw_test_random(state);
        mw_number x = {.u = bits % 2};
        if (mw_dtype_is_float(tensor->dtype)) {
            x.f = 0.35 + (double)(bits >> 11) * 0x1p-53;
            if (!positive && (bits & 1))
                x.f = -x.f;
        }
        mw_numbers_store(tensor->dtype, data, i, 1, 1, &x);
    }
}

static mw_status fill(scene *s, bool positive)
{
    uint64_t state = 11;
    s->value = MW_NEW_ARRAY(&s->arena, s->graph.n_tensors, const void *);
    if (!s->value)
        return MW_ENOMEM;
    for (mw_id t = 0; t < s->graph.n_tensors; t++) {
        if (!is_leaf(s, t) || s->graph.tensor[t].data.kind != MW_DATA_NONE)
            continue;
        void *data = mw_arena_alloc(
            &s->arena, (size_t)mw_tensor_bytes(&s->graph.tensor[t]) + 8, 1);
        if (!data)
            return MW_ENOMEM;
        draw(s, t, positive, &state, data);
        s->value[t] = data;
    }
    return MW_OK;
}

// All values, into a copy of the leaves'.
static mw_status eval(scene *s, mw_arena *arena, const void ***value)
{
    *value = MW_NEW_ARRAY(arena, s->graph.n_tensors, const void *);
    if (!*value)
        return MW_ENOMEM;
    memcpy((void *)*value, (const void *)s->value,
           (size_t)s->graph.n_tensors * sizeof **value);
    return mw_eval_graph(arena, &s->graph, *value);
}

static mw_status loss_of(scene *s, double *loss)
{
    mw_arena arena;
    const void **value;
    mw_arena_init(&arena, &s->ctx);
    mw_status status = eval(s, &arena, &value);
    if (status == MW_OK)
        *loss = *(const double *)value[s->loss];
    mw_arena_free(&arena);
    return status;
}

// (L(x + h) - L(x - h)) / 2h of one element.
static mw_status difference(scene *s, mw_id t, int64_t i, double *slope)
{
    const double h = 1e-6;
    double up = 0, down = 0;
    size_t bytes = (size_t)mw_tensor_bytes(&s->graph.tensor[t]);
    const void *before = s->value[t];
    double *moved = mw_arena_alloc(&s->arena, bytes + 8, 1);
    if (!moved)
        return MW_ENOMEM;
    memcpy(moved, before, bytes);
    s->value[t] = moved;
    moved[i] += h;
    MW_TRY(loss_of(s, &up));
    moved[i] -= 2 * h;
    MW_TRY(loss_of(s, &down));
    s->value[t] = before;
    *slope = (up - down) / (2 * h);
    return MW_OK;
}

static mw_status compare(scene *s, const void *const value[], int *n_differ,
                         char *first)
{
    for (int i = 0; i < s->n; i++) {
        mw_id t = s->leaf[i];
        const mw_tensor *tensor = &s->graph.tensor[t];
        const double *d = s->grad[i] == MW_NONE ? NULL : value[s->grad[i]];
        if (tensor->data.kind != MW_DATA_NONE)
            continue;
        for (int64_t k = 0; k < mw_tensor_elements(tensor); k++) {
            double want = 0, got = d ? d[k] : 0;
            MW_TRY(difference(s, t, k, &want));
            if (fabs(got - want) <= 1e-7 * (1 + fabs(want)))
                continue;
            if ((*n_differ)++ == 0)
                (void)snprintf(first, 200, "d/%s[%lld] is %.9g, wanted %.9g",
                               tensor->name, (long long)k, got, want);
        }
    }
    return MW_OK;
}

static mw_status judge(scene *s, bool positive, int *n_differ, char *first)
{
    const void **value;
    *n_differ = 0;
    MW_TRY(fill(s, positive));
    MW_TRY(eval(s, &s->arena, &value));
    if (isnan(*(const double *)value[s->loss])) {
        *n_differ = -1;
        return MW_OK;
    }
    return compare(s, value, n_differ, first);
}

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

// True when there was something to take a gradient of.
static bool check_sample(const mw_op_def *def, const char *text)
{
    scene s;
    char wide[MAX_TEXT], first[200] = "";
    int n_differ = -1;
    open_scene(&s);
    in_f64(text, wide);
    mw_status status = build(&s, wide);
    /* a row without gradient may also take no f64: bitcast */
    bool refused = status == MW_EINPUT &&
                   (!def->grad || strstr(s.ctx.message, "no gradient"));
    if (refused) {
        CHECK(!def->grad, "%s: %s", def->name, s.ctx.message);
        close_scene(&s);
        return false;
    }
    if (!def->grad && status == MW_EINPUT) { /* a row of one width alone */
        close_scene(&s);
        return false;
    }
    bool some = status == MW_OK && s.loss != MW_NONE && s.n > 0;
    if (some)
        status = judge(&s, false, &n_differ, first);
    if (some && status == MW_OK && n_differ < 0)
        status = judge(&s, true, &n_differ, first);
    CHECK(status == MW_OK && (!some || n_differ == 0), "%s: %s%s\n%s",
          def->name, s.ctx.message, first, wide);
    close_scene(&s);
    return some;
}

// Ops whose samples are what others must be differentiable in.
static void samples(void)
{
    int n_rows = 0;
    for (int i = 0; i < mw_op_count; i++) {
        const mw_op_def *def = mw_op_table[i];
        bool any = false;
        for (const char *const *text = def->samples; *text; text++)
            any = check_sample(def, *text) || any;
        CHECK(!def->grad || any, "%s: no sample has floats", def->name);
        n_rows += def->grad != NULL;
    }
    CHECK(n_rows > 0, "no row has a gradient");
}

/* Graphs that samples do not have: dimensions in another order, operands that
 * lack some, one tensor several times, sums over what a gradient lacks. */
static const char *const graphs[] = {
    "dim a = 3\ndim b = 2\ninput x : f64[a, b]\ninput z : f64[b, a]\n"
    "y = mul(x, z) : f64[a, b]\nu = mul(y, x) : f64[a, b]\n"
    "v = reduce_sum(u) : f64[b]\nw = exp(v) : f64[b]\n"
    "r = div(u, w) : f64[a, b]\n",
    "dim a = 3\ndim b = 2\ndim c = 2 of b by alias\ninput x : f64[a, b]\n"
    "k = rename(x) : f64[a, c]\ns = einsum(x, k) : f64[b, c]\n"
    "m = reduce_max(s) : f64[b]\nd = sub(s, m) : f64[b, c]\n"
    "e = exp(d) : f64[b, c]\nt = reduce_sum(e) : f64[b]\n"
    "p = div(e, t) : f64[b, c]\no = einsum(p, k) : f64[a, b]\n",
    "dim a = 3\ndim b = 4\ninput x : f64[a]\ny = broadcast(x) : f64[b, a]\n"
    "z = reduce_sum(y) : f64[]\nw = add(z, x) : f64[a]\n"
    "v = reduce_sum(w) : f64[]\nu = mul(v, v) : f64[]\n",
    "dim a = 3\ndim b = 2\ninput x : f64[a]\ninput z : f64[b]\n"
    "y = einsum(x, z) : f64[a]\nv = einsum(x, z) : f64[]\n"
    "w = einsum(x) : f64[]\nq = einsum(x, x) : f64[a]\n",
    "dim a = 3\ndim n = 7\ndim h = 3 of n by slice\ninput x : f64[a, n]\n"
    "y = slice(x, dim=n, start=5, step=-2, count=3) : f64[a, h]\n"
    "z = slice(x, dim=n, start=2, step=1, count=1) : f64[a]\n"
    "r = slice(x, dim=n, start=1, step=1, count=3) : f64[h, a]\n",
    "dim a = 3\ndim b = 2\ninput x : f64[a, b]\n"
    "y = reduce_prod(x) : f64[a]\nz = reduce_min(x) : f64[]\n",
    "dim a = 3\ninput x : f64[a, 2, 4]\nparam w : f64[2, 4]\n"
    "y = mul(x, w) : f64[a, 2, 4]\nz = reduce_sum(y) : f64[2]\n"
    "v = einsum(x, w) : f64[a]\n",
    "dim a = 3\ninput x : f64[a]\ny = cast(x, to=f64) : f64[a]\n"
    "f = floor(x) : f64[a]\nz = add(f, y) : f64[a]\n",
};

static void composed(void)
{
    const mw_op_def none = {.name = "graph", .grad = NULL};
    for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++)
        CHECK(check_sample(&none, graphs[i]), "nothing to take:\n%s",
              graphs[i]);
}

/* Where differences say nothing: what each element gets. */
static const struct tie {
    const char *op, *x, *want;
} ties[] = {
    {"y = reduce_max(x)", "{2, 5, 5, 1}", "0 0.5 0.5 0"},
    {"y = reduce_min(x)", "{2, 1, 1, 1}",
     "0 0.333333333 0.333333333 0.333333333"},
    {"y = reduce_prod(x)", "{2, 0, 3, 4}", "0 24 0 0"},
    {"y = reduce_prod(x)", "{2, 0, 0, 4}", "0 0 0 0"},
    {"c = max(x, z) : f64[a]\ny = reduce_sum(c)", "{1, 2, 3, 0}", "0.5 1 1 0"},
    {"c = min(z, x) : f64[a]\ny = reduce_sum(c)", "{1, 2, 3, 0}", "0.5 0 0 1"},
    {"c = relu(x) : f64[a]\ny = reduce_sum(c)", "{-1, 0, 3, 4}", "0 0 1 1"},
    {"c = abs(x) : f64[a]\ny = reduce_sum(c)", "{-1, 0, 3, 4}", "-1 0 1 1"},
};

static void check_tie(const struct tie *row)
{
    scene s;
    char text[MAX_TEXT], got[200] = "";
    const void **value = NULL;
    open_scene(&s);
    (void)snprintf(text, sizeof text,
                   "dim a = 4\nparam x : f64[a] = %s\nconst z : f64[] = 1\n"
                   "%s : f64[]\n",
                   row->x, row->op);
    mw_status status = mw_graph_init(&s.graph, &s.arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&s.graph, "tie", text);
    mw_grad g = mw_grad_on(&s.graph, "d");
    mw_id x = mw_graph_find_tensor(&s.graph, "x"), grad = MW_NONE;
    const mw_grad_want want = {.of = mw_graph_find_tensor(&s.graph, "y"),
                               .seed = MW_NONE,
                               .last_op = s.graph.n_ops,
                               .n = 1,
                               .wanted = &x};
    if (status == MW_OK)
        status = mw_grad_back(&g, &want, &grad);
    if (status == MW_OK)
        status = fill(&s, true);
    if (status == MW_OK)
        status = eval(&s, &s.arena, &value);
    for (int i = 0, at = 0; status == MW_OK && i < 4; i++)
        at += snprintf(got + at, sizeof got - (size_t)at, "%s%.9g",
                       i ? " " : "", ((const double *)value[grad])[i] + 0.0);
    CHECK(strcmp(got, row->want) == 0, "%s of %s: got %s, want %s %s", row->op,
          row->x, got, row->want, s.ctx.message);
    close_scene(&s);
}

static void shared(void)
{
    for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++)
        check_tie(&ties[i]);
}

const mw_suite mw_suite_grad = {"grad",
                                {{"the gradient equals differences", samples},
                                 {"graphs of several ops", composed},
                                 {"ties and zeros", shared}}};
