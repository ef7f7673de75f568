/* test_search.c - the layout search against brute force and against plans. */
#include <stdio.h>

#include "search/layout_price.h"
#include "tests/layout_brute.h"
#include "tests/search_scene.h"
#include "tests/test.h"

static bool open_space(mw_scene *s, mw_space *space, const char *mesh,
                       int n_ops, uint64_t *state)
{
    mw_space_options options = {0};
    if (!mw_scene_random(s, mesh, n_ops, state))
        return false;
    return CHECK(mw_space_build(&s->ctx, &s->arena, &s->on, &options, space) ==
                     MW_OK,
                 "%s", s->ctx.message);
}

static const char *const meshes[] = {"2", "3", "4", "2x2", "2x3x2"};
enum { N_MESHES = sizeof meshes / sizeof meshes[0] };

// Time, peak and every step's bytes of a complete choice, by the tables and by
// the plan.
static void compare_with_plan(mw_scene *s, const mw_space *space,
                              const int32_t *state, const char *name)
{
    mw_space_figures figures = {0};
    mw_choices choices;
    mw_plan plan = {0};
    int64_t *live = MW_NEW_ARRAY(&s->arena, space->n_steps, int64_t);
    bool good =
        live && mw_space_choices(space, &s->arena, state, &choices) == MW_OK;
    if (good)
        mw_space_evaluate(space, state, live, &figures);
    if (good && !figures.forbidden)
        good = mw_plan_build(&s->arena, &s->graph, s->on.resharder, &s->costs,
                             &choices, false, &plan) == MW_OK;
    if (!CHECK(good, "%s: %s", name, s->ctx.message) || figures.forbidden)
        return;
    bool same = figures.time_ps == plan.time_ps &&
                figures.peak_bytes == plan.live_peak_bytes;
    for (int k = 0; k < space->n_steps; k++)
        same = same && live[k] == plan.live_bytes[k];
    CHECK(same, "%s: %lld ps, %lld bytes where the plan has %lld and %lld",
          name, (long long)figures.time_ps, (long long)figures.peak_bytes,
          (long long)plan.time_ps, (long long)plan.live_peak_bytes);
}

// Random complete choices of one space.
static void compare_choices(mw_scene *s, const mw_space *space, int n,
                            const char *name, uint64_t *random)
{
    int32_t *state = MW_NEW_ARRAY(&s->arena, space->n_nodes, int32_t);
    for (int j = 0; state && j < n; j++) {
        char choice[64];
        for (int32_t i = 0; i < space->n_nodes; i++)
            state[i] = (int32_t)(mw_test_random(random) %
                                 (uint64_t)mw_space_states(space, i));
        (void)snprintf(choice, sizeof choice, "%s, choice %d", name, j);
        compare_with_plan(s, space, state, choice);
    }
}

static void tables_equal_plans(void)
{
    static const struct {
        const char *mesh;
        int n_graphs, n_choices;
    } rows[] = {{"2", 12, 10},     {"3", 12, 10},    {"4", 12, 10},
                {"2x3x2", 12, 10}, {"2x2", 20, 150}, {"2x4", 20, 150},
                {"2x2x2", 20, 150}};
    uint64_t random = 1;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (int i = 0; i < rows[r].n_graphs; i++) {
            mw_scene s;
            mw_space space;
            char name[48];
            (void)snprintf(name, sizeof name, "graph %d on %s", i,
                           rows[r].mesh);
            if (open_space(&s, &space, rows[r].mesh, 4 + i % 5, &random))
                compare_choices(&s, &space, rows[r].n_choices, name, &random);
            mw_scene_close(&s);
        }
    }
}

// The time of the best plan, proved and packed; -1 when nothing fits.
static int64_t search_time(mw_scene *s, int64_t limit, const char *name)
{
    mw_search_options options = {.memory_bytes = limit, .top = 1};
    mw_ranking ranking;
    mw_status status =
        mw_search(&s->ctx, &s->arena, &s->on, &options, &ranking);
    bool fits = status == MW_OK;
    CHECK(fits || status == MW_EINFEASIBLE, "%s: %s", name, s->ctx.message);
    mw_ctx_clear(&s->ctx);
    if (!fits)
        return -1;
    const mw_ranked *best = ranking.best;
    CHECK(best->status == MW_SOLVE_OPTIMAL && best->plan.peak_bytes <= limit,
          "%s, limit %lld: status %s, arena %lld", name, (long long)limit,
          mw_solve_status_text(best->status), (long long)best->plan.peak_bytes);
    return best->plan.time_ps;
}

