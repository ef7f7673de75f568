/* test_solver.c - every solver of the registry against brute force. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "search/problem_file.h"
#include "search/solver.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct shape_row {
    const char *name;
    mw_random_shape shape;
} shapes[] = {
    {"plain", {5, 3, 8, false, false, 1}},
    {"forbidden", {5, 3, 8, false, true, 1}},
    {"memory", {5, 3, 8, true, false, 1}},
    {"both", {6, 3, 10, true, true, 1}},
    {"sparse", {8, 2, 8, true, true, 1}},
    {"large costs", {5, 3, 8, true, true, INT64_C(9999999999999)}},
    {"wide costs", {5, 3, 8, true, true, INT64_C(9999999999999999)}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SEEDS = 60 };

static mw_status solve(mw_ctx *ctx, const mw_problem *problem,
                       const char *solver, const mw_exclusion *exclusions,
                       int32_t n_exclusions, mw_arena *arena,
                       mw_solve_result *result)
{
    mw_solve_options options = {.solver = solver,
                                .iterations = 50,
                                .exclusion = exclusions,
                                .n_exclusions = n_exclusions};
    return mw_solve(ctx, problem, &options, arena, result);
}

static bool agrees(const mw_solver_def *solver, const mw_solve_result *want,
                   const mw_solve_result *got)
{
    bool feasible =
        got->status == MW_SOLVE_FEASIBLE || got->status == MW_SOLVE_OPTIMAL;
    if (got->bounded && want->status == MW_SOLVE_OPTIMAL &&
        got->bound > want->objective)
        return false;
    if (want->status == MW_SOLVE_INFEASIBLE)
        return solver->exact ? got->status == MW_SOLVE_INFEASIBLE : !feasible;
    if (solver->exact)
        return got->status == MW_SOLVE_OPTIMAL &&
               got->objective == want->objective;
    return got->status != MW_SOLVE_INFEASIBLE &&
           (!feasible || got->objective >= want->objective);
}

static void compare(mw_ctx *ctx, const char *name, uint64_t seed,
                    const mw_problem *problem, const mw_exclusion *exclusions,
                    int32_t n_exclusions)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_solve_result want = {0}, got = {0};
    mw_status status =
        solve(ctx, problem, "brute", exclusions, n_exclusions, &arena, &want);
    CHECK(status == MW_OK, "%s %llu: brute: %s", name, (unsigned long long)seed,
          ctx->message);
    for (int i = 0; i < mw_solver_count; i++) {
        const mw_solver_def *solver = mw_solver_table[i];
        status = solve(ctx, problem, solver->name, exclusions, n_exclusions,
                       &arena, &got);
        char a[48], b[48];
        CHECK(status == MW_OK && agrees(solver, &want, &got),
              "%s, seed %llu, %d exclusions, %s: %s %s, brute %s %s; %s", name,
              (unsigned long long)seed, n_exclusions, solver->name,
              mw_solve_status_text(got.status),
              mw_int128_text(got.objective, a),
              mw_solve_status_text(want.status),
              mw_int128_text(want.objective, b), ctx->message);
        mw_ctx_clear(ctx);
    }
    mw_arena_free(&arena);
}

static void every_solver_equals_brute(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
            mw_ctx ctx;
            mw_problem problem;
            uint64_t state = seed * 1000 + (uint64_t)i;
            mw_ctx_init(&ctx);
            mw_problem_init(&problem, &ctx);
            mw_status status =
                mw_random_problem(&problem, &shapes[i].shape, &state);
            if (CHECK(status == MW_OK, "%s: %s", shapes[i].name, ctx.message))
                compare(&ctx, shapes[i].name, seed, &problem, NULL, 0);
            mw_problem_free(&problem);
            mw_ctx_free(&ctx);
        }
    }
}

// The two best choices over some of the nodes are excluded one after the other.
static void exclude_twice(mw_ctx *ctx, const mw_problem *problem, uint64_t seed)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_exclusion exclusions[2];
    mw_solve_result best;
    int32_t n = (problem->n_nodes + 1) / 2;
    for (int k = 0; k < 2; k++) {
        mw_status status =
            solve(ctx, problem, "brute", exclusions, k, &arena, &best);
        if (!CHECK(status == MW_OK, "seed %llu: %s", (unsigned long long)seed,
                   ctx->message) ||
            best.status != MW_SOLVE_OPTIMAL)
            break;
        int32_t *nodes = MW_NEW_ARRAY(&arena, n, int32_t);
        int32_t *strategies = MW_NEW_ARRAY(&arena, n, int32_t);
        for (int32_t i = 0; nodes && strategies && i < n; i++) {
            nodes[i] = 2 * i;
            strategies[i] = best.choice[2 * i];
        }
        exclusions[k] = (mw_exclusion){n, nodes, strategies};
        compare(ctx, "excluding", seed, problem, exclusions, k + 1);
    }
    mw_arena_free(&arena);
}

static void exclusions_are_kept(void)
{
    static const mw_random_shape shape = {4, 3, 5, true, true, 1};
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        mw_ctx ctx;
        mw_problem problem;
        uint64_t state = seed;
        mw_ctx_init(&ctx);
        mw_problem_init(&problem, &ctx);
        if (CHECK(mw_random_problem(&problem, &shape, &state) == MW_OK,
                  "random problem: %s", ctx.message))
            exclude_twice(&ctx, &problem, seed);
        mw_problem_free(&problem);
        mw_ctx_free(&ctx);
    }
}

// Reads a compressed file of the public problems; false when it is not there.
static bool read_public(mw_problem *problem, const char *name)
{
    char command[512];
    const char *folder = mw_shared_path();
    (void)snprintf(command, sizeof command,
                   "gzip -dc '%s/iopddl/asplos-2025-iopddl-%s.json.gz' "
                   "2>/dev/null",
                   folder, name);
    FILE *pipe = popen(command, "r");
    mw_text text;
    char block[4096];
    mw_text_init(&text, problem->arena.ctx);
    for (size_t n; pipe && (n = fread(block, 1, sizeof block, pipe)) > 0;)
        mw_text_add_bytes(&text, block, n);
    if (pipe)
        (void)pclose(pipe);
    bool there = text.length > 0;
    if (there)
        CHECK(mw_problem_parse(problem, name, text.data, text.length) == MW_OK,
              "%s: %s", name, problem->arena.ctx->message);
    mw_text_free(&text);
    return there;
}

// The best cost published for an instance, from the table beside the files.
static bool published_cost(const char *name, char *cost, size_t size)
{
    char path[512], line[512];
    (void)snprintf(path, sizeof path, "%s/iopddl/best_known.tsv",
                   mw_shared_path());
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        char instance[32], known[64];
        found = sscanf(line,
                       "%31[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]"
                       "\t%63[^\t]",
                       instance, known) == 2 &&
                strcmp(instance, name) == 0;
        if (found)
            (void)snprintf(cost, size, "%s", known);
    }
    if (file)
        (void)fclose(file);
    return found;
}

static void public_problems(void)
{
    static const char *const names[] = {"B", "G"};
    for (int i = 0; i < 2; i++) {
        mw_ctx ctx;
        mw_problem problem;
        mw_solve_result result = {0};
        mw_solve_options options = {.time_limit_s = 60};
        char want[64], got[48];
        mw_ctx_init(&ctx);
        mw_problem_init(&problem, &ctx);
        if (!read_public(&problem, names[i]) ||
            !published_cost(names[i], want, sizeof want)) {
            SKIP("public problem %s: no %s/iopddl", names[i], mw_shared_path());
        } else {
            mw_status status =
                mw_solve(&ctx, &problem, &options, &problem.arena, &result);
            CHECK(status == MW_OK && result.status == MW_SOLVE_OPTIMAL &&
                      result.proof == MW_PROOF_EXACT &&
                      strcmp(mw_int128_text(result.objective, got), want) == 0,
                  "%s: %s, %s, want %s; %s", names[i],
                  mw_solve_status_text(result.status), got, want, ctx.message);
        }
        mw_problem_free(&problem);
        mw_ctx_free(&ctx);
    }
}

enum { MANY = 1500, FEW = 3 };

// A node with many strategies beside one with few; the limit lies where it
// decides.
static mw_status make_many(mw_problem *problem, uint64_t *state)
{
    int64_t *cost = MW_NEW_ARRAY(&problem->arena, MANY, int64_t);
    int64_t *usage = MW_NEW_ARRAY(&problem->arena, MANY, int64_t);
    int64_t *edge = MW_NEW_ARRAY(&problem->arena, MANY * FEW, int64_t);
    static const int64_t few[FEW] = {10, 5, 0}, takes[FEW] = {0, 300, 700};
    if (!cost || !usage || !edge)
        return MW_ENOMEM;
    for (int i = 0; i < MANY; i++) {
        cost[i] = (int64_t)(mw_test_random(state) % 500);
        usage[i] = (int64_t)(mw_test_random(state) % 1000);
    }
    for (int i = 0; i < MANY * FEW; i++)
        edge[i] = (int64_t)(mw_test_random(state) % 100);
    problem->limit = 300 + (int64_t)(mw_test_random(state) % 500);
    MW_TRY(mw_problem_add_node(problem, MANY, cost));
    MW_TRY(mw_problem_add_node(problem, FEW, few));
    MW_TRY(mw_problem_add_term(problem, 0, 0, 5, usage));
    MW_TRY(mw_problem_add_term(problem, 1, 3, 8, takes));
    return mw_problem_add_edge(problem, 0, 1, edge, false);
}

static void many_strategies(void)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        mw_ctx ctx;
        mw_problem problem;
        uint64_t state = seed;
        mw_solve_result want = {0}, got = {0};
        mw_ctx_init(&ctx);
        mw_problem_init(&problem, &ctx);
        mw_status status = make_many(&problem, &state);
        if (status == MW_OK)
            status =
                solve(&ctx, &problem, "brute", NULL, 0, &problem.arena, &want);
        if (status == MW_OK)
            status = solve(&ctx, &problem, NULL, NULL, 0, &problem.arena, &got);
        CHECK(status == MW_OK && got.status == want.status &&
                  got.objective == want.objective,
              "seed %llu: %lld, brute %lld; %s", (unsigned long long)seed,
              (long long)got.objective, (long long)want.objective, ctx.message);
        mw_problem_free(&problem);
        mw_ctx_free(&ctx);
    }
}

// The same seed and iterations give the same choice, also on two threads.
static void runs_repeat(void)
{
    static const mw_random_shape shape = {60, 6, 150, true, false, 97};
    mw_ctx ctx;
    mw_problem problem;
    uint64_t state = 5;
    mw_ctx_init(&ctx);
    mw_problem_init(&problem, &ctx);
    mw_status status = mw_random_problem(&problem, &shape, &state);
    mw_solve_result result[2];
    for (int i = 0; i < 2 && status == MW_OK; i++)
        status =
            solve(&ctx, &problem, NULL, NULL, 0, &problem.arena, &result[i]);
    CHECK(status == MW_OK && result[0].status == result[1].status &&
              result[0].bound == result[1].bound &&
              (!result[0].choice ||
               memcmp(result[0].choice, result[1].choice,
                      (size_t)problem.n_nodes * sizeof(int32_t)) == 0),
          "two runs differ; %s", ctx.message);
    mw_problem_free(&problem);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_solver = {
    "solver",
    {
        {"every solver equals brute force", every_solver_equals_brute},
        {"exclusions are kept", exclusions_are_kept},
        {"public problems are proved", public_problems},
        {"many strategies of one node", many_strategies},
        {"runs repeat", runs_repeat},
    },
};
