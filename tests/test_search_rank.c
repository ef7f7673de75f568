/* test_search_rank.c - rankings: limits, scopes, pins, recipes, distinct plans.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/baseline.h"
#include "search/global.h"
#include "search/layout_intern.h"
#include "search/rank_mesh.h"
#include "ir/text.h"
#include "tests/layout_brute.h"
#include "tests/random_graph.h"
#include "tests/search_scene.h"
#include "tests/test.h"

static const char mlp[] = "model mlp\n"
                          "dim batch = 64\n"
                          "dim pixels = 96\n"
                          "dim hidden = 320\n"
                          "dim classes = 10\n"
                          "input x : f32[batch, pixels]\n"
                          "param w1 : f32[pixels, hidden]\n"
                          "param w2 : f32[hidden, classes]\n"
                          "h = einsum(x, w1) : f32[batch, hidden]\n"
                          "a = relu(h) : f32[batch, hidden]\n"
                          "y = einsum(a, w2) : f32[batch, classes]\n"
                          "output y\n";

static const mw_search_options plain = {.memory_bytes = MW_NO_LIMIT, .top = 1};

static const mw_ranked *row_named(const mw_ranking *ranking, const char *name)
{
    for (int i = 0; i < ranking->n_rows; i++) {
        if (strcmp(ranking->row[i]->name, name) == 0)
            return ranking->row[i];
    }
    return NULL;
}

// Searches; counts a failed CHECK when the status is another.
static bool search(mw_scene *s, const mw_search_options *options,
                   mw_status want, mw_ranking *ranking, const char *name)
{
    mw_ctx_clear(&s->ctx);
    mw_status got = mw_search(&s->ctx, &s->arena, &s->on, options, ranking);
    return CHECK(got == want, "%s: %s: %s", name, mw_status_text(got),
                 s->ctx.message);
}

/* ---- limits ---- */

// The number after "the least that would do is ".
static int64_t least_named(const char *message)
{
    const char *at = strstr(message, "the least that would do is ");
    return at ? strtoll(at + strlen("the least that would do is "), NULL, 10)
              : -1;
}

// No row that could be had has a smaller arena than the one that is best by
// peak, and what is proved is an arena.
static void check_least(const mw_ranking *ranking, const char *name)
{
    const mw_ranked *best = ranking->best;
    for (int i = 0; i < ranking->n_rows; i++) {
        const mw_ranked *row = ranking->row[i];
        CHECK(!row->feasible || row->plan.peak_bytes >= best->plan.peak_bytes,
              "%s: '%s' takes %lld, the least %lld", name, row->name,
              (long long)row->plan.peak_bytes,
              (long long)best->plan.peak_bytes);
    }
    CHECK(best->bound <= best->plan.peak_bytes &&
              (best->status == MW_SOLVE_OPTIMAL) ==
                  (best->bound == best->plan.peak_bytes),
          "%s: %lld of %lld, %s", name, (long long)best->bound,
          (long long)best->plan.peak_bytes, mw_solve_status_text(best->status));
}

static void limit_graph(mw_scene *s, const char *name)
{
    mw_ranking ranking;
    mw_search_options options = plain;
    options.overhead_bytes = 1000;
    options.memory_bytes = 1001;
    if (!search(s, &options, MW_EINFEASIBLE, &ranking, name))
        return;
    int64_t least = least_named(s->ctx.message);
    CHECK(strstr(s->ctx.message, "at op '") && strstr(s->ctx.message, "short"),
          "%s: %s", name, s->ctx.message);
    options.memory_bytes = least;
    if (!search(s, &options, MW_OK, &ranking, name))
        return;
    CHECK(ranking.best->plan.peak_bytes + 1000 <= least, "%s: arena %lld", name,
          (long long)ranking.best->plan.peak_bytes);
    int64_t slow = ranking.best->plan.time_ps;
    options.memory_bytes = least - 1;
    (void)search(s, &options, MW_EINFEASIBLE, &ranking, name);
    options.memory_bytes = MW_NO_LIMIT;
    options.least_peak = true;
    if (search(s, &options, MW_OK, &ranking, name)) {
        check_least(&ranking, name);
        CHECK(ranking.best->plan.peak_bytes + 1000 == least &&
                  ranking.best->status == MW_SOLVE_OPTIMAL,
              "%s: the least peak is %lld, with overhead %lld", name,
              (long long)ranking.best->plan.peak_bytes, (long long)least);
    }
    options.least_peak = false;
    if (search(s, &options, MW_OK, &ranking, name))
        CHECK(ranking.best->plan.time_ps <= slow, "%s: memory costs time",
              name);
}

