/* test_coarse.c - elimination, and problems in which strategies are put
 * together, against counting all choices, and against each other where layers
 * repeat. */
#include <stdio.h>
#include <string.h>

#include "search/bucket.h"
#include "search/coarse.h"
#include "search/solver.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct shape_row {
    const char *name;
    mw_random_shape shape;
} shapes[] = {
    {"plain", {7, 4, 9, false, false, 1}},
    {"forbidden", {7, 4, 10, false, true, 1}},
    {"tree-like", {8, 3, 7, false, true, 7}},
    {"dense", {6, 4, 20, false, false, 3}},
    {"large costs", {6, 3, 9, false, true, INT64_C(999999999999)}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SEEDS = 60 };

/* Entries of an elimination: from what puts nearly all together to the usual.
 */
static const int64_t works[] = {1, 12, 60, 0};
enum { N_WORKS = sizeof works / sizeof works[0] };

typedef struct law {
    mw_ctx ctx;
    mw_arena arena;
    mw_problem problem;
    char name[96];
} law;

static void open_law(law *l)
{
    *l = (law){.name = ""};
    mw_ctx_init(&l->ctx);
    mw_arena_init(&l->arena, &l->ctx);
    mw_problem_init(&l->problem, &l->ctx);
}

static void close_law(law *l)
{
    mw_problem_free(&l->problem);
    mw_arena_free(&l->arena);
    mw_ctx_free(&l->ctx);
}

static uint64_t next(uint64_t *state, uint64_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (*state >> 33) % n;
}

// The optimum by elimination of the problem as it is.
static bool eliminate(law *l, int32_t *choice, mw_int128 *cost)
{
    mw_alike all;
    mw_bucket bucket;
    mw_deadline never = {0};
    bool late = true;
    mw_alike_init(&all, &l->ctx);
    mw_status status =
        mw_bucket_open(&bucket, &all, &l->problem, NULL, INT64_MAX);
    if (status == MW_OK)
        status = mw_bucket_run(&bucket, &never, INT64_MAX, choice, cost, &late);
    mw_bucket_close(&bucket);
    mw_alike_free(&all);
    return CHECK(status == MW_OK && !late, "%s: %s", l->name, l->ctx.message);
}

static bool costs(law *l, const int32_t *choice, mw_int128 cost)
{
    mw_evaluation found;
    mw_status status =
        mw_problem_evaluate(&l->problem, &l->ctx, choice, &found);
    return status == MW_OK && !found.forbidden && found.cost == cost;
}

static void check_bucket(law *l, const mw_solve_result *want)
{
    mw_int128 cost;
    int32_t *choice = MW_NEW_ARRAY(&l->arena, l->problem.n_nodes, int32_t);
    if (!choice || !eliminate(l, choice, &cost))
        return;
    if (want->status == MW_SOLVE_INFEASIBLE)
        CHECK(cost >= MW_INFINITE, "%s: nothing is allowed", l->name);
    else
        CHECK(cost == want->objective && costs(l, choice, cost),
              "%s: not an optimum", l->name);
}

// Whatever the work: the bound is one, the choice costs what is said, and with
// enough of it both are the optimum's.
static void check_coarse(law *l, int64_t work, bool infeasible,
                         mw_int128 optimum)
{
    mw_coarse_options options = {.work = work};
    mw_coarse_answer got;
    mw_status status = mw_coarse_solve(&l->arena, &l->problem, &options, &got);
    if (!CHECK(status == MW_OK, "%s: %s", l->name, l->ctx.message))
        return;
    CHECK(!got.infeasible || infeasible, "%s: not infeasible", l->name);
    CHECK(!got.choice || costs(l, got.choice, got.cost),
          "%s: its choice costs something else", l->name);
    CHECK(infeasible || !got.bounded || got.bound <= optimum,
          "%s: its bound is above the optimum", l->name);
    if (work > 0)
        return;
    if (infeasible)
        CHECK(got.infeasible, "%s: not proved infeasible", l->name);
    else
        CHECK(got.choice && got.bounded && got.cost == optimum &&
                  got.bound == optimum,
              "%s: the optimum is not proved", l->name);
}

static void check_problem(const struct shape_row *shape, uint64_t seed)
{
    law l;
    uint64_t state = seed * 71 + 3;
    mw_solve_options brute = {.solver = "brute"};
    mw_solve_result want;
    open_law(&l);
    mw_status status = mw_random_problem(&l.problem, &shape->shape, &state);
    (void)snprintf(l.name, sizeof l.name, "%s, seed %llu", shape->name,
                   (unsigned long long)seed);
    if (status == MW_OK)
        status = mw_solve(&l.ctx, &l.problem, &brute, &l.arena, &want);
    if (CHECK(status == MW_OK, "%s: %s", l.name, l.ctx.message)) {
        check_bucket(&l, &want);
        for (int i = 0; i < N_WORKS; i++)
            check_coarse(&l, works[i], want.status == MW_SOLVE_INFEASIBLE,
                         want.objective);
    }
    close_law(&l);
}

static void equals_brute(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++)
            check_problem(&shapes[i], seed);
    }
}

