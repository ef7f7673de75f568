/* test_least_limit.c - the least memory that would do against counting, and
 * solvers that run out of memory. */
#include "search/least_limit.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct row {
    const char *name;
    mw_random_shape shape;
} rows[] = {
    {"memory", {5, 3, 8, true, false, 1}},
    {"both", {6, 3, 10, true, true, 1}},
    {"sparse", {8, 2, 8, true, true, 1}},
};
enum { N_ROWS = sizeof rows / sizeof rows[0], N_SEEDS = 40 };

static mw_solve_status count_out(mw_ctx *ctx, mw_problem *problem,
                                 int64_t limit)
{
    mw_solve_options options = {.solver = "brute"};
    mw_solve_result result = {0};
    problem->limit = limit;
    mw_status status =
        mw_solve(ctx, problem, &options, &problem->arena, &result);
    CHECK(status == MW_OK, "brute: %s", ctx->message);
    return result.status;
}

// A choice fits the limit that is named, and none fits one byte less.
static void compare(mw_ctx *ctx, const char *name, uint64_t seed,
                    mw_problem *problem)
{
    mw_solve_options options = {.iterations = 50};
    mw_least_limit least = {0};
    mw_status status = mw_least_limit_find(ctx, problem, &options, &least);
    if (!CHECK(status == MW_OK, "%s, seed %llu: %s", name,
               (unsigned long long)seed, ctx->message))
        return;
    bool any = count_out(ctx, problem, MW_NO_LIMIT) == MW_SOLVE_OPTIMAL;
    CHECK(least.has_found == any && least.impossible == !any,
          "%s, seed %llu: found %d, impossible %d", name,
          (unsigned long long)seed, least.has_found, least.impossible);
    if (!any || !least.has_found)
        return;
    bool fits = count_out(ctx, problem, least.found) == MW_SOLVE_OPTIMAL;
    bool less = least.found > 0 &&
                count_out(ctx, problem, least.found - 1) == MW_SOLVE_OPTIMAL;
    CHECK(fits && !less && least.bound == least.found,
          "%s, seed %llu: %lld to %lld, fits %d, less fits %d", name,
          (unsigned long long)seed, (long long)least.bound,
          (long long)least.found, fits, less);
}

static void equals_counting(void)
{
    for (int i = 0; i < N_ROWS; i++) {
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
            mw_ctx ctx;
            mw_problem problem;
            uint64_t state = seed * 1000 + (uint64_t)i;
            mw_ctx_init(&ctx);
            mw_problem_init(&problem, &ctx);
            mw_status status =
                mw_random_problem(&problem, &rows[i].shape, &state);
            if (CHECK(status == MW_OK, "%s: %s", rows[i].name, ctx.message))
                compare(&ctx, rows[i].name, seed, &problem);
            mw_problem_free(&problem);
            mw_ctx_free(&ctx);
        }
    }
}

typedef struct oom_case {
    const mw_random_shape *shape;
    const char *solver; /* NULL: the least limit */
    uint64_t seed;
} oom_case;

static mw_status solve_body(mw_ctx *ctx, void *argument)
{
    const oom_case *c = argument;
    mw_problem problem;
    mw_solve_result result;
    mw_least_limit least;
    uint64_t state = c->seed;
    mw_solve_options options = {.solver = c->solver, .iterations = 20};
    mw_problem_init(&problem, ctx);
    mw_status status = mw_random_problem(&problem, c->shape, &state);
    if (status == MW_OK && c->solver)
        status = mw_solve(ctx, &problem, &options, &problem.arena, &result);
    else if (status == MW_OK)
        status = mw_least_limit_find(ctx, &problem, &options, &least);
    mw_problem_free(&problem);
    return status;
}

static void no_memory(void)
{
    for (int i = 0; i < N_ROWS; i++) {
        for (int k = 0; k <= mw_solver_count; k++) {
            oom_case c = {.shape = &rows[i].shape, .seed = 7 + (uint64_t)i};
            if (k < mw_solver_count)
                c.solver = mw_solver_table[k]->name;
            check_oom(c.solver ? c.solver : "least limit", solve_body, &c);
        }
    }
}

const mw_suite mw_suite_least_limit = {
    "least_limit",
    {
        {"the least limit is what counting says", equals_counting},
        {"solvers that run out of memory say so", no_memory},
        {NULL, NULL},
    },
};
