/* test_runtime_kernels.c - the vectorised functions against the C library's,
 * and that the number of threads changes no bit where sums are not split. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/text.h"
#include "runtime/block.h"
#include "runtime/kernel.h"
#include "runtime/kernels/vector.h"
#include "runtime/values.h"
#include "tests/test.h"

static float f_exp(float x)
{
    return mw_exp(x);
}

static float f_log(float x)
{
    return mw_log(x);
}

static float f_tanh(float x)
{
    return mw_tanh(x);
}

static float f_sigmoid(float x)
{
    return mw_sigmoid(x);
}

static float f_erf(float x)
{
    return mw_erf(x);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* lo > 0: points spread evenly over exponents, else over [lo, hi]. */
static const struct row {
    const char *name;
    float (*got)(float x);
    double (*want)(double x);
    double lo, hi, ulps;
} rows[] = {
    {"exp", f_exp, exp, -104, 89, 2},
    {"exp", f_exp, exp, 1e-30, 1, 2},
    {"log", f_log, log, 1e-44, 3e38, 2},
    {"tanh", f_tanh, tanh, -20, 20, 3},
    {"tanh", f_tanh, tanh, 1e-30, 1, 3},
    {"sigmoid", f_sigmoid, sigmoid, -103, 103, 4},
    {"erf", f_erf, erf, -6, 6, 3},
    {"erf", f_erf, erf, 1e-30, 1, 3},
};

static double ulps_off(float got, double want)
{
    float nearest = (float)want;
    if (isinf(nearest) || isinf(got))
        return got == nearest ? 0 : HUGE_VAL;
    double ulp =
        (double)nextafterf(fabsf(nearest), HUGE_VALF) - (double)fabsf(nearest);
    return fabs((double)got - want) / ulp;
}

static void functions(void)
{
    enum { POINTS = 200000 };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        double worst = 0, at = 0;
        for (int k = 0; k <= POINTS; k++) {
            double t = (double)k / POINTS;
            double x = row->lo > 0 ? row->lo * pow(row->hi / row->lo, t)
                                   : row->lo + (row->hi - row->lo) * t;
            float rounded = (float)x;
            double off =
                ulps_off(row->got(rounded), row->want((double)rounded));
            if (off > worst) {
                worst = off;
                at = x;
            }
        }
        CHECK(worst <= row->ulps, "%s(%.9g) is %g ulps off, %g are allowed",
              row->name, at, worst, row->ulps);
    }
}

static void edges(void)
{
    static const struct {
        const char *name;
        float (*fn)(float x);
        float x, want;
    } points[] = {
        {"exp", f_exp, INFINITY, INFINITY},
        {"exp", f_exp, -INFINITY, 0},
        {"exp", f_exp, 0, 1},
        {"log", f_log, 0, -INFINITY},
        {"log", f_log, INFINITY, INFINITY},
        {"log", f_log, 1, 0},
        {"tanh", f_tanh, INFINITY, 1},
        {"tanh", f_tanh, -INFINITY, -1},
        {"sigmoid", f_sigmoid, INFINITY, 1},
        {"sigmoid", f_sigmoid, 0, 0.5F},
        {"sigmoid", f_sigmoid, -INFINITY, 0},
        {"erf", f_erf, INFINITY, 1},
        {"erf", f_erf, -INFINITY, -1},
        {"erf", f_erf, 0, 0},
    };
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        float got = points[i].fn(points[i].x);
        CHECK(got == points[i].want, "%s(%g) is %g, want %g", points[i].name,
              (double)points[i].x, (double)got, (double)points[i].want);
        CHECK(isnan(points[i].fn(NAN)), "%s(NaN) is %g", points[i].name,
              (double)points[i].fn(NAN));
    }
    CHECK(isnan(mw_log(-1)), "log(-1) is %g", (double)mw_log(-1));
}

/* ---- as kernels, over all floats ---- */

static mw_view whole_view(const mw_tensor *tensor, void *data)
{
    mw_box box = mw_box_whole(tensor);
    return mw_view_of(tensor, &box, data);
}

static double erf_of(double x)
{
    return erf(x);
}

static double square_root(double x)
{
    return sqrt(x);
}

/* Rows of the registry that take one f32; values of the definition by the C
 * library's doubles. */
static const struct kernel_row {
    const char *op;
    double (*want)(double x);
} kernel_rows[] = {
    {"exp", exp},    {"log", log}, {"tanh", tanh}, {"sigmoid", sigmoid},
    {"erf", erf_of}, {"sin", sin}, {"cos", cos},   {"sqrt", square_root},
};

enum { CHUNK = 1 << 16, ULPS = 4 };

/* How far apart floats are, as patterns of bits, that are tried: all of them in
 * a long run of optimised code. */
static uint32_t pattern_step(void)
{
#ifdef __OPTIMIZE__
    if (getenv("MW_LONG"))
        return 1;
#endif
    return 9973;
}