/* Layers: equal nodes and edges in each, joined to the next layer if chained,
 * with a node that all of them share; the last layer differs. */
enum { LAYERS = 30, NODES = 4, STATES = 5, MATRICES = 6 };

static int64_t *random_costs(law *l, uint64_t *state, int64_t n)
{
    int64_t *cost = MW_NEW_ARRAY(&l->arena, n, int64_t);
    for (int64_t i = 0; cost && i < n; i++)
        cost[i] = (int64_t)next(state, 60);
    return cost;
}

static mw_status add_layer(mw_problem *p, bool chained,
                           int64_t *const cost[NODES],
                           int64_t *const matrix[MATRICES])
{
    int32_t first = p->n_nodes;
    for (int32_t i = 0; i < NODES; i++)
        MW_TRY(mw_problem_add_node(p, STATES, cost[i]));
    for (int32_t i = 0; i < NODES; i++)
        MW_TRY(mw_problem_add_edge(p, first + i, first + (i + 1) % NODES,
                                   matrix[i], i % 2 == 1));
    MW_TRY(mw_problem_add_edge(p, 0, first, matrix[NODES], false));
    for (int32_t i = 0; chained && i < 2; i++)
        MW_TRY(mw_problem_add_edge(p, first - NODES + 2 * i, first + 2 * i,
                                   matrix[NODES + 1], false));
    return MW_OK;
}

static mw_status make_layers(law *l, uint64_t seed, bool chained)
{
    uint64_t state = seed;
    int64_t *cost[NODES], *matrix[MATRICES], *hub, *last[NODES];
    bool made = (hub = random_costs(l, &state, STATES)) != NULL;
    for (int i = 0; i < NODES; i++) {
        made = (cost[i] = random_costs(l, &state, STATES)) && made;
        made = (last[i] = random_costs(l, &state, STATES)) && made;
    }
    for (int i = 0; i < MATRICES; i++)
        made = (matrix[i] = random_costs(l, &state, STATES * STATES)) && made;
    if (!made)
        return MW_ENOMEM;
    MW_TRY(mw_problem_add_node(&l->problem, STATES, hub));
    for (int32_t i = 0; i < LAYERS; i++)
        MW_TRY(add_layer(&l->problem, chained && i > 0,
                         i < LAYERS - 1 ? cost : last, matrix));
    return MW_OK;
}

static void layers_equal_elimination(void)
{
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        law l;
        mw_int128 cost;
        open_law(&l);
        mw_status status = make_layers(&l, seed, true);
        int32_t *choice =
            MW_NEW_ARRAY(&l.arena, l.problem.n_nodes + 1, int32_t);
        (void)snprintf(l.name, sizeof l.name, "layers, seed %llu",
                       (unsigned long long)seed);
        if (CHECK(status == MW_OK && choice, "%s: %s", l.name, l.ctx.message) &&
            eliminate(&l, choice, &cost)) {
            CHECK(costs(&l, choice, cost), "%s: costs differ", l.name);
            for (int i = 0; i < N_WORKS; i++)
                check_coarse(&l, works[i] * 20, false, cost);
        }
        close_law(&l);
    }
}

// Equal layers are worked out once: far fewer tables than nodes.
static void layers_share_tables(void)
{
    law l;
    mw_alike all;
    mw_int128 cost;
    mw_deadline never = {0};
    bool late;
    open_law(&l);
    mw_alike_init(&all, &l.ctx);
    mw_bucket bucket = {0};
    mw_status status = make_layers(&l, 5, false);
    int32_t *choice = MW_NEW_ARRAY(&l.arena, l.problem.n_nodes + 1, int32_t);
    if (status == MW_OK)
        status = mw_bucket_open(&bucket, &all, &l.problem, NULL, INT64_MAX);
    int64_t n_entries = bucket.n_entries;
    if (status == MW_OK && choice)
        status =
            mw_bucket_run(&bucket, &never, n_entries / 8, choice, &cost, &late);
    CHECK(status == MW_OK && !late, "more than an eighth of %lld entries",
          (long long)n_entries);
    mw_bucket_close(&bucket);
    mw_alike_free(&all);
    close_law(&l);
}

const mw_suite mw_suite_coarse = {
    "coarse",
    {
        {"equals_brute", equals_brute},
        {"layers_equal_elimination", layers_equal_elimination},
        {"layers_share_tables", layers_share_tables},
    },
};
