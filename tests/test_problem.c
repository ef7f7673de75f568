/* test_problem.c - reading, writing and judging layout problems. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/problem_file.h"
#include "search/solver.h"
#include "tests/random_problem.h"
#include "tests/test.h"

#define NODES                                                                  \
    "\"nodes\": {\"intervals\": [[0, 3], [2, 5]], \"costs\": [[1, 2], [3]], "  \
    "\"usages\": [[4, 5], [6]]}"
#define EDGES "\"edges\": {\"nodes\": [[0, 1]], \"costs\": [[7, 8]]}"
#define LIMIT "\"usage_limit\": 11"

static const struct bad_row {
    const char *text;
    const char *where; /* line and column, or "" */
    const char *message;
} bad[] = {
    {"", "1:1", "the file ends where an object is wanted"},
    {"[]", "1:1", "found '[' where an object is wanted"},
    {"{}", "1:3", "the problem has no 'nodes.costs'"},
    {"{\"problem\": 3}", "1:13", "found '3' where an object is wanted"},
    {"{\"problem\": {" NODES ", " EDGES, "1:", "the file ends"},
    {"{\"problem\": {" NODES ", " EDGES "}}",
     "1:", "the problem has no 'usage_limit'"},
    {"{\"problem\": {" NODES ", " LIMIT "}}",
     "1:", "the problem has no 'edges.nodes'"},
    {"{\"problem\": {" NODES ", " EDGES ", " LIMIT "}} x",
     "1:", "found 'x' where the end of the file is wanted"},
    {"{\"problem\": {" NODES ", " NODES "}}",
     "1:", "'intervals' is given twice"},
    {"{\"problem\": {" NODES ", " EDGES ", \"usage_limit\": -1}}",
     "1:", "usage_limit is -1 where 0 is the least"},
    {"{\"problem\": {" NODES ",\n" EDGES ", \"usage_limit\": 1.5}}",
     "2:", "found '.' where an integer is wanted"},
    {"{\"problem\": {" NODES ", " EDGES
     ", \"usage_limit\": 9223372036854775808}}",
     "1:", "the number does not fit in 64 bits"},
    {"{\"problem\": {\"nodes\": {\"intervals\": [[0, 1]], \"costs\":\n [[]], "
     "\"usages\": [[]]}, \"edges\": {\"nodes\": [], \"costs\": []}, " LIMIT
     "}}",
     "2:3", "node 0 has 0 strategies where 1 is the least"},
    {"{\"problem\": {\"nodes\": {\"intervals\": [[0, 1]], \"costs\": [[1]], "
     "\"usages\":\n  [[1, 2]]}, \"edges\": {\"nodes\": [], \"costs\": "
     "[]}, " LIMIT "}}",
     "2:4", "usages of node 0: 2 values where 1 are wanted"},
    {"{\"problem\": {\"nodes\": {\"intervals\": [[0]], \"costs\": [[1]], "
     "\"usages\": [[1]]}, \"edges\": {\"nodes\": [], \"costs\": []}, " LIMIT
     "}}",
     "1:", "interval of node 0: 1 values where 2 are wanted"},
    {"{\"problem\": {\"nodes\": {\"intervals\": [[0, 1]], \"costs\": [[1]], "
     "\"usages\":\n[[-2]]}, \"edges\": {\"nodes\": [], \"costs\": []}, " LIMIT
     "}}",
     "2:2", "usage -2 of strategy 0 is negative"},
    {"{\"problem\": {\"nodes\": {\"intervals\": [[0, 1]], \"costs\": [[1], "
     "[2]], \"usages\": [[1]]}, \"edges\": {\"nodes\": [], \"costs\": "
     "[]}, " LIMIT "}}",
     "1:", "1 nodes.intervals where there are 2 nodes.costs"},
    {"{\"problem\": {\"nodes\": {\"intervals\": [], \"costs\": [], "
     "\"usages\": []}, \"edges\": {\"nodes\": [], \"costs\": []}, " LIMIT "}}",
     "1:", "the problem has no nodes"},
    {"{\"problem\": {" NODES ", \"edges\": {\"nodes\": [[0, 2]], \"costs\": "
     "[[7, 8]]}, " LIMIT "}}",
     "1:", "edge 0 names node 2 of 2 nodes"},
    {"{\"problem\": {" NODES ", \"edges\": {\"nodes\": [[1, 1]], \"costs\": "
     "[[7]]}, " LIMIT "}}",
     "1:", "edge 0 joins node 1 to itself"},
    {"{\"problem\": {" NODES ", \"edges\": {\"nodes\": [[0, 1]], \"costs\":\n\n"
     " [[7, 8, 9]]}, " LIMIT "}}",
     "3:3", "costs of edge 0: 3 values where 2 are wanted"},
    {"{\"problem\": {" NODES ", \"edges\": {\"nodes\": [[0, 1]], \"costs\": "
     "[[7, -100000000000000000]]}, " LIMIT "}}",
     "1:", "is below the least allowed"},
    {"{\"problem\": {\"nodes\": {\"costs\": [[true]]",
     "1:", "found 't' where an integer is wanted"},
    {"{\"problem\": {\"x\": \"\\", "1:", "the file ends"},
    {"{\"problem\": {\"x\": \"a\nb\"", "1:", "found the byte 0x0a"},
};

