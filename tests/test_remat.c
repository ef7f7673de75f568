/*
 * test_remat.c - what is computed again: random choices of the graph that holds
 * both ways cost what the plans of their steps say, step by step; the best
 * choice is the best of all steps, each searched by itself.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "ir/import.h"
#include "ir/train.h"
#include "search/rank_remat.h"
#include "tests/random_graph.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

enum { MAX_SET = 10 };

/* ---- a training step on a mesh ---- */

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph step;
    mw_import_files *files;
    mw_remat remat;
    mw_remat_pairs pairs;
    mw_mesh mesh;
    mw_costs costs;
    mw_setting on;
} scene;

static const struct row {
    const char *name, *train, *loss;
    bool fuse;
    const char *set[MAX_SET];
} rows[] = {
    {"gpt",
     "adam",
     "cross-entropy",
     true,
     {"layers=2", "d_model=8", "heads=2", "vocab=11", "seq=4", "batch=4",
      "d_ff=12"}},
    {"gpt",
     "sgd,clip=1,accumulate=2",
     "cross-entropy",
     false,
     {"layers=3", "d_model=8", "heads=2", "vocab=11", "seq=4", "batch=4",
      "d_ff=12", "dropout=0.25"}},
    {"t5",
     "adafactor",
     "cross-entropy",
     true,
     {"layers=2", "d_model=8", "heads=2", "vocab=11", "seq=4", "batch=4",
      "d_ff=12"}},
    {"moe",
     "sgd",
     "cross-entropy",
     true,
     {"layers=2", "d_model=8", "heads=2", "vocab=11", "seq=4", "batch=4",
      "d_ff=12", "experts=2"}},
    {"mlp", "momentum", "cross-entropy", false, {"layers=4", "batch=6"}},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static mw_status set_up(scene *s, const struct row *row, const char *mesh)
{
    mw_train_options *train = MW_NEW(&s->arena, mw_train_options);
    mw_import_options with = {
        .set = row->set, .train = train, .fuse = row->fuse};
    if (!train)
        return MW_ENOMEM;
    while (with.n_set < MAX_SET && row->set[with.n_set])
        with.n_set++;
    MW_TRY(
        mw_train_options_read(&s->arena, row->train, row->loss, "auto", train));
    MW_TRY(mw_model_read(&s->arena, row->name, &with, &s->step, &s->files));
    MW_TRY(mw_remat_plan(&s->arena, &s->step, &s->remat));
    MW_TRY(mw_remat_pairs_make(&s->remat, &s->pairs));
    MW_TRY(mw_mesh_parse(&s->ctx, &s->arena, mesh, &s->mesh));
    s->costs = mw_random_costs();
    s->on = (mw_setting){.graph = &s->pairs.graph,
                         .mesh = &s->mesh,
                         .costs = &s->costs,
                         .pairs = &s->pairs};
    return mw_resharder_open(&s->ctx, &s->arena, &s->mesh, &s->costs,
                             &s->on.resharder);
}

static bool open_scene(scene *s, const struct row *row, const char *mesh)
{
    *s = (scene){.files = NULL};
    mw_ctx_init(&s->ctx);
    mw_arena_init(&s->arena, &s->ctx);
    mw_status status = set_up(s, row, mesh);
    return CHECK(status == MW_OK, "%s on %s: %s", row->name, mesh,
                 s->ctx.message);
}

static void close_scene(scene *s)
{
    mw_import_close(s->files);
    mw_arena_free(&s->arena);
    mw_ctx_free(&s->ctx);
}

/* ---- random choices ---- */

/* A choice of the graph of pairs, and its step. */
typedef struct trial {
    mw_space space;
    int *made; /* op in the graph of pairs, of each item */
    mw_id *first, *repeated;
    bool *chosen; /* of each candidate */
    bool *runs;   /* of each op of the graph of pairs */
    bool *wanted; /* of each of its tensors: somebody there reads it */
    int32_t *state;
    mw_graph step;
    mw_choices choices;
} trial;

static mw_status allocate(scene *s, trial *t)
{
    int n_tensors = s->remat.step->n_tensors;
    mw_arena *arena = &s->arena;
    t->made = MW_NEW_ARRAY(arena, s->remat.n_items, int);
    t->first = MW_NEW_ARRAY(arena, n_tensors, mw_id);
    t->repeated = MW_NEW_ARRAY(arena, n_tensors, mw_id);
    t->chosen = MW_NEW_ARRAY(arena, s->remat.n_candidates, bool);
    t->runs = MW_NEW_ARRAY(arena, s->pairs.graph.n_ops, bool);
    t->wanted = MW_NEW_ARRAY(arena, s->pairs.graph.n_tensors, bool);
    t->state = MW_NEW_ARRAY(arena, t->space.n_nodes, int32_t);
    return t->made && t->first && t->repeated && t->chosen && t->runs &&
                   t->wanted && t->state
               ? MW_OK
               : MW_ENOMEM;
}

// The step of random candidates, with the maps of both graphs.
static mw_status choose(scene *s, trial *t, uint64_t *random)
{
    mw_remat *remat = &s->remat;
    for (int i = 0; i < remat->n_items; i++)
        t->made[i] = remat->item[i].made;
    for (mw_id id = 0; id < remat->step->n_tensors; id++) {
        t->first[id] = remat->first[id];
        t->repeated[id] = remat->repeated[id];
    }
    uint64_t share = 1 + mw_test_random(random) % 7;
    for (int c = 0; c < remat->n_candidates; c++)
        t->chosen[c] = mw_test_random(random) % 8 < share;
    MW_TRY(mw_graph_init(&t->step, &s->arena, "step"));
    MW_TRY(mw_remat_step(remat, t->chosen, &t->step));
    for (int i = 0; i < remat->n_items; i++)
        if (t->made[i] != MW_NONE)
            t->runs[t->made[i]] = remat->item[i].made != MW_NONE;
    return MW_OK;
}

// From the last op to the first: who is there wants what it reads, and a tensor
// that is only kept wants what it stands for.
static void find_wanted(const scene *s, trial *t)
{
    const mw_graph *graph = &s->pairs.graph;
    for (mw_id k = graph->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &graph->op[k];
        const mw_remat_pair *pair = s->pairs.of_op[k] == MW_NONE
                                        ? NULL
                                        : &s->pairs.pair[s->pairs.of_op[k]];
        for (int i = 0; i < op->n_in && t->runs[k] && !op->def->view; i++)
            t->wanted[mw_remat_read(
                &s->pairs, k, graph->tensor[op->in[i].tensor].root)] = true;
        bool named =
            pair && pair->kind == MW_PAIR_SELECT && t->chosen[pair->candidate];
        if (pair && !t->runs[k] && !named && pair->kind != MW_PAIR_RUN &&
            t->wanted[pair->again])
            t->wanted[pair->kept] = true;
    }
}

static int32_t random_state(const trial *t, int32_t node, uint64_t *random)
{
    int32_t c = t->space.node_class[node], n;
    if (t->space.node_op[node] != MW_NONE)
        n = t->space.op_class[c].n - t->space.op_class[c].n_more;
    else
        n = t->space.home_class[c].n - t->space.home_class[c].optional;
    return n > 0 ? (int32_t)(mw_test_random(random) % (uint64_t)n) : 0;
}

static const mw_layout *layout_of(const trial *t, mw_id tensor)
{
    int32_t node = t->space.home_node[tensor];
    return &t->space.home_class[t->space.node_class[node]]
                .layout[t->state[node]];
}

static void set_home(trial *t, mw_id tensor, const mw_layout *layout)
{
    int32_t node = t->space.home_node[tensor];
    const mw_home_class *c = &t->space.home_class[t->space.node_class[node]];
    t->state[node] =
        layout ? mw_space_find_layout(&t->space, node, layout) : c->n - 1;
}

// What is not computed again follows.
static void settle_pair(trial *t, const mw_remat_pair *pair)
{
    int32_t node = t->space.op_node[pair->op];
    const mw_op_class *c = &t->space.op_class[t->space.node_class[node]];
    const mw_layout *kept = layout_of(t, pair->kept);
    bool runs = t->runs[pair->op] && pair->kind == MW_PAIR_AGAIN;
    bool named = pair->kind == MW_PAIR_SELECT && t->chosen[pair->candidate] &&
                 t->wanted[pair->again];
    bool holds = !runs && !named && t->wanted[pair->again];
    if (pair->gap != MW_NONE)
        set_home(t, pair->gap, holds ? kept : NULL);
    if (runs)
        return;
    if (named)
        kept = layout_of(t, pair->made);
    set_home(t, pair->again, holds || named ? kept : NULL);
    int32_t again = t->state[t->space.home_node[pair->again]];
    bool none = !holds && !named;
    t->state[node] =
        none ? c->n - 1 : c->n - c->n_more + again + (named ? c->n_kept : 0);
}

// Several results are there or not.
static void settle_run(const scene *s, trial *t, const mw_remat_pair *pair)
{
    const mw_op *op = &s->pairs.graph.op[pair->op];
    int32_t node = t->space.op_node[pair->op];
    if (t->runs[pair->op])
        return;
    t->state[node] = t->space.op_class[t->space.node_class[node]].n - 1;
    for (int i = 0; i < op->n_out; i++)
        set_home(t, op->out[i].tensor, NULL);
}

static mw_status take_choices(scene *s, trial *t)
{
    const mw_remat *remat = &s->remat;
    mw_choices both;
    MW_TRY(mw_space_choices(&t->space, &s->arena, t->state, &both));
    t->choices.op = MW_NEW_ARRAY(&s->arena, t->step.n_ops + 1, mw_strategy);
    t->choices.home = MW_NEW_ARRAY(&s->arena, t->step.n_tensors + 1, mw_layout);
    if (!t->choices.op || !t->choices.home)
        return MW_ENOMEM;
    for (int i = 0; i < remat->n_items; i++)
        if (remat->item[i].made != MW_NONE)
            t->choices.op[remat->item[i].made] = both.op[t->made[i]];
    for (mw_id id = 0; id < remat->step->n_tensors; id++) {
        if (remat->first[id] != MW_NONE)
            t->choices.home[remat->first[id]] = both.home[t->first[id]];
        if (remat->repeated[id] != MW_NONE)
            t->choices.home[remat->repeated[id]] = both.home[t->repeated[id]];
    }
    return MW_OK;
}

// Live bytes at each op of the step, and where it does not stand, no more than
// the most of them.
static bool same_lives(const scene *s, const trial *t, const int64_t *live,
                       const mw_plan *plan)
{
    bool same = true;
    for (int i = 0; i < s->remat.n_items; i++) {
        int both = t->made[i], step = s->remat.item[i].made;
        same = same && live[both] <= plan->live_peak_bytes;
        if (step != MW_NONE)
            same = same && live[both] == plan->live_bytes[step];
    }
    return same;
}

static mw_status compare(scene *s, trial *t, bool *same, bool *forbidden)
{
    mw_space_figures figures;
    mw_plan plan;
    int64_t *live = MW_NEW_ARRAY(&s->arena, t->space.n_steps + 1, int64_t);
    if (!live)
        return MW_ENOMEM;
    mw_space_evaluate(&t->space, t->state, live, &figures);
    *forbidden = figures.forbidden;
    MW_TRY(take_choices(s, t));
    mw_status status = mw_plan_build(&s->arena, &t->step, s->on.resharder,
                                     &s->costs, &t->choices, false, &plan);
    if (status == MW_EINPUT && figures.forbidden) {
        mw_ctx_clear(&s->ctx);
        *same = true;
        return MW_OK;
    }
    MW_TRY(status);
    *same = !figures.forbidden && figures.time_ps == plan.time_ps &&
            figures.peak_bytes == plan.live_peak_bytes &&
            same_lives(s, t, live, &plan);
    return MW_OK;
}

static mw_status try_random(scene *s, uint64_t *random, bool *same,
                            bool *forbidden)
{
    trial t = {.made = NULL};
    const mw_space_options all = {.n_fixes = 0};
    MW_TRY(mw_remat_pairs_make(&s->remat, &s->pairs));
    MW_TRY(mw_space_build(&s->ctx, &s->arena, &s->on, &all, &t.space));
    MW_TRY(allocate(s, &t));
    MW_TRY(choose(s, &t, random));
    find_wanted(s, &t);
    for (int32_t i = 0; i < t.space.n_nodes; i++)
        t.state[i] = random_state(&t, i, random);
    for (int i = 0; i < s->pairs.n_pairs; i++)
        if (s->pairs.pair[i].kind == MW_PAIR_RUN)
            settle_run(s, &t, &s->pairs.pair[i]);
        else
            settle_pair(&t, &s->pairs.pair[i]);
    return compare(s, &t, same, forbidden);
}

static void figures_of_random_choices(void)
{
    static const char *const meshes[] = {"2", "2x2", "3"};
    uint64_t random = 5;
    for (int i = 0; i < N_ROWS; i++)
        for (int m = 0; m < 3; m++) {
            int n_allowed = 0;
            for (int n = 0; n < 4; n++) {
                scene s;
                bool same = false, forbidden = false;
                if (open_scene(&s, &rows[i], meshes[m])) {
                    mw_status status =
                        try_random(&s, &random, &same, &forbidden);
                    CHECK(status == MW_OK && same, "%s on %s, choice %d: %s",
                          rows[i].name, meshes[m], n, s.ctx.message);
                    n_allowed += !forbidden;
                }
                close_scene(&s);
            }
            CHECK(n_allowed > 0, "%s on %s: no choice has paths", rows[i].name,
                  meshes[m]);
        }
}

/* ---- the best of all ---- */

static const char small[] = "model small\n"
                            "dim b = 40\ndim d = 12\ndim h = 90\n"
                            "input x : f32[b, d]\n"
                            "param v : f32[d, h] = 0.1\n"
                            "param w : f32[h, d] = 0.2\n"
                            "p0 = einsum(x, v) : f32[b, h]\n"
                            "a0 = tanh(p0) : f32[b, h]\n"
                            "x1 = einsum(a0, w) : f32[b, d]\n"
                            "p1 = einsum(x1, v) : f32[b, h]\n"
                            "a1 = tanh(p1) : f32[b, h]\n"
                            "x2 = einsum(a1, w) : f32[b, d]\n"
                            "l = einsum(x2, x2) : f32[]\n"
                            "output l\n";

static mw_status read_small(scene *s)
{
    mw_train_options *train = MW_NEW(&s->arena, mw_train_options);
    if (!train)
        return MW_ENOMEM;
    MW_TRY(mw_train_options_read(&s->arena, "sgd", "l", "auto", train));
    mw_graph forward;
    MW_TRY(mw_graph_init(&forward, &s->arena, "small"));
    MW_TRY(mw_text_parse(&forward, "small", small));
    MW_TRY(mw_graph_init(&s->step, &s->arena, "small"));
    MW_TRY(mw_train(&forward, train, &s->step));
    MW_TRY(mw_remat_plan(&s->arena, &s->step, &s->remat));
    MW_TRY(mw_mesh_parse(&s->ctx, &s->arena, "2", &s->mesh));
    s->costs = mw_random_costs();
    s->on = (mw_setting){.mesh = &s->mesh, .costs = &s->costs};
    return mw_resharder_open(&s->ctx, &s->arena, &s->mesh, &s->costs,
                             &s->on.resharder);
}

static mw_status search_space(scene *s, const mw_setting *on, int64_t limit,
                              mw_answer *answer)
{
    const mw_space_options all = {.n_fixes = 0};
    const mw_budget budget = {.seed = 0};
    mw_space space;
    mw_hunt hunt;
    MW_TRY(mw_space_build(&s->ctx, &s->arena, on, &all, &space));
    MW_TRY(mw_hunt_init(&hunt, &space, &s->arena, &budget));
    mw_status status = mw_hunt_time(&hunt, limit, NULL, answer);
    mw_hunt_close(&hunt);
    return status;
}

// The best of the step of some candidates.
static mw_status best_step(scene *s, int subset, int64_t limit,
                           mw_answer *answer)
{
    mw_graph step;
    bool chosen[16];
    for (int c = 0; c < s->remat.n_candidates; c++)
        chosen[c] = subset >> c & 1;
    MW_TRY(mw_graph_init(&step, &s->arena, "step"));
    MW_TRY(mw_remat_step(&s->remat, chosen, &step));
    mw_setting on = s->on;
    on.graph = &step;
    return search_space(s, &on, limit, answer);
}

static mw_status best_of_all(scene *s, int64_t limit, int64_t *time_ps)
{
    *time_ps = -1;
    for (int subset = 0; subset < 1 << s->remat.n_candidates; subset++) {
        mw_answer one;
        MW_TRY(best_step(s, subset, limit, &one));
        if (one.state && (*time_ps < 0 || one.figures.time_ps < *time_ps))
            *time_ps = one.figures.time_ps;
    }
    return MW_OK;
}

static mw_status best_pairs(scene *s, int64_t limit, mw_answer *answer)
{
    mw_setting on = s->on;
    MW_TRY(mw_remat_pairs_make(&s->remat, &s->pairs));
    on.graph = &s->pairs.graph;
    on.pairs = &s->pairs;
    return search_space(s, &on, limit, answer);
}

static void check_limit(scene *s, int64_t limit, int64_t free_ps, int *n_slower)
{
    int64_t want = -1;
    mw_answer got = {.status = MW_SOLVE_UNKNOWN};
    mw_status status = best_of_all(s, limit, &want);
    if (status == MW_OK)
        status = best_pairs(s, limit, &got);
    bool fits = got.status == MW_SOLVE_OPTIMAL;
    CHECK(status == MW_OK && fits == (want >= 0) &&
              (!fits || got.figures.time_ps == want),
          "%lld bytes: %s, %lld ps; the best of all steps %lld %s",
          (long long)limit, mw_solve_status_text(got.status),
          (long long)got.figures.time_ps, (long long)want, s->ctx.message);
    *n_slower += fits && want > free_ps;
}

static void best_choice(void)
{
    static const int percent[] = {97, 92, 87, 75};
    scene s = {.files = NULL};
    mw_answer free_one = {.state = NULL};
    int n_slower = 0;
    mw_ctx_init(&s.ctx);
    mw_arena_init(&s.arena, &s.ctx);
    mw_status status = read_small(&s);
    if (status == MW_OK)
        status = best_step(&s, 0, MW_NO_LIMIT, &free_one);
    CHECK(status == MW_OK && s.remat.n_candidates >= 3 &&
              s.remat.n_candidates <= 8,
          "%d candidates: %s", s.remat.n_candidates, s.ctx.message);
    for (int i = 0; status == MW_OK && i < 4; i++)
        check_limit(&s, free_one.figures.peak_bytes * percent[i] / 100,
                    free_one.figures.time_ps, &n_slower);
    CHECK(n_slower > 0, "no limit costs time");
    close_scene(&s);
}

/* ---- as a user ---- */

/* What a plan says. */
typedef struct figures {
    double time_s, peak_bytes;
} figures;

static bool run(scene *s, mw_shell *got, const char *format, ...)
    MW_PRINTF(3, 4);
static bool run(scene *s, mw_shell *got, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return mw_shell_run(&s->arena, line, got) &&
           CHECK(got->exit_status == 0, "%s: %s", line, got->err);
}

static mw_status read_figures(scene *s, const char *remat, figures *of)
{
    char path[512], *text;
    size_t length;
    const mw_json *root, *predicted;
    (void)snprintf(path, sizeof path, "%s/remat_%s.json", mw_scratch_path(),
                   remat);
    MW_TRY(mw_file_read(&s->arena, path, &text, &length));
    MW_TRY(mw_json_parse(&s->arena, path, text, length, &root));
    MW_TRY(mw_json_get_object(&s->ctx, root, "predicted", &predicted));
    MW_TRY(mw_json_get_real(&s->ctx, predicted, "time_s", &of->time_s));
    return mw_json_get_real(&s->ctx, predicted, "peak_bytes", &of->peak_bytes);
}

/* Models that are trained within a part of what they take when all is kept. */
static const struct case_row {
    const char *model, *mesh, *scope;
    double part;
    bool full; /* fits too */
    int steps; /* of training, for the losses; 0: not trained */
} cases[] = {
    {"gpt --set layers=3 --set d_model=16 --set heads=2 --set vocab=256 "
     "--set seq=16 --set batch=16",
     "2", "tensor", 0.6, true, 6},
    {"gpt --set layers=3 --set d_model=16 --set heads=2 --set vocab=256 "
     "--set seq=16 --set batch=16 --set dropout=0.1",
     "2", "global", 0.7, true, 6},
    {"t5 --set layers=2 --set d_model=8 --set heads=2 --set vocab=16 "
     "--set seq=16 --set batch=4 --set d_ff=16",
     "2", "global", 0.8, false, 0},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static figures plan(scene *s, const struct case_row *row, const char *remat,
                    double limit)
{
    figures of = {0, 0};
    mw_shell got;
    char memory[64] = "";
    if (limit > 0)
        (void)snprintf(memory, sizeof memory, "--memory %.0f", limit);
    if (run(s, &got,
            "meshwright plan %s --mesh %s --scope %s --top 1 "
            "--train adam,lr=1e-2 --remat %s %s -o $S/remat_%s.json --quiet",
            row->model, row->mesh, row->scope, remat, memory, remat)) {
        (void)run(s, &got, "meshwright check $S/remat_%s.json", remat);
        mw_status status = read_figures(s, remat, &of);
        CHECK(status == MW_OK, "%s: %s", remat, s->ctx.message);
    }
    return of;
}

static void train(scene *s, const char *remat, int steps, step_lines *lines)
{
    mw_shell got;
    lines->n = 0;
    if (run(s, &got,
            "meshwright train $S/remat_%s.json --data $S/remat_none.json "
            "--steps %d --format json --quiet",
            remat, steps))
        read_step_lines(&s->arena, got.out, lines);
}

static void try_case(scene *s, const struct case_row *row)
{
    figures all = plan(s, row, "none", 0), full = {HUGE_VAL, 0};
    double limit = floor(row->part * all.peak_bytes);
    if (row->full)
        full = plan(s, row, "full", limit);
    figures some = plan(s, row, "auto", limit);
    CHECK(some.peak_bytes <= limit && some.time_s <= full.time_s &&
              some.time_s >= all.time_s,
          "%s on %s, %s: auto takes %g s and %g bytes of %g, full %g s, none "
          "%g s",
          row->model, row->mesh, row->scope, some.time_s, some.peak_bytes,
          limit, full.time_s, all.time_s);
    step_lines none, again;
    if (row->steps == 0)
        return;
    train(s, "none", row->steps, &none);
    train(s, "auto", row->steps, &again);
    CHECK(none.n == row->steps, "%d steps", none.n);
    same_losses("--remat auto", &again, none.loss, 0, 1e-5);
}

static void within_a_part(void)
{
    for (int i = 0; i < N_CASES; i++) {
        scene s = {.files = NULL};
        mw_ctx_init(&s.ctx);
        mw_arena_init(&s.arena, &s.ctx);
        try_case(&s, &cases[i]);
        close_scene(&s);
    }
}

// Where nothing fits, what is said to do is of the best choice.
static void too_little(void)
{
    scene s = {.files = NULL};
    mw_shell got;
    char line[512];
    long long least = 0;
    mw_ctx_init(&s.ctx);
    mw_arena_init(&s.arena, &s.ctx);
    static const char said[] = "the least that would do is ";
    static const char model[] = "gpt --set layers=2 --set d_model=8 --set "
                                "heads=2 --set vocab=11 --set seq=16 --set "
                                "batch=4 --set d_ff=12 --mesh 2 --scope global "
                                "--train sgd --remat auto --top 1";
    (void)snprintf(line, sizeof line, "meshwright plan %s --memory 1000",
                   model);
    const char *at =
        mw_shell_run(&s.arena, line, &got) ? strstr(got.err, said) : NULL;
    if (CHECK(got.exit_status == 4 && at, "exit %d: %s", got.exit_status,
              got.err)) {
        least = strtoll(at + strlen(said), NULL, 10);
        (void)run(&s, &got, "meshwright plan %s --memory %lld", model, least);
        (void)snprintf(line, sizeof line, "meshwright plan %s --memory %lld",
                       model, least / 2);
        (void)(mw_shell_run(&s.arena, line, &got) &&
               CHECK(got.exit_status == 4, "%s: exit %d", line,
                     got.exit_status));
    }
    close_scene(&s);
}

const mw_suite mw_suite_remat = {
    "remat",
    {{"figures of random choices", figures_of_random_choices},
     {"within a part of the peak", within_a_part},
     {"what would do", too_little},
     {"the best choice is the best of all steps", best_choice}}};