static void limits(void)
{
    uint64_t random = 3;
    for (int i = 0; i < 12; i++) {
        mw_scene s;
        char name[32];
        (void)snprintf(name, sizeof name, "graph %d", i);
        if (mw_scene_random(&s, i % 2 ? "2x2" : "3", 5, &random))
            limit_graph(&s, name);
        mw_scene_close(&s);
    }
}

/* The replicated plan fits where one processor runs the model. */
static void replicated_fits(void)
{
    mw_scene s;
    mw_ranking ranking;
    if (mw_scene_text(&s, "2x2", mlp) &&
        search(&s, &plain, MW_OK, &ranking, "mlp")) {
        mw_search_options options = plain;
        const mw_ranked *whole = row_named(&ranking, "replicated");
        options.memory_bytes = whole ? whole->plan.peak_bytes : 0;
        (void)search(&s, &options, MW_OK, &ranking, "mlp in one's memory");
    }
    mw_scene_close(&s);
}

/* ---- scopes ---- */

// The best rule by enumeration, by the tied problem, and by plans.
static void compare_scopes(mw_scene *s, const char *name)
{
    mw_space space;
    mw_space_options none = {0};
    mw_global global;
    mw_hunt hunt;
    mw_answer tied;
    mw_space_ties ties;
    mw_budget budget = {.seed = 0};
    mw_ranking free_scope;
    bool good =
        mw_space_build(&s->ctx, &s->arena, &s->on, &none, &space) == MW_OK &&
        mw_global_open(&global, &space, &s->arena, MW_GLOBAL_MOST, false) ==
            MW_OK &&
        mw_hunt_init(&hunt, &space, &s->arena, &budget) == MW_OK &&
        mw_space_ties_init(&ties, &space, &s->arena) == MW_OK;
    int32_t *state = MW_NEW_ARRAY(&s->arena, space.n_nodes, int32_t);
    if (!CHECK(good && state && !global.too_many, "%s: %s", name,
               s->ctx.message))
        return;
    hunt.tables.ties = &ties;
    mw_status status = mw_hunt_time(&hunt, MW_NO_LIMIT, NULL, &tied);
    mw_hunt_close(&hunt);
    CHECK(status == MW_OK && tied.status == MW_SOLVE_OPTIMAL &&
              mw_global_next(&global, MW_NO_LIMIT, state) &&
              tied.figures.time_ps == global.rule[0].time_ps,
          "%s: tied %lld ps, priced %lld ps", name,
          (long long)tied.figures.time_ps, (long long)global.rule[0].time_ps);
    mw_space_figures figures;
    mw_space_evaluate(&space, state, NULL, &figures);
    CHECK(figures.time_ps == global.rule[0].time_ps,
          "%s: priced %lld ps, walked %lld ps", name,
          (long long)global.rule[0].time_ps, (long long)figures.time_ps);
    if (search(s, &plain, MW_OK, &free_scope, name))
        CHECK(free_scope.best->plan.time_ps <= global.rule[0].time_ps,
              "%s: tensor scope is worse than global", name);
    const mw_ranked *rule = row_named(&free_scope, "one_rule");
    CHECK(rule && rule->plan.time_ps == global.rule[0].time_ps,
          "%s: the best rule is not among the recipes", name);
    for (int i = 0; i < free_scope.n_rows; i++) {
        const mw_ranked *row = free_scope.row[i];
        if (row->planned)
            CHECK(row->plan.time_ps >= global.rule[0].time_ps || !row->baseline,
                  "%s: %s is a rule and better than the best", name, row->name);
    }
}

static void scopes(void)
{
    static const char *const meshes[] = {"1", "3", "2x2", "2x3"};
    uint64_t random = 5;
    for (int i = 0; i < 16; i++) {
        mw_scene s;
        char name[32];
        (void)snprintf(name, sizeof name, "graph %d on %s", i, meshes[i % 4]);
        if (mw_scene_random(&s, meshes[i % 4], 4 + i % 4, &random))
            compare_scopes(&s, name);
        mw_scene_close(&s);
    }
}

/* ---- the k best ---- */

