/* test_trim.c - what is trimmed is in no choice that is cheap enough. */
#include "search/trim.h"
#include "tests/random_problem.h"
#include "tests/test.h"

static const struct shape_row {
    const char *name;
    mw_random_shape shape;
} shapes[] = {
    {"plain", {6, 4, 9, false, false, 1}},
    {"forbidden", {6, 4, 9, false, true, 5}},
    {"sparse", {9, 3, 9, false, true, 1000}},
    {"wide costs", {5, 3, 8, false, true, INT64_C(9999999999999999)}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_SEEDS = 80 };

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_problem problem;
    const char *name;
    uint64_t seed;
    int64_t n_gone; /* of all strategies that were trimmed */
} scene;

static bool next(const mw_problem *problem, int32_t *choice)
{
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        if (++choice[i] < problem->node[i].n_strategies)
            return true;
        choice[i] = 0;
    }
    return false;
}

static mw_int128 cost_of(scene *s, const int32_t *choice)
{
    mw_evaluation value;
    mw_status status =
        mw_problem_evaluate(&s->problem, &s->ctx, choice, &value);
    return status != MW_OK || value.forbidden ? (mw_int128)1 << 100
                                              : value.cost;
}

// All choices below the cost have all their strategies left.
static void check_below(scene *s, mw_int128 below, int32_t *choice)
{
    const mw_problem *problem = &s->problem;
    static const mw_deadline never = {0};
    uint8_t **keep = MW_NEW_ARRAY(&s->arena, problem->n_nodes, uint8_t *);
    bool none = false;
    for (int32_t i = 0; keep && i < problem->n_nodes; i++) {
        int32_t n = problem->node[i].n_strategies;
        keep[i] = MW_NEW_ARRAY(&s->arena, n, uint8_t);
        for (int32_t k = 0; keep[i] && k < n; k++)
            keep[i][k] = 1;
        choice[i] = 0;
    }
    mw_status status = mw_trim(&s->ctx, problem, below, &never, keep, &none);
    if (!CHECK(status == MW_OK, "%s: %s", s->name, s->ctx.message))
        return;
    bool all_there = true;
    do {
        if (cost_of(s, choice) >= below)
            continue;
        all_there = all_there && !none;
        for (int32_t i = 0; i < problem->n_nodes; i++)
            all_there = all_there && keep[i][choice[i]];
    } while (next(problem, choice));
    CHECK(all_there, "%s, seed %llu: a choice below %lld was trimmed", s->name,
          (unsigned long long)s->seed, (long long)below);
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        for (int32_t k = 0; k < problem->node[i].n_strategies; k++)
            s->n_gone += none || !keep[i][k];
    }
}

static void trim_one(scene *s, const mw_random_shape *shape, uint64_t state)
{
    mw_status status = mw_random_problem(&s->problem, shape, &state);
    int32_t *choice = MW_NEW_ARRAY(&s->arena, s->problem.n_nodes + 1, int32_t);
    if (!CHECK(status == MW_OK && choice, "%s: %s", s->name, s->ctx.message))
        return;
    mw_int128 least = (mw_int128)1 << 100;
    do {
        mw_int128 cost = cost_of(s, choice);
        least = cost < least ? cost : least;
    } while (next(&s->problem, choice));
    if (least >= (mw_int128)1 << 100)
        least = 0;
    const int64_t more[] = {0, 1, 3 * shape->unit, 20 * shape->unit};
    for (int i = 0; i < 4; i++)
        check_below(s, least + more[i], choice);
}

static void cheap_choices_stay(void)
{
    for (int i = 0; i < N_SHAPES; i++) {
        scene s = {.name = shapes[i].name};
        for (s.seed = 1; s.seed <= N_SEEDS; s.seed++) {
            mw_ctx_init(&s.ctx);
            mw_arena_init(&s.arena, &s.ctx);
            mw_problem_init(&s.problem, &s.ctx);
            trim_one(&s, &shapes[i].shape, s.seed * 1000 + (uint64_t)i);
            mw_problem_free(&s.problem);
            mw_arena_free(&s.arena);
            mw_ctx_free(&s.ctx);
        }
        // Costs that are rounded leave all as it is.
        CHECK(s.n_gone > 0 || i == N_SHAPES - 1, "%s: nothing was trimmed",
              s.name);
    }
}

const mw_suite mw_suite_trim = {
    "trim",
    {
        {"cheap choices stay", cheap_choices_stay},
    },
};
