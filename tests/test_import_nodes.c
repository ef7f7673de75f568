/*
 * test_import_nodes.c - ONNX's own tests of operators: a model of one node (or
 * of the function it stands for), inputs and outputs. Read from Debian's
 * libonnx-testdata, and from PyPI's package of the newer opsets. What is in
 * scope computes what the test wants, as it is read and as it is named;
 * tests/mpitest_nodes.c runs it split.
 */
#include <stdio.h>
#include <string.h>

#include "ir/verify.h"
#include "tests/node_census.h"
#include "tests/operators_doc.h"
#include "tests/test.h"

static bool evaluate(node_test *test, const mw_graph *graph, const char *where)
{
    const void **value;
    mw_status status = node_test_evaluate(test, graph, &value);
    if (!CHECK(status == MW_OK, "%s, %s: %s", test->name, where,
               test->ctx.message))
        return false;
    bool same = true;
    for (int i = 0; i < test->n_out; i++) {
        mw_id id = mw_graph_find_tensor(graph, test->model.graph.out[i].name);
        if (!CHECK(id != MW_NONE, "%s, %s: no output %d", test->name, where, i))
            return false;
        same =
            node_test_compare(test, i, &graph->tensor[id], value[id], where) &&
            same;
    }
    return same;
}

static bool passes(node_test *test)
{
    mw_status status = node_test_import(test);
    if (!CHECK(status == MW_OK, "%s: %s: %s", test->name, test->ctx.where,
               test->ctx.message))
        return false;
    bool placed = evaluate(test, &test->placed, "as read");
    status = mw_verify(&test->named);
    return CHECK(status == MW_OK, "%s, named: %s", test->name,
                 test->ctx.message) &&
           evaluate(test, &test->named, "named") && placed;
}

static void visit(node_test *test, void *arg)
{
    node_census *census = arg;
    const char *reason = node_test_refusal(test);
    bool passed = !reason && passes(test);
    CHECK(node_census_add(census, test, passed, reason) == MW_OK, "%s: %s",
          test->name, census->ctx.message);
}

/* True when the folder is there. */
static bool run_folder(node_census *census, const char *root)
{
    int n = node_tests_each(root, visit, census);
    if (n < 0)
        SKIP("%s: not there", root);
    return n >= 0;
}

/* What ONNX's own tests leave out: old opsets, newest ones, ONNX Runtime's
 * operators; in the same form, with outputs of ONNX Runtime 1.32 or of ONNX
 * 1.23's reference. All of them are in scope. */
static void own_tests(void)
{
    node_census census;
    node_census_open(&census);
    if (run_folder(&census, "tests/data/nodes"))
        CHECK(census.all.n_supported == census.all.n_tests &&
                  census.all.n_tests > 0,
              "%ld of %ld tests are in scope", census.all.n_supported,
              census.all.n_tests);
    node_census_close(&census);
}

/* Debian's, and those of newer opsets, which tools/onnx_nodes fetches; the
 * document says how many there are of each operator. */
static void onnx_tests(void)
{
    node_census census;
    node_census_open(&census);
    bool old = run_folder(&census, NODE_TESTS_DEBIAN);
    bool newer = run_folder(&census, NODE_TESTS_NEWER);
    if (old && newer)
        operators_doc_onnx(&census);
    node_census_close(&census);
}

const mw_suite mw_suite_import_nodes = {
    "import_nodes", {{"own tests", own_tests}, {"ONNX's tests", onnx_tests}}};