typedef struct best_list {
    mw_space *space;
    mw_intern plans;
    mw_key key;
    int64_t *time_ps; /* by plan */
    int64_t cap;
    int32_t *state;
} best_list;

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// A plan is, class by class, the sorted strategies of its ops.
static mw_status note_plan(best_list *all, int64_t time_ps)
{
    const mw_space *space = all->space;
    mw_key_clear(&all->key);
    for (int32_t c = 0; c < space->n_op_classes; c++) {
        int32_t same[16];
        size_t n = 0;
        for (int32_t i = 0; i < space->n_nodes; i++) {
            if (space->node_op[i] != MW_NONE && space->node_class[i] == c)
                same[n++] = all->state[i];
        }
        qsort(same, n, sizeof *same, compare_int32);
        for (size_t i = 0; i < n; i++)
            mw_key_add(&all->key, same[i]);
    }
    int32_t id;
    bool fresh;
    MW_TRY(mw_intern_key(&all->plans, &all->key, &id, &fresh));
    all->time_ps = mw_arena_reserve(space->arena, all->time_ps, id, &all->cap,
                                    sizeof *all->time_ps);
    if (!all->time_ps)
        return MW_ENOMEM;
    if (fresh || time_ps < all->time_ps[id])
        all->time_ps[id] = time_ps;
    return MW_OK;
}

// Homes are chosen one by one: with the ops given they do not meet.
static int64_t best_homes(best_list *all)
{
    const mw_space *space = all->space;
    mw_space_figures figures;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        int64_t least = INT64_MAX;
        int32_t best = 0;
        for (int32_t h = 0;
             space->node_op[i] == MW_NONE && h < mw_space_states(space, i);
             h++) {
            all->state[i] = h;
            mw_space_evaluate(space, all->state, NULL, &figures);
            if (!figures.forbidden && figures.time_ps < least) {
                least = figures.time_ps;
                best = h;
            }
        }
        if (space->node_op[i] == MW_NONE)
            all->state[i] = best;
    }
    mw_space_evaluate(space, all->state, NULL, &figures);
    return figures.time_ps;
}

static mw_status walk(best_list *all, int32_t node)
{
    const mw_space *space = all->space;
    if (node == space->n_nodes || space->node_op[node] == MW_NONE)
        return note_plan(all, best_homes(all));
    for (int32_t s = 0; s < mw_space_states(space, node); s++) {
        all->state[node] = s;
        MW_TRY(walk(all, node + 1));
    }
    return MW_OK;
}

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void compare_best(mw_scene *s, const char *name)
{
    enum { K = 5 };
    mw_space space;
    mw_space_options none = {0};
    mw_search_options options = plain;
    mw_ranking ranking;
    options.top = K;
    if (!CHECK(mw_space_build(&s->ctx, &s->arena, &s->on, &none, &space) ==
                   MW_OK,
               "%s: %s", name, s->ctx.message))
        return;
    best_list all = {.space = &space,
                     .plans = {.arena = &s->arena},
                     .key = {.arena = &s->arena},
                     .state = MW_NEW_ARRAY(&s->arena, space.n_nodes, int32_t)};
    if (!CHECK(all.state && walk(&all, 0) == MW_OK, "%s", s->ctx.message) ||
        !search(s, &options, MW_OK, &ranking, name))
        return;
    if (!CHECK(all.time_ps, "%s: no plan at all", name))
        return;
    qsort(all.time_ps, (size_t)all.plans.n, sizeof *all.time_ps, compare_int64);
    int n = 0;
    for (int i = 0; i < ranking.n_rows; i++) {
        const mw_ranked *row = ranking.row[i];
        if (row->baseline)
            continue;
        CHECK(row->status == MW_SOLVE_OPTIMAL &&
                  row->plan.time_ps == all.time_ps[n],
              "%s, rank %d: %lld ps (%s) where brute force has %lld", name, n,
              (long long)row->plan.time_ps, mw_solve_status_text(row->status),
              (long long)all.time_ps[n]);
        n++;
    }
    CHECK(n == (all.plans.n < K ? all.plans.n : K), "%s: %d plans", name, n);
}

static void k_best(void)
{
    uint64_t random = 11;
    for (int i = 0; i < 20; i++) {
        mw_scene s;
        char name[32];
        (void)snprintf(name, sizeof name, "graph %d", i);
        if (mw_scene_random(&s, i % 2 ? "2" : "3", 4 + i % 3, &random))
            compare_best(&s, name);
        mw_scene_close(&s);
    }
}

/* ---- pins ---- */