// What prices say by themselves: a bound that the best does not break, and a
// choice that fits.
static void compare_prices(mw_hunt *hunt, int64_t limit, int64_t want,
                           const char *name)
{
    mw_seen seen;
    mw_answer answer = {.status = MW_SOLVE_UNKNOWN};
    mw_space_figures figures = {0};
    mw_status status = mw_hunt_price(hunt, limit, &seen, &answer);
    CHECK(status == MW_OK && (want < 0 || answer.bound <= want),
          "%s, limit %lld: prices bound by %lld ps what brute force has at "
          "%lld",
          name, (long long)limit, (long long)answer.bound, (long long)want);
    if (!answer.state)
        return;
    mw_space_evaluate(hunt->space, answer.state, hunt->live, &figures);
    CHECK(want >= 0 && figures.time_ps >= want && !figures.forbidden &&
              figures.peak_bytes <= limit &&
              figures.time_ps == answer.figures.time_ps,
          "%s, limit %lld: prices found %lld ps, %lld bytes where the best "
          "takes %lld ps",
          name, (long long)limit, (long long)figures.time_ps,
          (long long)figures.peak_bytes, (long long)want);
}

// What the prices rule out is in no choice that is as good as the best.
static void compare_trimmed(mw_hunt *hunt, int64_t limit, int64_t want,
                            const char *name)
{
    mw_seen seen;
    mw_answer priced = {.status = MW_SOLVE_UNKNOWN}, left;
    const uint8_t **allowed = NULL;
    bool none = false;
    mw_status status = mw_hunt_price(hunt, limit, &seen, &priced);
    if (status == MW_OK)
        status =
            mw_hunt_trim(hunt, limit, &seen.prices, want + 1, &allowed, &none);
    if (!CHECK(status == MW_OK && !none, "%s, limit %lld: trimmed to nothing",
               name, (long long)limit))
        return;
    hunt->tables.allowed = allowed;
    status = mw_hunt_time(hunt, limit, NULL, &left);
    hunt->tables.allowed = NULL;
    CHECK(status == MW_OK && left.status == MW_SOLVE_OPTIMAL &&
              left.figures.time_ps == want,
          "%s, limit %lld: trimmed, %lld ps are left of %lld", name,
          (long long)limit, (long long)left.figures.time_ps, (long long)want);
}

// Without a limit, with three between the least and the largest peak, below
// the least; and the least itself.
static void compare_with_front(mw_scene *s, const mw_space *space,
                               const mw_front *front, const char *name)
{
    mw_budget budget = {.seed = 0};
    mw_hunt hunt;
    mw_answer least;
    if (!CHECK(mw_hunt_init(&hunt, space, &s->arena, &budget) == MW_OK, "%s",
               s->ctx.message))
        return;
    int64_t low = front->point[front->n - 1].peak_bytes;
    int64_t high = front->point[0].peak_bytes;
    const int64_t limit[] = {MW_NO_LIMIT, low, low + (high - low) / 3,
                             low + 2 * (high - low) / 3, low - 1};
    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        int64_t got = search_time(s, limit[i], name);
        int64_t want = mw_front_time(front, limit[i]);
        CHECK(got == want, "%s, limit %lld: %lld ps where brute force has %lld",
              name, (long long)limit[i], (long long)got, (long long)want);
        if (limit[i] != MW_NO_LIMIT)
            compare_prices(&hunt, limit[i], want, name);
        if (limit[i] != MW_NO_LIMIT && want >= 0)
            compare_trimmed(&hunt, limit[i], want, name);
    }
    mw_status status = mw_hunt_least(&hunt, &least);
    CHECK(status == MW_OK && least.status == MW_SOLVE_OPTIMAL &&
              least.figures.peak_bytes == low,
          "%s: the least peak is %lld where brute force has %lld", name,
          (long long)least.figures.peak_bytes, (long long)low);
    mw_hunt_close(&hunt);
}

static void equals_brute_force(void)
{
    enum { GRAPHS = 200 };
    uint64_t random = 7;
    double most = 1e6;
    for (int done = 0, tried = 0; done < GRAPHS; tried++) {
        mw_scene s;
        mw_space space;
        mw_front front;
        char name[32];
        const char *mesh = meshes[tried % 4];
        (void)snprintf(name, sizeof name, "graph %d on %s", tried, mesh);
        if (!open_space(&s, &space, mesh, 4 + tried % 5, &random))
            break;
        mw_status status = mw_layout_brute(
            &s.ctx, &s.arena, &s.graph, s.on.resharder, &s.costs, most, &front);
        CHECK(status == MW_OK, "%s: %s", name, s.ctx.message);
        if (status == MW_OK && front.n > 0) {
            compare_with_front(&s, &space, &front, name);
            done++;
        }
        mw_scene_close(&s);
    }
}

const mw_suite mw_suite_search = {
    "search",
    {
        {"tables equal plans", tables_equal_plans},
        {"the answer equals brute force", equals_brute_force},
    }};
