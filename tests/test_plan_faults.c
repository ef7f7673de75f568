/*
 * test_plan_faults.c - faults seen elsewhere, whole: planned by the command,
 * the plan compared with what can be said without the search.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "ir/plan_file.h"
#include "profiles/machine.h"
#include "tests/shell.h"
#include "tests/test.h"

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_plan_file file;
    mw_machine machine;
    mw_costs costs;
} scene;

// Plans a model and reads the plan.
static mw_status make(scene *s, const char *name, const char *model,
                      const char *options)
{
    mw_shell shell;
    const char *folder = mw_scratch_path();
    char *source = mw_arena_format(&s->arena, "%s/%s.mw", folder, name);
    char *plan = mw_arena_format(&s->arena, "%s/%s.json", folder, name);
    char *line =
        mw_arena_format(&s->arena, "meshwright plan $S/%s.mw %s -o $S/%s.json",
                        name, options, name);
    if (!source || !plan || !line)
        return MW_ENOMEM;
    MW_TRY(mw_file_write(&s->ctx, source, model, strlen(model)));
    if (!mw_shell_run(&s->arena, line, &shell) || shell.exit_status != 0)
        return mw_fail(&s->ctx, MW_ERUN, "%s: status %d: %s", line,
                       shell.exit_status, shell.err);
    MW_TRY(mw_plan_read(&s->ctx, &s->arena, plan, &s->file));
    MW_TRY(mw_machine_parse(&s->ctx, &s->arena, "machine", s->file.info.machine,
                            &s->machine));
    s->costs = mw_machine_costs(&s->machine);
    return MW_OK;
}

static bool open_scene(scene *s, const char *name, const char *model,
                       const char *options)
{
    memset(s, 0, sizeof *s);
    mw_ctx_init(&s->ctx);
    mw_arena_init(&s->arena, &s->ctx);
    mw_status status = make(s, name, model, options);
    return CHECK(status == MW_OK, "%s: %s: %s", name, s->ctx.where,
                 s->ctx.message);
}

static void close_scene(scene *s)
{
    mw_arena_free(&s->arena);
    mw_ctx_free(&s->ctx);
}

static const char product[] = "model product\n"
                              "dim m = 2048\ndim k = 8192\ndim n = 4096\n"
                              "input a : f32[m, k]\ninput b : f32[k, n]\n"
                              "c = einsum(a, b) : f32[m, n]\n"
                              "output c\n";

// The least time over all strategies of the only op, homes as they are.
static mw_status least_time(scene *s, mw_resharder *resharder, int64_t *best_ps,
                            int64_t *gathered_ps)
{
    mw_strategy *strategy;
    int n, n_split;
    const mw_graph *graph = &s->file.graph;
    MW_TRY(mw_op_strategies(&s->arena, graph, &graph->op[0], &s->file.mesh,
                            &strategy, &n, &n_split));
    *best_ps = INT64_MAX;
    for (int i = 0; i < n; i++) {
        mw_choices choices = {.op = &strategy[i], .home = s->file.choices.home};
        mw_plan plan;
        MW_TRY(mw_plan_build(&s->arena, graph, resharder, &s->costs, &choices,
                             false, &plan));
        if (i == 0)
            *gathered_ps = plan.time_ps;
        if (plan.time_ps < *best_ps)
            *best_ps = plan.time_ps;
    }
    return MW_OK;
}

// S16: a plain product must not gather both operands where less is enough.
static void smaller_exchange(void)
{
    static const char *const fixed[] = {
        "--fix a=m@m0,k@m1 --fix b=k@m0,n@m1 --fix c=m@m0,n@m1",
        "--fix a=k@m0@m1 --fix b=k@m0@m1 --fix c=m@m0@m1",
        "--fix a=m@m0@m1 --fix b=n@m0@m1 --fix c=m@m1,n@m0"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        scene s;
        mw_resharder *resharder;
        char options[200];
        int64_t best = 0, gathered = 0;
        (void)snprintf(options, sizeof options, "--mesh 2x4 --machine a100 %s",
                       fixed[i]);
        if (open_scene(&s, "product", product, options)) {
            mw_status status = mw_resharder_open(&s.ctx, &s.arena, &s.file.mesh,
                                                 &s.costs, &resharder);
            if (status == MW_OK)
                status = least_time(&s, resharder, &best, &gathered);
            double best_s = (double)best / 1e12;
            CHECK(status == MW_OK && s.file.time_s <= best_s &&
                      s.file.time_s >= best_s,
                  "%s: %.17g s, brute force %.17g s", fixed[i], s.file.time_s,
                  best_s);
            CHECK(best < gathered, "%s: gathering both costs more", fixed[i]);
        }
        close_scene(&s);
    }
}

static const char fold[] = "model fold\n"
                           "dim a = 2\ndim b = 4\ndim c = 2048\n"
                           "input x : f32[(a b), c]\n"
                           "h = exp(x) : f32[(a b), c]\n"
                           "v = rename(h) : f32[a, b, c]\n"
                           "s = reduce_sum(v) : f32[a, b]\n"
                           "output s\n";

// S14: a split of 8 that is folded to (2, 4) goes to the 4, and nothing moves.
static void folded_split(void)
{
    scene s;
    if (!open_scene(&s, "fold", fold, "--mesh 4 --machine a100"))
        return;
    CHECK(s.file.bytes_sent == 0, "%lld bytes move",
          (long long)s.file.bytes_sent);
    for (mw_id t = 0; t < s.file.graph.n_tensors; t++) {
        const mw_tensor *tensor = &s.file.graph.tensor[t];
        int axis = s.file.choices.home[t].role[0];
        CHECK(axis >= 0 && strcmp(s.file.graph.dim[tensor->axis[axis].dim].name,
                                  "b") == 0,
              "'%s' is split along b", tensor->name);
    }
    close_scene(&s);
}

const mw_suite mw_suite_plan_faults = {
    "plan_faults",
    {{"a smaller exchange", smaller_exchange},
     {"a folded split", folded_split}},
};