static void pins(void)
{
    mw_scene s;
    mw_ranking ranking;
    if (!mw_scene_text(&s, "2x2", mlp)) {
        mw_scene_close(&s);
        return;
    }
    const mw_graph *graph = &s.graph;
    mw_fix_option fix = {.tensor = mw_graph_find_tensor(graph, "w1")};
    mw_status status =
        mw_layout_parse(&s.ctx, graph, &graph->tensor[fix.tensor], &s.mesh,
                        "pixels@m1", &fix.layout);
    mw_search_options options = plain;
    options.space = (mw_space_options){.fix = &fix, .n_fixes = 1};
    if (CHECK(status == MW_OK, "%s", s.ctx.message) &&
        search(&s, &options, MW_OK, &ranking, "--fix w1"))
        CHECK(mw_layout_equal(&ranking.best->choices.home[fix.tensor],
                              &fix.layout),
              "w1 is not where --fix put it");
    options.memory_bytes = 1;
    if (search(&s, &options, MW_EINFEASIBLE, &ranking, "--fix and a limit"))
        CHECK(strstr(s.ctx.message, "pinned: 'w1' to [pixels@m1, hidden]") &&
                  strstr(s.ctx.message, "without --fix w1 the least is "),
              "%s", s.ctx.message);
    mw_rule_option rule[2] = {{mw_graph_find_dim(graph, "batch"), 1},
                              {mw_graph_find_dim(graph, "hidden"), 2}};
    options = plain;
    options.space = (mw_space_options){.rule = rule, .n_rules = 2};
    if (search(&s, &options, MW_OK, &ranking, "--rule")) {
        const mw_strategy *h = &ranking.best->choices.op[0];
        CHECK(graph->op[0].letter[h->split[0]].dim == rule[0].dim &&
                  graph->op[0].letter[h->split[1]].dim == rule[1].dim,
              "the first op does not follow the rules");
    }
    rule[1].axes = 1;
    if (search(&s, &options, MW_EUSAGE, &ranking, "rules that meet"))
        CHECK(strstr(s.ctx.message, "'batch'") &&
                  strstr(s.ctx.message, "'hidden'"),
              "%s", s.ctx.message);
    mw_scene_close(&s);
}

static void even(void)
{
    mw_scene s;
    mw_ranking ranking;
    mw_search_options options = plain;
    options.space.even = true;
    options.top = 3;
    if (mw_scene_text(&s, "4x3", mlp) &&
        search(&s, &options, MW_OK, &ranking, "--even")) {
        for (int i = 0; i < ranking.n_rows; i++) {
            const mw_ranked *row = ranking.row[i];
            for (int t = 0; row->feasible && t < s.graph.n_tensors; t++) {
                int64_t parts = 1;
                for (int a = 0; a < 2; a++)
                    parts *= row->choices.home[t].role[a] >= 0
                                 ? s.mesh.axis[a].size
                                 : 1;
                CHECK(mw_tensor_elements(&s.graph.tensor[t]) % parts == 0,
                      "%s splits '%s' unevenly", row->name,
                      s.graph.tensor[t].name);
            }
        }
    }
    mw_scene_close(&s);
}

/* ---- known faults of others ---- */

/* S16: a plain product is not stuck with gathering both operands. */
static void plain_product(void)
{
    static const char text[] = "model product\n"
                               "dim m = 2048\n"
                               "dim k = 8192\n"
                               "dim n = 4096\n"
                               "input a : f32[m, k]\n"
                               "param b : f32[k, n]\n"
                               "c = einsum(a, b) : f32[m, n]\n"
                               "output c\n";
    mw_scene s;
    mw_front front;
    mw_ranking ranking;
    if (mw_scene_text(&s, "2x4", text)) {
        mw_status status = mw_layout_brute(
            &s.ctx, &s.arena, &s.graph, s.on.resharder, &s.costs, 1e6, &front);
        if (CHECK(status == MW_OK && front.n > 0, "%s", s.ctx.message) &&
            search(&s, &plain, MW_OK, &ranking, "product"))
            CHECK(ranking.best->plan.time_ps == front.point[0].time_ps,
                  "product: %lld ps, brute force %lld ps",
                  (long long)ranking.best->plan.time_ps,
                  (long long)front.point[0].time_ps);
    }
    mw_scene_close(&s);
}

/* ---- recipes and meshes ---- */

static void recipes(void)
{
    static const struct {
        const char *mesh, *name, *rule; /* NULL: there is none */
    } want[] = {
        {"2x2", "replicated", "nothing split"},
        {"2x2", "data_parallel", "batch@m0; batch@m1"},
        {"2x2", "tensor_parallel", "hidden@m0; hidden@m1"},
        {"2x2", "2d", "batch@m0; hidden@m1"},
        {"4", "2d", NULL},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        mw_scene s;
        mw_ranking ranking;
        if (mw_scene_text(&s, want[i].mesh, mlp) &&
            search(&s, &plain, MW_OK, &ranking, want[i].name)) {
            const mw_ranked *row = row_named(&ranking, want[i].name);
            const char *got = row && row->planned ? row->rule : NULL;
            CHECK(row && (want[i].rule ? got && !strcmp(got, want[i].rule)
                                       : !got && row->reason),
                  "%s on %s: '%s'", want[i].name, want[i].mesh,
                  got ? got : "none");
        }
        mw_scene_close(&s);
    }
}

