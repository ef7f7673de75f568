/*
 * mpitest_nodes.c - ONNX's node tests on real ranks: every legal strategy of
 * every op of a test's graph occurs in a program that runs whole, and the
 * outputs of each program are those stored with the test. Bytes that ranks send
 * are the plan's.
 *
 * All of it is run when MW_LONG is set; else a fixed tenth of the tests, and
 * every operator once; of programs that are many a fixed part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/eval.h"
#include "runtime/exec.h"
#include "tests/node_census.h"
#include "tests/operators_doc.h"
#include "tests/split_plans.h"
#include "tests/test.h"

static const struct mesh_row {
    int ranks;
    const char *text;
} meshes[] = {{1, "1"}, {2, "2"}, {3, "3"}, {4, "4"}, {4, "2x2"}};
enum { N_MESHES = sizeof meshes / sizeof meshes[0], MANY = 20 };

/* What the tests of a folder share; a team keeps the groups of one mesh. */
typedef struct sweep {
    mw_team *team[N_MESHES];
    node_census census;
    mw_map seen; /* operators that a test has been taken for */
    long n_plans;
    bool all;
} sweep;

/* One test on one mesh. */
typedef struct split_run {
    sweep *sweep;
    node_test *test;
    mw_team *team;
    mw_mesh mesh;
    const char *mesh_text;
    mw_values values;
} split_run;

static bool takes(sweep *s, const node_test *test)
{
    bool first = false;
    uint32_t hash = 2166136261U;
    for (int64_t i = 0; i < test->n_nodes; i++) {
        const char *op = test->node[i]->op;
        if (!mw_map_find_text(&s->seen, op))
            first = mw_map_put_text(&s->seen, op, 1) == MW_OK || first;
    }
    for (const char *c = test->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    return s->all || first || hash % 10 == 0;
}

/* ---- one program ---- */

static bool compare_outputs(split_run *r, mw_exec *exec, mw_arena *arena,
                            const char *where)
{
    const mw_graph *graph = &r->test->named;
    bool same = true;
    for (int i = 0; i < r->test->n_out; i++) {
        mw_id id =
            mw_graph_find_tensor(graph, r->test->model.graph.out[i].name);
        if (!CHECK(id != MW_NONE, "%s, %s: no output %d", r->test->name, where,
                   i))
            return false;
        const mw_tensor *tensor = &graph->tensor[id];
        void *whole =
            mw_arena_alloc(arena, (size_t)mw_tensor_bytes(tensor) + 1, 1);
        mw_status status = whole ? mw_exec_gather(exec, id, whole) : MW_ENOMEM;
        if (!CHECK(status == MW_OK, "%s, %s: %s", r->test->name, where,
                   arena->ctx->message))
            return false;
        if (mw_test_rank() == 0)
            same = node_test_compare(r->test, i, tensor, whole, where) && same;
    }
    return same;
}

static mw_status run_plan(split_run *r, const mw_plan *plan, mw_arena *arena,
                          const char *where, bool *same)
{
    mw_exec exec;
    memset(&exec, 0, sizeof exec);
    mw_status status = mw_exec_open(arena, plan, r->team, 1, &exec);
    status = mw_team_agree(r->team, status);
    if (status == MW_OK) {
        mw_exec_put_weights(&exec, &r->values);
        mw_exec_put_inputs(&exec, &r->values);
        status = mw_exec_run(&exec);
    }
    if (status == MW_OK) {
        int64_t planned = plan->bytes_by_rank[mw_test_rank()];
        *same =
            CHECK(exec.bytes_sent == planned && exec.bytes == plan->peak_bytes,
                  "%s, %s: sent %lld bytes of %lld, arena of %lld for %lld",
                  r->test->name, where, (long long)exec.bytes_sent,
                  (long long)planned, (long long)exec.bytes,
                  (long long)plan->peak_bytes);
        *same = compare_outputs(r, &exec, arena, where) && *same;
    }
    mw_exec_close(&exec);
    return status;
}

static bool passes_plan(split_run *r, split_plans *plans, int64_t i)
{
    mw_arena arena;
    mw_plan plan;
    bool same = false;
    char where[100];
    (void)snprintf(where, sizeof where, "mesh %s, plan %lld of %lld",
                   r->mesh_text, (long long)i, (long long)plans->n_plans);
    mw_arena_init(&arena, r->test->arena.ctx);
    mw_status status = split_plans_make(plans, &arena, i, &plan);
    if (status == MW_OK)
        status = run_plan(r, &plan, &arena, where, &same);
    same = CHECK(status == MW_OK, "%s, %s: %s: %s", r->test->name, where,
                 arena.ctx->where, arena.ctx->message) &&
           same;
    mw_arena_free(&arena);
    r->sweep->n_plans++;
    return same;
}

/* ---- one test ---- */

static mw_status take_inputs(split_run *r)
{
    const mw_graph *graph = &r->test->named;
    MW_TRY(mw_values_open(&r->test->arena, graph, "", 0, &r->values));
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *array =
            node_test_input(r->test, graph->tensor[t].name);
        if (graph->tensor[t].role == MW_ROLE_INPUT && array)
            MW_TRY(mw_data_bytes(&r->test->arena, array, &r->values.whole[t]));
    }
    return MW_OK;
}