static void bad_text(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        mw_ctx ctx;
        mw_problem problem;
        char where[32];
        mw_ctx_init(&ctx);
        mw_problem_init(&problem, &ctx);
        mw_status status =
            mw_problem_parse(&problem, "f", bad[i].text, strlen(bad[i].text));
        (void)snprintf(where, sizeof where, "f:%s", bad[i].where);
        CHECK(status == MW_EINPUT &&
                  strstr(ctx.message, bad[i].message) != NULL &&
                  strncmp(ctx.where, where, strlen(where)) == 0,
              "row %zu: got '%s: %s', want '%s: %s'", i, ctx.where, ctx.message,
              where, bad[i].message);
        mw_problem_free(&problem);
        mw_ctx_free(&ctx);
    }
}

// Every beginning of a good file is bad input, or good, and never more.
static void every_cut(void)
{
    static const char good[] =
        "{\"problem\": {\"name\": \"x\", " NODES ", " EDGES ", " LIMIT
        ", \"more\": [1, {\"a\": null}, -2.5e3]}}";
    for (size_t n = 0; n < sizeof good; n++) {
        mw_ctx ctx;
        mw_problem problem;
        mw_ctx_init(&ctx);
        mw_problem_init(&problem, &ctx);
        mw_status status = mw_problem_parse(&problem, "f", good, n);
        bool whole = n + 1 == sizeof good;
        CHECK(status == (whole ? MW_OK : MW_EINPUT) &&
                  (whole || ctx.message[0] != '\0'),
              "%zu bytes: %s: %s", n, mw_status_text(status), ctx.message);
        mw_problem_free(&problem);
        mw_ctx_free(&ctx);
    }
}

static mw_status optimum(mw_ctx *ctx, mw_problem *problem,
                         mw_solve_result *result)
{
    mw_solve_options options = {.solver = "brute"};
    return mw_solve(ctx, problem, &options, &problem->arena, result);
}

static mw_status write_and_read(mw_ctx *ctx, const mw_problem *problem,
                                mw_problem *copy)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return mw_fail(ctx, MW_ENOMEM, "no memory stream");
    mw_status status = mw_problem_write(problem, ctx, file);
    (void)fclose(file);
    if (status == MW_OK)
        status = mw_problem_parse(copy, "written", text, length);
    free(text);
    return status;
}

static bool same_result(const mw_solve_result *a, const mw_solve_result *b)
{
    return a->status == b->status &&
           (a->status != MW_SOLVE_OPTIMAL || a->objective == b->objective);
}

static void write_then_read(void)
{
    static const mw_random_shape shape = {4, 3, 5, true, true, 3};
    for (uint64_t seed = 1; seed <= 80; seed++) {
        mw_ctx ctx;
        mw_problem problem, copy;
        mw_solve_result want = {0}, got = {0};
        uint64_t state = seed;
        mw_ctx_init(&ctx);
        mw_problem_init(&problem, &ctx);
        mw_problem_init(&copy, &ctx);
        mw_status status = mw_random_problem(&problem, &shape, &state);
        if (status == MW_OK)
            status = write_and_read(&ctx, &problem, &copy);
        if (status == MW_OK)
            status = optimum(&ctx, &problem, &want);
        if (status == MW_OK)
            status = optimum(&ctx, &copy, &got);
        CHECK(status == MW_OK && same_result(&want, &got), "seed %llu: %s",
              (unsigned long long)seed, ctx.message);
        mw_problem_free(&copy);
        mw_problem_free(&problem);
        mw_ctx_free(&ctx);
    }
}

// Two nodes whose costs together pass 2^63, one of them shared memory.
static void wide_totals(void)
{
    static const int64_t cost[2] = {MW_INFINITE - 1, MW_INFINITE};
    enum { N = 200 };
    mw_ctx ctx;
    mw_problem problem;
    mw_solve_result result = {0};
    mw_solve_options options = {0};
    char text[48];
    mw_ctx_init(&ctx);
    mw_problem_init(&problem, &ctx);
    mw_status status = MW_OK;
    for (int i = 0; i < N && status == MW_OK; i++)
        status = mw_problem_add_node(&problem, 2, cost);
    if (status == MW_OK)
        status = mw_solve(&ctx, &problem, &options, &problem.arena, &result);
    CHECK(status == MW_OK && result.status == MW_SOLVE_OPTIMAL &&
              strcmp(mw_int128_text(result.objective, text),
                     "19999999999999999800") == 0,
          "%s, objective %s; %s", mw_solve_status_text(result.status),
          mw_int128_text(result.objective, text), ctx.message);
    mw_problem_free(&problem);
    mw_ctx_free(&ctx);
}

static const struct number_row {
    mw_int128 value;
    const char *text;
} numbers[] = {
    {0, "0"},
    {-1, "-1"},
    {INT64_MIN, "-9223372036854775808"},
    {(mw_int128)INT64_MAX * 10, "92233720368547758070"},
};

static void number_text(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[48];
        mw_int128_text(numbers[i].value, text);
        CHECK(strcmp(text, numbers[i].text) == 0, "got %s, want %s", text,
              numbers[i].text);
    }
}

static mw_status read_body(mw_ctx *ctx, void *text)
{
    mw_problem problem;
    mw_problem_init(&problem, ctx);
    mw_status status = mw_problem_parse(&problem, "f", text, strlen(text));
    mw_problem_free(&problem);
    return status;
}

static void no_memory(void)
{
    char good[] = "{\"problem\": {" NODES ", " EDGES ", " LIMIT "}}";
    check_oom("reading", read_body, good);
}

const mw_suite mw_suite_problem = {
    "problem",
    {
        {"bad text is refused with its place", bad_text},
        {"every cut of a good file is refused", every_cut},
        {"write then read keeps the optimum", write_then_read},
        {"totals beyond 64 bits", wide_totals},
        {"128-bit numbers as text", number_text},
        {"out of memory while reading", no_memory},
    },
};
