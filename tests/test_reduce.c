/* test_reduce.c - each reduction alone and all together against brute force. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "search/net_export.h"
#include "search/reduce.h"
#include "search/solver.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct reduction_row {
    const char *name;
    unsigned which;
} reductions[] = {
    {"none", 0},
    {"single", MW_REDUCE_SINGLE},
    {"settle", MW_REDUCE_SETTLE},
    {"eliminate", MW_REDUCE_ELIMINATE},
    {"follow", MW_REDUCE_FOLLOW},
    {"leaf", MW_REDUCE_LEAF},
    {"dominate", MW_REDUCE_DOMINATE},
    {"rows", MW_REDUCE_ROWS},
    {"settle and dominate", MW_REDUCE_SETTLE | MW_REDUCE_DOMINATE},
    {"all but eliminate", MW_REDUCE_ALL & ~(unsigned)MW_REDUCE_ELIMINATE},
    {"all", MW_REDUCE_ALL},
};
enum { N_REDUCTIONS = sizeof reductions / sizeof reductions[0] };

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
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SEEDS = 50 };

typedef struct law {
    mw_ctx *ctx;
    const mw_problem *problem;
    mw_solve_result want; /* of the problem, by brute force */
    mw_arena arena;
    char name[96];
} law;

static bool solve_brute(law *l, const mw_problem *problem,
                        mw_solve_result *result)
{
    mw_solve_options options = {.solver = "brute"};
    mw_status status = mw_solve(l->ctx, problem, &options, &l->arena, result);
    return CHECK(status == MW_OK, "%s: %s", l->name, l->ctx->message);
}

// The rest's optimum expands to a choice that costs as the problem's optimum.
static void check_expanded(law *l, const mw_net *net, const int32_t *node_of,
                           const mw_solve_result *rest)
{
    int32_t *current = MW_NEW_ARRAY(&l->arena, net->n_nodes, int32_t);
    int32_t *choice = MW_NEW_ARRAY(&l->arena, net->n_nodes, int32_t);
    if (!current || !choice)
        return;
    for (int32_t i = 0; i < net->n_nodes_left; i++)
        current[node_of[i]] = rest->choice[i];
    mw_net_expand(net, current, choice);
    mw_evaluation found;
    mw_status status = mw_problem_evaluate(l->problem, l->ctx, choice, &found);
    CHECK(status == MW_OK && !found.forbidden && found.excess <= 0 &&
              found.cost == l->want.objective,
          "%s: the expanded choice is not an optimum", l->name);
    CHECK(mw_net_bound(net, mw_net_cost(net, current)) == found.cost,
          "%s: the net's cost is not the problem's", l->name);
}

// The problem's optimum has a place in what is left, and costs the same there.
static void check_restricted(law *l, const mw_net *net)
{
    int32_t *current = MW_NEW_ARRAY(&l->arena, net->n_nodes, int32_t);
    if (!current)
        return;
    bool there = mw_net_restrict(net, l->want.choice, current);
    CHECK(there &&
              mw_net_bound(net, mw_net_cost(net, current)) == l->want.objective,
          "%s: the optimum is lost", l->name);
}

static void check_rest(law *l, const mw_net *net)
{
    mw_problem rest;
    mw_solve_result got;
    bool infeasible = l->want.status == MW_SOLVE_INFEASIBLE;
    if (net->infeasible) {
        CHECK(infeasible, "%s: reduced to nothing", l->name);
        return;
    }
    int32_t *node_of = MW_NEW_ARRAY(&l->arena, net->n_nodes, int32_t);
    mw_problem_init(&rest, l->ctx);
    mw_status status = mw_net_export(net, &rest, node_of);
    if (CHECK(status == MW_OK, "%s: %s", l->name, l->ctx->message) &&
        solve_brute(l, &rest, &got) &&
        CHECK((got.status == MW_SOLVE_INFEASIBLE) == infeasible,
              "%s: feasible or not differs", l->name) &&
        !infeasible) {
        check_expanded(l, net, node_of, &got);
        check_restricted(l, net);
    }
    mw_problem_free(&rest);
}

static void check_reduction(law *l, const struct reduction_row *row)
{
    mw_net net;
    mw_status status = mw_net_init(&net, l->ctx, l->problem);
    if (status == MW_OK)
        status = mw_reduce(&net, row->which);
    if (CHECK(status == MW_OK, "%s: %s", l->name, l->ctx->message))
        check_rest(l, &net);
    mw_net_free(&net);
}

static void check_problem(const struct shape_row *shape, uint64_t seed)
{
    mw_ctx ctx;
    mw_problem problem;
    uint64_t state = seed * 77 + 1;
    mw_ctx_init(&ctx);
    mw_problem_init(&problem, &ctx);
    law l = {.ctx = &ctx, .problem = &problem};
    mw_arena_init(&l.arena, &ctx);
    mw_status status = mw_random_problem(&problem, &shape->shape, &state);
    (void)snprintf(l.name, sizeof l.name, "%s, seed %llu", shape->name,
                   (unsigned long long)seed);
    if (CHECK(status == MW_OK, "%s: %s", l.name, ctx.message) &&
        solve_brute(&l, &problem, &l.want)) {
        for (int k = 0; k < N_REDUCTIONS; k++) {
            (void)snprintf(l.name, sizeof l.name, "%s, seed %llu: %s",
                           shape->name, (unsigned long long)seed,
                           reductions[k].name);
            check_reduction(&l, &reductions[k]);
        }
    }
    mw_arena_free(&l.arena);
    mw_problem_free(&problem);
    mw_ctx_free(&ctx);
}

static void each_equals_brute(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++)
            check_problem(&shapes[i], seed);
    }
}

// A reduction that finds nothing on problems made for it would pass unseen.
static void each_finds_something(void)
{
    static const mw_random_shape shape = {6, 3, 8, true, true, 1};
    int found[N_REDUCTIONS] = {0};
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        for (int k = 1; k < N_REDUCTIONS; k++) {
            mw_ctx ctx;
            mw_problem problem;
            mw_net net = {.n_rows = 0};
            uint64_t state = seed;
            mw_ctx_init(&ctx);
            mw_problem_init(&problem, &ctx);
            mw_status status = mw_random_problem(&problem, &shape, &state);
            if (status == MW_OK)
                status = mw_net_init(&net, &ctx, &problem);
            int32_t rows = net.n_rows;
            int64_t strategies = 0, left = 0;
            for (int32_t i = 0; i < net.n_nodes; i++)
                strategies += net.node[i].n;
            if (status == MW_OK)
                status = mw_reduce(&net, reductions[k].which);
            for (int32_t i = 0; i < net.n_nodes; i++)
                left += net.node[i].n;
            found[k] +=
                status == MW_OK && (left < strategies || net.n_rows < rows);
            mw_net_free(&net);
            mw_problem_free(&problem);
            mw_ctx_free(&ctx);
        }
    }
    for (int k = 1; k < N_REDUCTIONS; k++)
        CHECK(found[k] > 0, "%s never reduces anything", reductions[k].name);
}

const mw_suite mw_suite_reduce = {
    "reduce",
    {
        {"each reduction equals brute force", each_equals_brute},
        {"each reduction finds something", each_finds_something},
    },
};