static mw_status check_kernels(split_run *r)
{
    const mw_graph *graph = &r->test->named;
    for (mw_id k = 0; k < graph->n_ops; k++)
        MW_TRY(mw_kernel_check(r->test->arena.ctx, &graph->op[k]));
    return MW_OK;
}

static bool passes_on(split_run *r)
{
    mw_arena *arena = &r->test->arena;
    split_plans plans;
    mw_status status = mw_mesh_parse(arena->ctx, arena, r->mesh_text, &r->mesh);
    if (status == MW_OK)
        status = take_inputs(r);
    if (status == MW_OK)
        status = check_kernels(r);
    if (status == MW_OK)
        status = split_plans_open(arena, &r->test->named, &r->mesh, &plans);
    if (!CHECK(status == MW_OK, "%s on %s: %s: %s", r->test->name, r->mesh_text,
               arena->ctx->where, arena->ctx->message))
        return false;
    bool same = true;
    int64_t step = r->sweep->all ? 1 : 1 + plans.n_plans / MANY;
    for (int64_t i = 0; i < plans.n_plans; i += step)
        same = passes_plan(r, &plans, i) && same;
    return same;
}

// Elements that share bytes are evaluated, and no run takes them.
static bool runs(const mw_graph *graph)
{
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (!mw_dtype_runs(graph->tensor[t].dtype))
            return false;
    return true;
}

static bool passes(sweep *s, node_test *test)
{
    mw_status status = node_test_import(test);
    if (status == MW_OK && test->is_random)
        status = node_test_want_own(test);
    if (!CHECK(status == MW_OK, "%s: %s: %s", test->name, test->ctx.where,
               test->ctx.message))
        return false;
    bool same = true;
    if (!runs(&test->named)) {
        s->n_plans++;
        return true;
    }
    for (int m = 0; m < N_MESHES; m++) {
        split_run r = {.sweep = s,
                       .test = test,
                       .team = s->team[m],
                       .mesh_text = meshes[m].text};
        if (meshes[m].ranks == mw_test_size())
            same = passes_on(&r) && same;
    }
    return same;
}

static void visit(node_test *test, void *arg)
{
    sweep *s = arg;
    const char *reason = node_test_refusal(test);
    if (!reason && !takes(s, test))
        return;
    bool passed = !reason && passes(s, test);
    CHECK(node_census_add(&s->census, test, passed, reason) == MW_OK, "%s: %s",
          test->name, s->census.ctx.message);
}

/* ---- folders ---- */

static void sweep_folders(const char *const roots[], const char *name,
                          bool documented)
{
    sweep s = {.all = getenv("MW_LONG") != NULL};
    char path[600];
    node_census_open(&s.census);
    mw_map_init(&s.seen, &s.census.arena);
    mw_status status = MW_OK;
    for (int m = 0; m < N_MESHES && status == MW_OK; m++)
        status = mw_team_open(&s.census.ctx, &s.census.arena, &s.team[m]);
    CHECK(status == MW_OK, "%s", s.census.ctx.message);
    int n_missing = 0;
    for (int i = 0; status == MW_OK && roots[i]; i++)
        if (node_tests_each(roots[i], visit, &s) < 0) {
            SKIP("%s: not there", roots[i]);
            n_missing++;
        }
    if (s.all && n_missing == 0 && documented && mw_test_rank() == 0)
        operators_doc_onnx(&s.census);
    CHECK(s.n_plans >= s.census.all.n_supported, "only %ld plans", s.n_plans);
    (void)snprintf(path, sizeof path, "%s/nodes-%s-%d.tsv", mw_scratch_path(),
                   name, mw_test_size());
    if (mw_test_rank() == 0)
        CHECK(node_census_write(&s.census, path) == MW_OK, "%s",
              s.census.ctx.message);
    for (int m = 0; m < N_MESHES; m++)
        mw_team_close(s.team[m]);
    node_census_close(&s.census);
}

static void onnx_tests(void)
{
    static const char *const roots[] = {NODE_TESTS_DEBIAN, NODE_TESTS_NEWER,
                                        NULL};
    sweep_folders(roots, "onnx", true);
}

static void own_tests(void)
{
    static const char *const roots[] = {"tests/data/nodes", NULL};
    sweep_folders(roots, "own", false);
}

const mw_suite mw_mpi_suite_nodes = {
    "nodes", {{"own tests", own_tests}, {"ONNX's tests", onnx_tests}}};