static void factorizations(void)
{
    // The random costs tell the first axis apart from the others.
    static const struct {
        int64_t ranks;
        int n;
    } want[] = {{1, 1}, {2, 1}, {4, 2}, {6, 3}, {8, 4}, {7, 1}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        mw_scene s;
        mw_mesh *mesh = NULL;
        int n = 0;
        if (mw_scene_text(&s, "1", mlp)) {
            mw_status status = mw_mesh_factorizations(
                &s.ctx, &s.arena, want[i].ranks, &s.costs, &mesh, &n);
            CHECK(status == MW_OK && n == want[i].n, "%lld: %d meshes",
                  (long long)want[i].ranks, n);
            for (int m = 0; m < n; m++)
                CHECK(mw_mesh_ranks(&mesh[m]) == want[i].ranks,
                      "%lld: mesh %d has %lld", (long long)want[i].ranks, m,
                      (long long)mw_mesh_ranks(&mesh[m]));
        }
        mw_scene_close(&s);
    }
}

/* ---- all the same again ---- */

static mw_status search_in(mw_ctx *ctx, mw_arena *arena, int64_t limit)
{
    mw_graph graph;
    mw_mesh mesh;
    mw_ranking ranking;
    mw_costs costs = mw_random_costs();
    mw_search_options options = plain;
    mw_setting on = {.graph = &graph, .mesh = &mesh, .costs = &costs};
    options.memory_bytes = limit;
    options.top = 2;
    options.budget.iterations = 1;
    MW_TRY(mw_graph_init(&graph, arena, "mlp"));
    MW_TRY(mw_text_parse(&graph, "mlp", mlp));
    MW_TRY(mw_mesh_parse(ctx, arena, "4", &mesh));
    MW_TRY(mw_resharder_open(ctx, arena, &mesh, &costs, &on.resharder));
    return mw_search(ctx, arena, &on, &options, &ranking);
}

static mw_status search_once(mw_ctx *ctx, void *arg)
{
    const int64_t *limit = arg;
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_status status = search_in(ctx, &arena, *limit);
    mw_arena_free(&arena);
    // Too little memory is an answer here.
    if (status != MW_EINFEASIBLE || ctx->status != MW_EINFEASIBLE)
        return status;
    mw_ctx_clear(ctx);
    return MW_OK;
}

static void same_again(void)
{
    int64_t first[16] = {0};
    int n_first = 0;
    for (int run = 0; run < 2; run++) {
        uint64_t random = 9;
        mw_scene s;
        mw_ranking ranking;
        mw_search_options options = plain;
        options.top = 4;
        options.budget = (mw_budget){.iterations = 20, .seed = 4};
        if (mw_scene_random(&s, "2x2", 7, &random) &&
            search(&s, &options, MW_OK, &ranking, "again")) {
            if (run == 0)
                n_first = ranking.n_rows;
            CHECK(ranking.n_rows == n_first && n_first <= 16, "%d rows",
                  ranking.n_rows);
            for (int i = 0; i < ranking.n_rows && i < 16; i++) {
                int64_t now = ranking.row[i]->plan.time_ps +
                              ranking.row[i]->plan.peak_bytes;
                if (run == 0)
                    first[i] = now;
                CHECK(first[i] == now, "row %d differs", i);
            }
        }
        mw_scene_close(&s);
    }
}

static void out_of_memory(void)
{
    int64_t limit[] = {100, 150000};
    check_oom("search that fails", search_once, &limit[0]);
    check_oom("search", search_once, &limit[1]);
}

const mw_suite mw_suite_search_rank = {
    "search_rank",
    {
        {"limits and the least memory", limits},
        {"the replicated plan fits one's memory", replicated_fits},
        {"global and tensor scope", scopes},
        {"the k best distinct plans", k_best},
        {"fixes and rules", pins},
        {"even splits", even},
        {"a plain product", plain_product},
        {"recipes", recipes},
        {"factorizations", factorizations},
        {"the same again", same_again},
        {"out of memory", out_of_memory},
    },
};
