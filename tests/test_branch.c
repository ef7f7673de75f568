/* test_branch.c - branching alone, from a poor choice, against brute force. */
#include "search/staged.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct shape_row {
    const char *name;
    mw_random_shape shape;
} shapes[] = {
    {"plain", {6, 3, 9, false, false, 1}},
    {"memory", {6, 4, 8, true, false, 7}},
    {"both", {6, 3, 8, true, true, 1000}},
    {"wide costs", {5, 3, 8, true, true, INT64_C(9999999999999)}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SEEDS = 60 };

// Offers the dearest of all choices that fit; false when none does.
static bool offer_dearest(mw_run *run, int32_t *choice)
{
    const mw_problem *problem = run->problem;
    int32_t *dearest = MW_NEW_ARRAY(run->arena, problem->n_nodes + 1, int32_t);
    mw_int128 most = -1;
    for (int32_t i = 0; i < problem->n_nodes; i++)
        choice[i] = 0;
    for (int32_t i = 0; dearest && i < problem->n_nodes;) {
        mw_evaluation value;
        if (mw_problem_evaluate(problem, run->ctx, choice, &value) != MW_OK)
            return false;
        if (!value.forbidden && value.excess <= 0 && value.cost > most) {
            most = value.cost;
            for (int32_t k = 0; k < problem->n_nodes; k++)
                dearest[k] = choice[k];
        }
        for (i = 0; i < problem->n_nodes; i++) {
            if (++choice[i] < problem->node[i].n_strategies)
                break;
            choice[i] = 0;
        }
    }
    return most >= 0 && mw_incumbent_offer_choice(&run->incumbent, run->ctx,
                                                  dearest, NULL) == MW_OK;
}

static void branch(mw_ctx *ctx, const char *name, uint64_t seed,
                   const mw_problem *problem, mw_arena *arena)
{
    mw_run run;
    bool done = false;
    mw_solve_options options = {0}, brute = {.solver = "brute"};
    mw_solve_result want = {0};
    int32_t *choice = MW_NEW_ARRAY(arena, problem->n_nodes + 1, int32_t);
    mw_status status = mw_run_init(&run, ctx, problem, &options, arena);
    if (status == MW_OK)
        status = mw_solve(ctx, problem, &brute, arena, &want);
    if (status == MW_OK && choice && offer_dearest(&run, choice)) {
        status = mw_run_branch(&run, &done);
        CHECK(status == MW_OK && done && run.incumbent.cost == want.objective &&
                  run.bound == want.objective,
              "%s, seed %llu: %lld, bound %lld, brute %lld; %s", name,
              (unsigned long long)seed, (long long)run.incumbent.cost,
              (long long)run.bound, (long long)want.objective, ctx->message);
    } else {
        CHECK(status == MW_OK && want.status == MW_SOLVE_INFEASIBLE,
              "%s, seed %llu: nothing fits, brute %s; %s", name,
              (unsigned long long)seed, mw_solve_status_text(want.status),
              ctx->message);
    }
    mw_run_free(&run);
}

static void branching_equals_brute(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
            mw_ctx ctx;
            mw_problem problem;
            mw_arena arena;
            uint64_t state = seed * 1000 + (uint64_t)i;
            mw_ctx_init(&ctx);
            mw_arena_init(&arena, &ctx);
            mw_problem_init(&problem, &ctx);
            mw_status status =
                mw_random_problem(&problem, &shapes[i].shape, &state);
            if (CHECK(status == MW_OK, "%s: %s", shapes[i].name, ctx.message))
                branch(&ctx, shapes[i].name, seed, &problem, &arena);
            mw_problem_free(&problem);
            mw_arena_free(&arena);
            mw_ctx_free(&ctx);
        }
    }
}

const mw_suite mw_suite_branch = {
    "branch",
    {
        {"branching equals brute force", branching_equals_brute},
    },
};
