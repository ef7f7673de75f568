/*
 * node_test.h - one of ONNX's own tests of operators: a folder with a model of
 * one node (or of the function it stands for) and the arrays of its inputs and
 * outputs.
 */
#ifndef MW_TESTS_NODE_TEST_H
#define MW_TESTS_NODE_TEST_H

#include "ir/import.h"
#include "ir/import/onnx.h"

/* What tools/onnx_nodes fetches, and what Debian has. */
#define NODE_TESTS_NEWER "build/onnx-nodes"
#define NODE_TESTS_DEBIAN "/usr/share/libonnx-testdata/data/node"

enum { NODE_MAX_ARRAYS = 64 };

typedef struct node_test {
    mw_ctx ctx;
    mw_arena arena;
    char folder[1024];
    const char *name;
    mw_onnx_model model;
    /* What keeps it out of scope: the name of an element type or of a type
     * that is no tensor, an operator that has no rule, an opset; NULL: it is
     * in. */
    const char *type, *unknown, *opset;
    const mw_onnx_node **node; /* all, those of inner graphs too */
    int64_t n_nodes, cap_nodes;
    mw_import_files *files;
    mw_graph placed, named;
    mw_tensor in[NODE_MAX_ARRAYS], out[NODE_MAX_ARRAYS];
    int n_in, n_out;
    bool is_random; /* numbers are drawn: outputs have a shape and a type */
} node_test;

/* Reads the model and says what is out of scope; false when it cannot be read.
 * Ended by node_test_close() in any case. */
bool node_test_open(node_test *test, const char *root, const char *name);
void node_test_close(node_test *test);

/* Reads the arrays, and imports the model by their shapes: the placed graph and
 * the named one. Inputs that must be known are fixed. */
mw_status node_test_import(node_test *test) MW_MUST_CHECK;

/* Why the test is left out: what the model has that is out of scope, or that
 * the values stored with it are wrong; NULL: it is taken. */
const char *node_test_refusal(const node_test *test);

/* The array of an input of the model; NULL: it has none. */
const mw_tensor *node_test_input(const node_test *test, const char *name);

/* Values of the graph's tensors by the reference kernels. */
mw_status node_test_evaluate(node_test *test, const mw_graph *graph,
                             const void ***value) MW_MUST_CHECK;

/* Of a test in which numbers are drawn, not by its author's generator: from now
 * on the outputs wanted are those of one rank. */
mw_status node_test_want_own(node_test *test) MW_MUST_CHECK;

/* Values of output i as the graph's tensor holds them against the stored ones,
 * or its shape and type where numbers are drawn; the CHECKs name the test and
 * `where`. */
bool node_test_compare(const node_test *test, int i, const mw_tensor *tensor,
                       const void *bytes, const char *where);

#endif
