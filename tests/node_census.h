/*
 * node_census.h - how many of ONNX's node tests there are of each operator, how
 * many of them are supported, and how many pass; and why the others are not.
 */
#ifndef MW_TESTS_NODE_CENSUS_H
#define MW_TESTS_NODE_CENSUS_H

#include "tests/node_test.h"

/* A test counts for every operator that occurs in its model. */
typedef struct node_count {
    const char *domain, *op; /* NULL: all tests */
    long n_tests, n_supported, n_passed;
} node_count;

typedef struct node_census {
    mw_arena arena;
    mw_ctx ctx;
    mw_map places; /* "DOMAIN OP" to a count */
    node_count *count;
    int64_t n_counts, cap_counts;
    node_count all;
    mw_map reasons; /* to how many tests are not supported for it */
} node_census;

void node_census_open(node_census *census);
void node_census_close(node_census *census);

/* Adds a test that is supported, or is not for the reason given. */
mw_status node_census_add(node_census *census, const node_test *test,
                          bool passed, const char *reason) MW_MUST_CHECK;

/* A line each: domain, operator, tests, supported, passed; `*` for all of
 * them; `!`, reason, tests. */
mw_status node_census_write(node_census *census,
                            const char *path) MW_MUST_CHECK;

/* NULL: it occurs in no test. */
const node_count *node_census_of(const node_census *census, const char *domain,
                                 const char *op);

/* Goes through the tests of a folder in the order of their names. */
typedef void node_visit(node_test *test, void *arg);
int node_tests_each(const char *root, node_visit *visit, void *arg);

#endif
