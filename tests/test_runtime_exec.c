/* test_runtime_exec.c - a plan on one rank, without MPI: equal to the
 * reference, and whole when memory ends anywhere. */
#include <stdlib.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/text.h"
#include "runtime/compare.h"
#include "runtime/exec.h"
#include "tests/plan_maker.h"
#include "tests/test.h"

static const char text[] =
    "model m\ndim b = 3\ndim s = 5\ndim d = 4\ndim v = 7\n"
    "input i : i64[b, s]\nparam w : f32[v, d]\nparam u : f32[d, v]\n"
    "x = gather(w, i, dim=v) : f32[b, s, d]\n"
    "y = einsum(x, u) : f32[b, s, v]\nm = reduce_max(y) : f32[b, s]\n"
    "z = sub(y, m) : f32[b, s, v]\ne = exp(z) : f32[b, s, v]\n"
    "t = reduce_sum(e) : f32[b, s]\np = div(e, t) : f32[b, s, v]\n"
    "output p\n";

/* What a run needs, in one arena. */
typedef struct bench {
    mw_arena arena;
    mw_graph graph;
    mw_mesh mesh;
    mw_plan plan;
    mw_values values;
    mw_team *team;
    mw_exec exec;
} bench;

static mw_status run_text(mw_ctx *ctx, bench *b, const char *model)
{
    MW_TRY(mw_mesh_parse(ctx, &b->arena, "1x1", &b->mesh));
    MW_TRY(mw_graph_init(&b->graph, &b->arena, "m"));
    MW_TRY(mw_text_parse(&b->graph, "text", model));
    MW_TRY(plan_by_lot(&b->arena, &b->graph, &b->mesh, 1, 0, &b->plan));
    MW_TRY(mw_values_open(&b->arena, &b->graph, "", 5, &b->values));
    MW_TRY(mw_team_open(ctx, &b->arena, &b->team));
    MW_TRY(mw_exec_open(&b->arena, &b->plan, b->team, 1, &b->exec));
    mw_exec_put_weights(&b->exec, &b->values);
    mw_exec_put_inputs(&b->exec, &b->values);
    return mw_exec_run(&b->exec);
}

static void close_bench(bench *b)
{
    mw_exec_close(&b->exec);
    mw_team_close(b->team);
    mw_values_close(&b->values);
    mw_arena_free(&b->arena);
}

static mw_status run_body(mw_ctx *ctx, void *arg)
{
    (void)arg;
    bench b;
    memset(&b, 0, sizeof b);
    mw_arena_init(&b.arena, ctx);
    mw_status status = run_text(ctx, &b, text);
    close_bench(&b);
    return status;
}

static void out_of_memory(void)
{
    check_oom("run a plan", run_body, NULL);
}

static mw_status expected(bench *b, const void **whole)
{
    const void **value =
        MW_NEW_ARRAY(&b->arena, b->graph.n_tensors, const void *);
    if (!value)
        return MW_ENOMEM;
    for (mw_id t = 0; t < b->graph.n_tensors; t++)
        if (b->graph.tensor[t].producer == MW_NONE)
            MW_TRY(mw_values_whole(&b->values, t, &value[t]));
    MW_TRY(mw_eval_graph(&b->arena, &b->graph, value));
    *whole = value[mw_graph_find_tensor(&b->graph, "p")];
    return MW_OK;
}

static void one_rank(void)
{
    mw_ctx ctx;
    bench b;
    float got[3 * 5 * 7];
    const void *want = NULL;
    memset(&b, 0, sizeof b);
    mw_ctx_init(&ctx);
    mw_arena_init(&b.arena, &ctx);
    mw_status status = run_text(&ctx, &b, text);
    if (status == MW_OK)
        status =
            mw_exec_gather(&b.exec, mw_graph_find_tensor(&b.graph, "p"), got);
    if (status == MW_OK)
        status = expected(&b, &want);
    mw_comparison sum = {0};
    CHECK(status == MW_OK && mw_compare(&sum, (mw_tolerance){1e-5, 1e-6},
                                        3 * 5 * 7, MW_F32, got, MW_F32, want),
          "%s: %s; %lld differ", ctx.where, ctx.message,
          (long long)sum.n_differ);
    CHECK(b.exec.bytes == b.plan.peak_bytes,
          "arena of %lld bytes, planned %lld", (long long)b.exec.bytes,
          (long long)b.plan.peak_bytes);
    CHECK(b.exec.bytes_sent == 0, "one rank sent %lld bytes",
          (long long)b.exec.bytes_sent);
    close_bench(&b);
    mw_ctx_free(&ctx);
}

