/* test_shrink.c - problems shrunk and tied, against brute force and the judge.
 */
#include <stdio.h>

#include "search/problem_tie.h"
#include "search/shrink.h"
#include "search/solver.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct shape_row {
    const char *name;
    mw_random_shape shape;
} shapes[] = {
    {"plain", {6, 3, 8, false, false, 1}},
    {"forbidden", {6, 3, 9, false, true, 1}},
    {"memory", {6, 3, 7, true, false, 1}},
    {"both", {6, 3, 9, true, true, 1}},
    {"tree-like", {8, 3, 7, true, true, 7}},
    {"large costs", {6, 3, 9, true, true, INT64_C(999999999999)}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SEEDS = 60 };

/* One random problem; what was made of vectors stays from the one before. */
typedef struct scene {
    mw_ctx *ctx;
    mw_alike *all;
    mw_problem problem;
    mw_arena arena;
    uint64_t random;
    char name[64];
} scene;

static bool brute(scene *s, const mw_problem *problem, mw_solve_result *result)
{
    mw_solve_options options = {.solver = "brute"};
    mw_status status = mw_solve(s->ctx, problem, &options, &s->arena, result);
    return CHECK(status == MW_OK, "%s: %s", s->name, s->ctx->message);
}

static bool judge(scene *s, const mw_problem *problem, const int32_t *choice,
                  mw_evaluation *found)
{
    mw_status status = mw_problem_evaluate(problem, s->ctx, choice, found);
    return CHECK(status == MW_OK, "%s: %s", s->name, s->ctx->message);
}

// The optimum goes there and comes back.
static void compare_optima(scene *s, const mw_shrunk *shrunk,
                           const mw_solve_result *want)
{
    mw_solve_result got = {0};
    mw_evaluation found;
    int32_t *choice = MW_NEW_ARRAY(&s->arena, s->problem.n_nodes, int32_t);
    int32_t *small = MW_NEW_ARRAY(&s->arena, shrunk->small.n_nodes, int32_t);
    if (!choice || !small || !brute(s, &shrunk->small, &got))
        return;
    CHECK(got.status == want->status, "%s: the small one is %s, the whole %s",
          s->name, mw_solve_status_text(got.status),
          mw_solve_status_text(want->status));
    if (got.status != MW_SOLVE_OPTIMAL || want->status != MW_SOLVE_OPTIMAL)
        return;
    mw_shrunk_expand(shrunk, got.choice, choice);
    if (judge(s, &s->problem, choice, &found))
        CHECK(found.cost == want->objective && got.objective == found.cost &&
                  !found.forbidden && found.excess <= 0,
              "%s: the small one has %lld, expanded %lld (%d, %lld over) where "
              "the whole has %lld",
              s->name, (long long)got.objective, (long long)found.cost,
              found.forbidden, (long long)found.excess,
              (long long)want->objective);
    bool allowed = mw_shrunk_restrict(shrunk, want->choice, small);
    if (CHECK(allowed, "%s: the whole's optimum has no place in the small one",
              s->name) &&
        judge(s, &shrunk->small, small, &found))
        CHECK(found.cost == want->objective && !found.forbidden &&
                  found.excess <= 0,
              "%s: the whole's optimum costs more in the small one", s->name);
}

static void shrink_one(scene *s)
{
    static const mw_deadline never = {0};
    mw_solve_result want = {0};
    mw_shrunk shrunk;
    bool *kept = MW_NEW_ARRAY(&s->arena, s->problem.n_nodes, bool);
    if (!kept || !brute(s, &s->problem, &want))
        return;
    int32_t stays =
        (int32_t)(mw_test_random(&s->random) % (uint64_t)s->problem.n_nodes);
    kept[stays] = mw_test_random(&s->random) % 3 == 0;
    mw_status status = mw_shrink(&shrunk, s->all, &s->problem, kept, &never);
    if (CHECK(status == MW_OK && !shrunk.same, "%s: %s", s->name,
              s->ctx->message)) {
        if (shrunk.infeasible)
            CHECK(want.status == MW_SOLVE_INFEASIBLE,
                  "%s: said to be infeasible, and is not", s->name);
        else
            compare_optima(s, &shrunk, &want);
        if (kept[stays] && !shrunk.infeasible)
            CHECK(shrunk.small_of[stays] != MW_NOTHING &&
                      shrunk.small.node[shrunk.small_of[stays]].n_strategies ==
                          s->problem.node[stays].n_strategies,
                  "%s: node %d was to be kept", s->name, stays);
    }
    mw_shrunk_free(&shrunk);
}

static bool joined(const mw_problem *problem, const int32_t *tie, int32_t a,
                   int32_t b)
{
    for (int32_t i = 0; i < problem->n_edges; i++) {
        int32_t x = tie[problem->edge[i].a], y = tie[problem->edge[i].b];
        if ((x == a && y == b) || (x == b && y == a))
            return true;
    }
    return false;
}

// Every choice of the tied problem is one of the whole at the same figures.
static void tie_one(scene *s)
{
    mw_problem tied;
    int32_t n = s->problem.n_nodes;
    int32_t *tie = MW_NEW_ARRAY(&s->arena, n, int32_t);
    int32_t *node = MW_NEW_ARRAY(&s->arena, n, int32_t);
    int32_t *choice = MW_NEW_ARRAY(&s->arena, n, int32_t);
    int32_t *whole = MW_NEW_ARRAY(&s->arena, n, int32_t);
    mw_problem_init(&tied, s->ctx);
    bool good = tie && node && choice && whole;
    for (int32_t i = 0; good && i < n; i++) {
        int32_t to = (int32_t)(mw_test_random(&s->random) % (uint64_t)(i + 1));
        bool alike = s->problem.node[i].n_strategies ==
                     s->problem.node[tie[to]].n_strategies;
        tie[i] = i;
        if (to < i && alike && !joined(&s->problem, tie, i, tie[to]))
            tie[i] = tie[to];
    }
    good = good && mw_problem_tie(&s->problem, tie, &tied, node) == MW_OK;
    CHECK(good, "%s: %s", s->name, s->ctx->message);
    for (int k = 0; good && k < 20; k++) {
        mw_evaluation a, b;
        for (int32_t i = 0; i < tied.n_nodes; i++)
            choice[i] = (int32_t)(mw_test_random(&s->random) %
                                  (uint64_t)tied.node[i].n_strategies);
        for (int32_t i = 0; i < n; i++)
            whole[i] = choice[node[i]];
        if (judge(s, &tied, choice, &a) && judge(s, &s->problem, whole, &b))
            CHECK(a.forbidden == b.forbidden && a.excess == b.excess &&
                      (a.forbidden || a.cost == b.cost),
                  "%s: tied and whole differ in choice %d", s->name, k);
    }
    mw_problem_free(&tied);
}

static void for_all(void (*check)(scene *s))
{
    mw_ctx ctx;
    mw_alike all;
    mw_ctx_init(&ctx);
    mw_alike_init(&all, &ctx);
    for (int i = 0; i < N_SHAPES * N_SEEDS; i++) {
        const struct shape_row *row = &shapes[i % N_SHAPES];
        scene s = {.ctx = &ctx, .all = &all, .random = (uint64_t)i + 1};
        mw_arena_init(&s.arena, &ctx);
        mw_problem_init(&s.problem, &ctx);
        (void)snprintf(s.name, sizeof s.name, "%s, seed %d", row->name, i);
        mw_status status =
            mw_random_problem(&s.problem, &row->shape, &s.random);
        if (CHECK(status == MW_OK, "%s: %s", s.name, ctx.message))
            check(&s);
        mw_problem_free(&s.problem);
        mw_arena_free(&s.arena);
    }
    mw_alike_free(&all);
    mw_ctx_free(&ctx);
}

static void shrunk_keep_the_optimum(void)
{
    for_all(shrink_one);
}

static void tied_are_choices_of_the_whole(void)
{
    for_all(tie_one);
}

const mw_suite mw_suite_shrink = {
    "shrink",
    {
        {"shrunk problems keep the optimum", shrunk_keep_the_optimum},
        {"tied choices are choices of the whole",
         tied_are_choices_of_the_whole},
    }};
