/* test_tied.c - equal layers tied under a limit: what is said to be proved is
 * the optimum of the tied problem with every step limited, solved whole. With
 * the layers free there is no end to their exchanges: that is cut short. */
#include "base/text.h"
#include "search/layout_hunt.h"
#include "search/layout_layers.h"
#include "search/problem_tie.h"
#include "tests/search_scene.h"
#include "tests/test.h"

enum { LAYERS = 5 };
static const double cut_s = 20;

// Layers with two weights each and a value that passes by.
static void write_model(mw_text *text)
{
    mw_text_add(text, "model layers\ndim batch = 6\ndim d = 8\ndim e = 12\n"
                      "input x0 : f32[batch, d]\n");
    for (int i = 0; i < LAYERS; i++)
        mw_text_format(text, "param u%d : f32[d, e]\nparam v%d : f32[e, d]\n",
                       i, i);
    for (int i = 0; i < LAYERS; i++)
        mw_text_format(text,
                       "h%d = einsum(x%d, u%d) : f32[batch, e]\n"
                       "a%d = relu(h%d) : f32[batch, e]\n"
                       "y%d = einsum(a%d, v%d) : f32[batch, d]\n"
                       "x%d = add(x%d, y%d) : f32[batch, d]\n",
                       i, i, i, i, i, i, i, i, i + 1, i, i);
    mw_text_format(text, "output x%d\n", LAYERS);
}

// The least time with all layers alike; -1 when nothing fits.
static int64_t solve_whole(mw_hunt *hunt, mw_arena *arena, int64_t limit)
{
    const mw_space *space = hunt->space;
    mw_layers layers[MW_MOST_LAYERS];
    mw_problem whole, tied;
    mw_solve_options options = {0};
    mw_solve_result result = {0};
    int n = 0;
    mw_problem_row *row = MW_NEW_ARRAY(arena, space->n_steps, mw_problem_row);
    mw_problem_init(&whole, space->ctx);
    mw_problem_init(&tied, space->ctx);
    for (int k = 0; row && k < space->n_steps; k++)
        row[k] = (mw_problem_row){k, limit};
    mw_status status = mw_layers_find(space, arena, layers, &n);
    if (status == MW_OK)
        status = mw_space_problem(&hunt->tables, MW_COST_TIME, row,
                                  space->n_steps, &whole);
    int32_t *tie = MW_NEW_ARRAY(arena, whole.n_nodes, int32_t);
    int32_t *node = MW_NEW_ARRAY(arena, whole.n_nodes, int32_t);
    if (status == MW_OK)
        status = mw_layers_tie(space, arena, layers, n, 1, tie);
    for (int32_t i = space->n_nodes; i < whole.n_nodes; i++)
        tie[i] = i;
    if (status == MW_OK)
        status = mw_problem_tie(&whole, tie, &tied, node);
    if (status == MW_OK)
        status = mw_solve(space->ctx, &tied, &options, arena, &result);
    CHECK(status == MW_OK && n == 1 && layers[0].count == LAYERS,
          "%d repetitions: %s", n, space->ctx->message);
    mw_problem_free(&tied);
    mw_problem_free(&whole);
    return result.status == MW_SOLVE_OPTIMAL ? (int64_t)result.objective : -1;
}

static void compare(mw_scene *s, const mw_space *space, const char *mesh)
{
    mw_budget budget = {.seed = 0};
    mw_hunt hunt;
    mw_answer free, least, got;
    bool good = mw_hunt_init(&hunt, space, &s->arena, &budget) == MW_OK &&
                mw_hunt_time(&hunt, MW_NO_LIMIT, NULL, &free) == MW_OK &&
                mw_hunt_least(&hunt, &least) == MW_OK;
    if (!CHECK(good && free.state && least.state, "%s: %s", mesh,
               s->ctx.message))
        return;
    int64_t low = least.figures.peak_bytes, high = free.figures.peak_bytes;
    const int64_t limit[] = {high, low + (high - low) / 2};
    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        hunt.budget.deadline = mw_deadline_in(cut_s);
        mw_status status = mw_hunt_time(&hunt, limit[i], NULL, &got);
        int64_t want = solve_whole(&hunt, &s->arena, limit[i]);
        CHECK(status == MW_OK &&
                  (want < 0 ? got.tied_by == 0
                            : got.tied_by == LAYERS && got.tied_ps == want &&
                                  got.figures.time_ps <= want),
              "%s, limit %lld: tied by %d %lld ps, solved whole %lld, free "
              "%lld; %s",
              mesh, (long long)limit[i], got.tied_by, (long long)got.tied_ps,
              (long long)want, (long long)got.figures.time_ps, s->ctx.message);
    }
    mw_hunt_close(&hunt);
}

static void tied_layers_are_proved(void)
{
    static const char *const meshes[] = {"2", "3"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        mw_scene s;
        mw_space space;
        mw_text text;
        mw_ctx ctx;
        mw_space_options options = {0};
        mw_ctx_init(&ctx);
        mw_text_init(&text, &ctx);
        write_model(&text);
        bool good = mw_scene_text(&s, meshes[i], text.data);
        if (good && CHECK(mw_space_build(&s.ctx, &s.arena, &s.on, &options,
                                         &space) == MW_OK,
                          "%s", s.ctx.message))
            compare(&s, &space, meshes[i]);
        mw_scene_close(&s);
        mw_text_free(&text);
        mw_ctx_free(&ctx);
    }
}

const mw_suite mw_suite_tied = {
    "tied",
    {
        {"tied layers are proved", tied_layers_are_proved},
    },
};