static void comparing(void)
{
    const float nan = strtof("nan", NULL), inf = strtof("inf", NULL);
    const struct {
        float got, want;
        bool same;
    } rows[] = {
        {1, 1, true},        {1, 1.0005F, true}, {1, 1.01F, false},
        {0, 5e-5F, true},    {0, 5e-4F, false},  {nan, nan, true},
        {nan, 1, false},     {inf, inf, true},   {inf, -inf, false},
        {1e30F, inf, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_comparison sum = {0};
        bool same = mw_compare(&sum, (mw_tolerance){1e-3, 1e-4}, 1, MW_F32,
                               &rows[i].got, MW_F32, &rows[i].want);
        CHECK(same == rows[i].same && sum.n_differ == !same,
              "%g and %g: %d, want %d", (double)rows[i].got,
              (double)rows[i].want, same, rows[i].same);
    }
    mw_comparison sum;
    const uint16_t one = 0x3c00, near = 0x3c04, far = 0x3c20; /* as f16 */
    sum = (mw_comparison){0};
    CHECK(mw_compare(&sum, (mw_tolerance){1e-3, 0}, 1, MW_F16, &near, MW_F16,
                     &one) &&
              !mw_compare(&sum, (mw_tolerance){1e-3, 0}, 1, MW_F16, &far,
                          MW_F16, &one),
          "halves are compared to two digits");
    const int64_t a[2] = {1, INT64_MAX}, b[2] = {1, INT64_MAX - 1};
    sum = (mw_comparison){0};
    CHECK(!mw_compare(&sum, (mw_tolerance){1, 1}, 2, MW_I64, a, MW_I64, b) &&
              sum.first == 1,
          "integers are compared exactly");
}

/* ---- strips ---- */

/* Chains over the same outer axes, larger than a cache; what goes together and
 * what may not. */
static const struct strip_row {
    const char *name, *lines;
    int together; /* the longest */
} strip_rows[] = {
    {"softmax",
     "input x : f32[a, b, c]\nm = reduce_max(x) : f32[a, b]\n"
     "d = sub(x, m) : f32[a, b, c]\ne = exp(d) : f32[a, b, c]\n"
     "s = reduce_sum(e) : f32[a, b]\ny = div(e, s) : f32[a, b, c]\n"
     "output y\noutput s\n",
     5},
    {"a sum over the outer axis ends it",
     "input x : f32[a, b, c]\nd = neg(x) : f32[a, b, c]\n"
     "s = reduce_sum(d) : f32[b, c]\ny = mul(d, s) : f32[a, b, c]\n"
     "output y\n",
     0},
    {"an operand across",
     "input x : f32[a, b, c]\ninput z : f32[c, a]\n"
     "d = neg(x) : f32[a, b, c]\ny = mul(d, z) : f32[a, b, c]\n"
     "output y\n",
     0},
    {"another order ends it",
     "input x : f32[a, b, c]\nd = neg(x) : f32[a, b, c]\n"
     "t = add(d, x) : f32[b, a, c]\ny = mul(t, x) : f32[b, a, c]\n"
     "output y\n",
     0},
    {"the place of what is read ends it",
     "input x : f32[a, b, c]\ninput z : f32[c]\n"
     "d = mul(x, z) : f32[a, b, c]\ny = exp(d) : f32[a, b, c]\n"
     "m = reduce_max(y) : f32[a, b]\noutput y\noutput m\n",
     2},
};

static int longest(const mw_exec *exec)
{
    int most = 0;
    for (int64_t i = 0; i < exec->n_steps; i++)
        most = exec->step[i].together > most ? exec->step[i].together : most;
    return most;
}

static mw_status gather_outputs(bench *b, void *value[])
{
    for (mw_id t = 0; t < b->graph.n_tensors; t++) {
        if (!b->graph.tensor[t].output)
            continue;
        value[t] = mw_arena_alloc(&b->arena, 1,
                                  (size_t)mw_tensor_bytes(&b->graph.tensor[t]));
        if (!value[t])
            return MW_ENOMEM;
        MW_TRY(mw_exec_gather(&b->exec, t, value[t]));
    }
    return MW_OK;
}

// Strip by strip, and op by op: the same bits.
static mw_status run_twice(mw_ctx *ctx, bench *b, const char *model,
                           void *strips[], void *steps[])
{
    MW_TRY(run_text(ctx, b, model));
    MW_TRY(gather_outputs(b, strips));
    mw_exec_put_inputs(&b->exec, &b->values);
    for (int k = 0; k < b->graph.n_ops; k++)
        MW_TRY(mw_exec_run_op(&b->exec, k));
    return gather_outputs(b, steps);
}

static void strips(void)
{
    static const char *const sizes[] = {
        "dim a = 2\ndim b = 300\ndim c = 700\n",
        "dim a = 301\ndim b = 7\ndim c = 260\n"};
    for (size_t i = 0; i < 2 * sizeof strip_rows / sizeof strip_rows[0]; i++) {
        const struct strip_row *row = &strip_rows[i / 2];
        mw_ctx ctx;
        bench b;
        void *one[16] = {NULL}, *other[16] = {NULL};
        memset(&b, 0, sizeof b);
        mw_ctx_init(&ctx);
        mw_arena_init(&b.arena, &ctx);
        char *model = mw_arena_format(&b.arena, "model m\n%s%s", sizes[i % 2],
                                      row->lines);
        mw_status status =
            model ? run_twice(&ctx, &b, model, one, other) : MW_ENOMEM;
        CHECK(status == MW_OK, "%s: %s", row->name, ctx.message);
        CHECK(longest(&b.exec) == row->together,
              "%s: %d steps together, wanted %d", row->name, longest(&b.exec),
              row->together);
        for (mw_id t = 0; status == MW_OK && t < b.graph.n_tensors; t++)
            CHECK(!one[t] ||
                      memcmp(one[t], other[t],
                             (size_t)mw_tensor_bytes(&b.graph.tensor[t])) == 0,
                  "%s: '%s' differs", row->name, b.graph.tensor[t].name);
        close_bench(&b);
        mw_ctx_free(&ctx);
    }
}

const mw_suite mw_suite_runtime_exec = {"runtime_exec",
                                        {{"one rank", one_rank},
                                         {"comparing", comparing},
                                         {"strips", strips},
                                         {"out of memory", out_of_memory}}};
