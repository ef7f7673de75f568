/* mpitest_strategies.c - every strategy of every op of the registry, run on
 * real ranks by the fast kernels and compared with one rank's reference. */
#include <string.h>

#include "ir/text.h"
#include "runtime/verify.h"
#include "tests/test.h"

/* Graphs that the ops' own samples do not have. */
static const char *const extra[] = {
    /* S17, S05: heads and rows that do not divide, attention's two products */
    "model m\ndim b = 2\ndim s = 7\ndim h = 5\ndim e = 6\ndim t = 7\n"
    "input q : f32[b, s, h, e]\ninput k : f32[b, t, h, e]\n"
    "y = einsum(q, k) : f32[b, h, s, t]\n"
    "z = einsum(y, k) : f32[b, s, h, e]\noutput z\n",
    /* every operand has to be packed */
    "model m\ndim a = 5\ndim b = 3\ndim c = 4\ndim d = 7\ndim e = 2\n"
    "input x : f32[a, c, b, d]\nparam w : f32[d, e, c]\n"
    "y = einsum(x, w) : f32[b, e, a]\noutput y\n",
    /* larger than a slab, and than a thread's least */
    "model m\ndim a = 300\ndim b = 200\ndim c = 17\n"
    "input x : f32[b, a]\nparam w : f32[b, c]\n"
    "y = einsum(x, w) : f32[a, c]\nz = relu(x) : f32[b, a]\n"
    "r = reduce_max(z) : f32[a]\nt = transpose(x) : f32[a, b]\n"
    "output y\noutput r\noutput t\n",
    /* S10: softmax over a split dim, with large logits */
    "model m\ndim b = 3\ndim v = 11\ninput x : f32[b, v]\n"
    "const c : f32[] = {100}\nl = mul(x, c) : f32[b, v]\n"
    "m = reduce_max(l) : f32[b]\nd = sub(l, m) : f32[b, v]\n"
    "e = exp(d) : f32[b, v]\ns = reduce_sum(e) : f32[b]\n"
    "y = div(e, s) : f32[b, v]\noutput y\n",
    /* S19, S20: 257 rows */
    "model m\ndim rows = 257\ndim b = 3\ndim d = 5\n"
    "param w : f32[rows, d]\ninput i : i64[b]\n"
    "y = gather(w, i, dim=rows) : f32[b, d]\n"
    "z = einsum(y, w) : f32[b, rows]\noutput z\n",
    /* S33, S34: halos with stride, dilation and odd extents */
    "model m\ndim n = 2\ndim ci = 3\ndim co = 2\ndim h = 9\ndim w = 7\n"
    "dim h2 = 4 of h by conv\ndim w2 = 5 of w by conv\n"
    "input x : f32[n, ci, h, w]\nparam k : f32[co, ci, 2, 2]\n"
    "y = conv(x, k, strides=[2, 1], dilations=[2, 2], pads_begin=[1, 0], "
    "pads_end=[0, 0], in_axes=[2, 3], tap_axes=[2, 3], out_axes=[2, 3]) : "
    "f32[n, co, h2, w2]\noutput y\n",
    /* taps of which whole rows lie before the edge, further than there are
       points */
    "model m\ndim n = 2\ndim ci = 3\ndim co = 5\ndim h = 2\ndim w = 3\n"
    "dim h2 = 4 of h by conv\ndim w2 = 5 of w by conv\n"
    "input x : f32[n, ci, h, w]\nparam k : f32[co, ci, 3, 3]\n"
    "y = conv(x, k, strides=[1, 1], dilations=[5, 6], pads_begin=[7, 8], "
    "pads_end=[5, 6], in_axes=[2, 3], tap_axes=[2, 3], out_axes=[2, 3]) : "
    "f32[n, co, h2, w2]\noutput y\n",
    /* nothing, and less than there are ranks */
    "model m\ndim a = 0\ndim b = 2\ndim c = 3\n"
    "input x : f32[a, b]\nparam w : f32[b, c]\n"
    "y = einsum(x, w) : f32[a, c]\nr = reduce_sum(x) : f32[b]\n"
    "t = transpose(x) : f32[b, a]\nu = add(y, y) : f32[a, c]\n"
    "output u\noutput r\noutput t\n",
};

static const struct mesh_row {
    int ranks;
    const char *text;
} meshes[] = {{1, "1"}, {2, "2"}, {3, "3"}, {4, "4"}, {4, "2x2"}};

/* Strategies seen on all meshes of this size. */
static struct totals {
    int64_t n_checked, n_partial;
} totals;

static mw_status verify_on(mw_arena *arena, mw_team *team, const char *text,
                           const char *mesh_text, int threads,
                           mw_verify_report *report)
{
    mw_graph graph;
    mw_mesh mesh;
    mw_values values;
    mw_verify_run verify;
    MW_TRY(mw_mesh_parse(arena->ctx, arena, mesh_text, &mesh));
    MW_TRY(mw_graph_init(&graph, arena, "m"));
    MW_TRY(mw_text_parse(&graph, "sample", text));
    MW_TRY(mw_values_open(arena, &graph, "", 3, &values));
    MW_TRY(mw_verify_open(arena, team, &values, threads, &verify));
    MW_TRY(mw_verify_strategies(&verify, &mesh));
    *report = verify.report;
    return MW_OK;
}

static void verify_text(const char *name, const char *text, const char *mesh,
                        int threads)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_team *team;
    mw_verify_report report = {0};
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = mw_team_open(&ctx, &arena, &team);
    if (status == MW_OK)
        status = verify_on(&arena, team, text, mesh, threads, &report);
    CHECK(status == MW_OK, "%s on %s: %s: %s\n%s", name, mesh, ctx.where,
          ctx.message, text);
    CHECK(report.n_differ == 0, "%s on %s: %lld of %lld blocks differ: %s\n%s",
          name, mesh, (long long)report.n_differ, (long long)report.n_blocks,
          report.difference ? report.difference->text : "", text);
    CHECK(report.n_checked == report.n_offered - report.n_refused,
          "%s on %s: %lld checked of %lld offered, %lld refused", name, mesh,
          (long long)report.n_checked, (long long)report.n_offered,
          (long long)report.n_refused);
    totals.n_checked += report.n_checked;
    totals.n_partial += report.n_partial;
    mw_team_close(team);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void all_samples(void)
{
    totals = (struct totals){0, 0};
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++) {
        if (meshes[m].ranks != mw_test_size())
            continue;
        for (int i = 0; i < mw_op_count; i++) {
            const mw_op_def *def = mw_op_table[i];
            for (int k = 0; !def->opaque && def->samples[k]; k++)
                verify_text(def->name, def->samples[k], meshes[m].text, 1);
        }
    }
    CHECK(mw_test_size() == 1 ||
              (totals.n_checked > mw_op_count && totals.n_partial > 10),
          "only %lld strategies and %lld partial ones seen",
          (long long)totals.n_checked, (long long)totals.n_partial);
}

static void extra_samples(void)
{
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++) {
        if (meshes[m].ranks != mw_test_size())
            continue;
        for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++)
            for (int threads = 1; threads <= 2; threads++)
                verify_text("extra", extra[i], meshes[m].text, threads);
    }
}

const mw_suite mw_mpi_suite_strategies = {
    "strategies", {{"samples", all_samples}, {"extra", extra_samples}}};