// One kernel over the floats of n patterns from `first` on.
static void try_chunk(const struct kernel_row *row, const mw_op *op,
                      const mw_graph *graph, uint32_t first, uint32_t step,
                      double *worst, float *at)
{
    static float x[CHUNK], y[CHUNK];
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t bits = first + i * step;
        memcpy(&x[i], &bits, sizeof x[i]);
    }
    mw_view in = whole_view(&graph->tensor[op->in[0].tensor], x);
    mw_view out = whole_view(&graph->tensor[op->out[0].tensor], y);
    const mw_kernel_call call = {
        .op = op, .in = &in, .out = &out, .threads = 1};
    mw_kernel_run(mw_kernel_find(op->def->name, MW_F32), &call);
    for (int i = 0; i < CHUNK; i++) {
        double want = row->want((double)x[i]);
        double off =
            isnan(want) ? (isnan(y[i]) ? 0 : HUGE_VAL) : ulps_off(y[i], want);
        if (!(off <= *worst)) {
            *worst = off;
            *at = x[i];
        }
    }
}

static void try_kernel(const struct kernel_row *row, const mw_graph *graph,
                       const mw_op *op)
{
    double worst = 0;
    float at = 0;
    uint32_t step = pattern_step();
    uint64_t all = UINT64_C(1) << 32, span = (uint64_t)CHUNK * step;
    for (uint64_t first = 0; first < all; first += span)
        try_chunk(row, op, graph, (uint32_t)first, step, &worst, &at);
    CHECK(worst <= ULPS, "%s(%.9g) is %g ulps off, %d are allowed", row->op,
          (double)at, worst, ULPS);
}

static void all_floats(void)
{
    for (size_t i = 0; i < sizeof kernel_rows / sizeof kernel_rows[0]; i++) {
        const struct kernel_row *row = &kernel_rows[i];
        char text[128];
        (void)snprintf(text, sizeof text,
                       "model m\ndim a = %d\ninput x : f32[a]\n"
                       "y = %s(x) : f32[a]\noutput y\n",
                       (int)CHUNK, row->op);
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_status status = mw_graph_init(&graph, &arena, "m");
        if (status == MW_OK)
            status = mw_text_parse(&graph, "text", text);
        CHECK(status == MW_OK, "%s: %s", ctx.where, ctx.message);
        if (status == MW_OK)
            try_kernel(row, &graph, &graph.op[0]);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

/* ---- threads ---- */

static const char text[] =
    "model m\ndim a = 301\ndim b = 257\ndim c = 33\n"
    "input x : f32[a, b]\ninput z : f32[b]\nparam w : f32[b, c]\n"
    "p = add(x, z) : f32[a, b]\nq = exp(p) : f32[a, b]\n"
    "r = reduce_sum(q) : f32[a]\ns = reduce_max(q) : f32[b]\n"
    "t = transpose(q) : f32[b, a]\nu = einsum(q, w) : f32[a, c]\n"
    "output r\noutput s\noutput t\noutput u\n";

// Runs all ops with that many threads; value[t] is each tensor's.
static mw_status compute(mw_arena *arena, mw_values *values, int threads,
                         void *value[])
{
    const mw_graph *graph = values->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        value[t] = mw_arena_alloc(arena, (size_t)mw_tensor_bytes(tensor), 1);
        if (!value[t])
            return MW_ENOMEM;
        mw_box box = mw_box_whole(tensor);
        if (tensor->producer == MW_NONE)
            mw_values_block(values, t, &box, value[t]);
    }
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        mw_view in[2], out;
        for (int i = 0; i < op->n_in; i++)
            in[i] = whole_view(&graph->tensor[op->in[i].tensor],
                               value[op->in[i].tensor]);
        out = whole_view(&graph->tensor[op->out[0].tensor],
                         value[op->out[0].tensor]);
        const mw_kernel_call call = {
            .op = op, .in = in, .out = &out, .threads = threads};
        mw_kernel_run(
            mw_kernel_find(op->def->name, mw_kernel_dtype(op, in, &out)),
            &call);
    }
    return MW_OK;
}

static void threads(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_values values;
    void *one[16], *many[16];
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = mw_graph_init(&graph, &arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&graph, "text", text);
    if (status == MW_OK)
        status = mw_values_open(&arena, &graph, "", 1, &values);
    if (status == MW_OK)
        status = compute(&arena, &values, 1, one);
    for (int n = 2; n <= 5 && status == MW_OK; n++) {
        status = compute(&arena, &values, n, many);
        for (mw_id t = 0; t < graph.n_tensors && status == MW_OK; t++)
            CHECK(strcmp(graph.tensor[t].name, "u") == 0 ||
                      memcmp(one[t], many[t],
                             (size_t)mw_tensor_bytes(&graph.tensor[t])) == 0,
                  "%d threads change '%s'", n, graph.tensor[t].name);
    }
    CHECK(status == MW_OK, "%s: %s", ctx.where, ctx.message);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_runtime_kernels = {"runtime_kernels",
                                           {{"functions", functions},
                                            {"edges", edges},
                                            {"all_floats", all_floats},
                                            {"threads", threads}}};
