/* test_search_plan.c - the plan command: what it prints, refuses and writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "search/clock.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char mlp[] = "model mlp\n"
                          "dim batch = 64\n"
                          "dim pixels = 96\n"
                          "dim hidden = 321\n"
                          "dim classes = 10\n"
                          "input x : f32[batch, pixels]\n"
                          "param w1 : f32[pixels, hidden]\n"
                          "param w2 : f32[hidden, classes]\n"
                          "h = einsum(x, w1) : f32[batch, hidden]\n"
                          "a = relu(h) : f32[batch, hidden]\n"
                          "y = einsum(a, w2) : f32[batch, classes]\n"
                          "output y\n";

static const struct row {
    const char *options;
    int exit_status;
    const char *out, *err; /* parts of what is printed; "" means nothing */
} rows[] = {
    {"--mesh 2x2", 0, "optimal (proof: exact)", ""},
    {"--mesh 2x2", 0, "data_parallel", ""},
    {"--mesh 1", 0, "replicated", ""},
    {"--mesh data=2,model=2 --rule batch=data --rule hidden=model", 0,
     "batch@data; hidden@model", ""},
    {"--mesh 2x2 --format csv", 0,
     "rank,name,status,mesh,time_s,comm_s,bytes_sent,peak_bytes,baseline", ""},
    {"--mesh 2x2 --format json", 0, "\"format\": \"meshwright.plan\"", ""},
    {"--mesh 2x2 --scope global", 0, "scope global, least time: optimal", ""},
    {"--mesh 2x2 --objective peak", 0, "least peak: optimal", ""},
    {"--mesh auto:4", 0, "2x2:replicated", ""},
    {"--mesh 4", 0, "none: the mesh has one axis", ""},
    {"--mesh 2x2 --even", 0, "hidden (321) is not divisible by 4", ""},
    {"--mesh 2x2 --fix w1=hidden@m1", 0, "[pixels, hidden@m1]", ""},
    {"--mesh 2x2 --pick data_parallel -o $S/dp.json", 0, "* data_parallel", ""},
    {"", 2, "", "--mesh: not given"},
    {"--mesh auto:0", 2, "", "--mesh: '0' is not a number of processors"},
    {"--mesh 2x2 --fix w3=hidden@m1", 2, "", "--fix: there is no tensor 'w3'"},
    {"--mesh 2x2 --fix w1=hidden@m9", 2, "", "m9"},
    {"--mesh 2x2 --fix w1=hidden@m0,pixels@m0", 2, "", "m0"},
    {"--mesh 2x2 --rule hiden=m0", 2, "",
     "--rule: there is no dimension 'hiden'; 'hidden'?"},
    {"--mesh data=2,model=2 --rule batch=modell", 2, "",
     "--rule: there is no mesh axis 'modell'; 'model'?"},
    {"--mesh 2x2 --rule batch=m0,m0", 2, "", "given twice"},
    {"--mesh 2x2 --rule batch=m1,m0", 2, "",
     "'m0' stands behind a later one of --mesh"},
    {"--mesh 2x2 --fix w1=hidden@m1@m0", 2, "", "mesh order"},
    {"--mesh 2x2 --rule batch=m0 --rule batch=m1", 2, "",
     "--rule batch: given twice"},
    {"--mesh 2x2 --fix x=batch@m0 --fix x=-", 2, "", "--fix x: given twice"},
    {"--mesh 2x2 --rule batch=m0 --rule hidden=m0", 2, "",
     "the rules of 'batch' and 'hidden' split both over one mesh axis"},
    {"--mesh 2x2 --even --rule hidden=m0", 2, "", "must divide"},
    {"--mesh 2x2 --scope local", 2, "",
     "--scope: 'local' is neither 'tensor' nor 'global'"},
    {"--mesh 2x2 --pick none", 2, "", "--pick: 'none' is no rank"},
    {"--mesh 4 --pick 2d", 2, "", "the mesh has one axis"},
    {"--mesh 2x2 --memory 200kB --pick replicated", 4, "", "needs"},
    {"--mesh 2x2 --memory 1000", 4, "", "the least that would do is "},
    {"--mesh 2x2 --memory 1000 --scope global", 4, "",
     "the least that would do is "},
    {"--mesh 2x2 --memory 100kB --fix w1=-", 4, "", "pinned: 'w1' to "},
    {"--mesh auto:4 --write-lp $S/x.lp", 2, "",
     "--write-lp: found 2 meshes, wanted --mesh with one"},
    {"--mesh 2 --objective peak --write-problem $S/x.json", 2, "",
     "--write-problem: a problem states the least time"},
    {"--mesh 2x2 --machine cpu_tpc", 2, "", "cpu_tcp"},
};

static bool plan(mw_arena *arena, const char *options, mw_shell *got)
{
    char *line =
        mw_arena_format(arena, "meshwright plan $S/search_mlp.mw %s", options);
    return line && mw_shell_run(arena, line, got);
}

static void open_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_ctx_init(ctx);
    mw_arena_init(arena, ctx);
    char *path = mw_arena_format(arena, "%s/search_mlp.mw", mw_scratch_path());
    CHECK(path && mw_file_write(ctx, path, mlp, strlen(mlp)) == MW_OK, "%s",
          ctx->message);
}

static void close_arena(mw_ctx *ctx, mw_arena *arena)
{
    mw_arena_free(arena);
    mw_ctx_free(ctx);
}

static void answers(void)
{
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        mw_shell got;
        if (!plan(&arena, row->options, &got))
            continue;
        bool out = *row->out ? strstr(got.out, row->out) != NULL : !*got.out;
        bool err = *row->err ? strstr(got.err, row->err) != NULL : !*got.err;
        CHECK(got.exit_status == row->exit_status && out && err,
              "plan %s: status %d, printed '%s', said '%s'", row->options,
              got.exit_status, got.out, got.err);
    }
    close_arena(&ctx, &arena);
}

// What `plan` writes stands before its judge, whichever row it is.
static void is_judged(void)
{
    static const char *const options[] = {
        "--mesh 2x2",
        "--mesh 3",
        "--mesh 2x2 --scope global",
        "--mesh 2x2 --memory 150kB",
        "--mesh 2x2 --objective peak",
        "--mesh auto:4",
        "--mesh 2x2 --pick 2",
        "--mesh 2x2 --pick tensor_parallel",
        "--mesh 2x3 --machine a100",
        "--mesh 2x2 --fix w1=hidden@m1 --even",
    };
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        mw_shell got;
        char *line =
            mw_arena_format(&arena, "%s -o $S/search_plan.json", options[i]);
        if (!line || !plan(&arena, line, &got))
            continue;
        CHECK(got.exit_status == 0, "plan %s: %s", options[i], got.err);
        if (mw_shell_run(&arena, "meshwright check $S/search_plan.json", &got))
            CHECK(got.exit_status == 0, "check of %s: %s%s", options[i],
                  got.out, got.err);
    }
    close_arena(&ctx, &arena);
}

// The number after a key, or -1.
static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

// The problem that is written has the plan's time as its optimum.
static void problems(void)
{
    static const char *const options[] = {
        "--mesh 2x2", "--mesh 2x2 --memory 150kB", "--mesh 3 --scope global",
        "--mesh 2x2 --scope global --memory 150kB"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        mw_shell got, solved;
        char *line = mw_arena_format(
            &arena, "%s --format json --write-problem $S/search_problem.json",
            options[i]);
        if (!line || !plan(&arena, line, &got) ||
            !mw_shell_run(&arena,
                          "meshwright solve $S/search_problem.json --format "
                          "json --iterations 100",
                          &solved))
            continue;
        double want = number_after(got.out, "\"additive_s\": ") * 1e12;
        double found = number_after(solved.out, "\"objective\": \"");
        CHECK(want > 0 && want > found - 1 && want < found + 1,
              "%s: planned %.0f ps, solved %.0f ps: %s%s", options[i], want,
              found, got.err, solved.err);
    }
    close_arena(&ctx, &arena);
}

static void same_bytes(void)
{
    static const char *const options[] = {
        "--mesh 2x2 --iterations 20 --seed 3 --format csv",
        "--mesh 2x2 --iterations 20 --memory 150kB --top 4 --format csv",
        "--mesh auto:4 --iterations 20 --format csv"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        mw_shell first, again;
        if (plan(&arena, options[i], &first) &&
            plan(&arena, options[i], &again))
            CHECK(first.exit_status == 0 && !strcmp(first.out, again.out),
                  "%s: '%s' and '%s'", options[i], first.out, again.out);
    }
    close_arena(&ctx, &arena);
}

/* S02: with a batch of 1 another dimension is split. */
static void batch_of_one(void)
{
    static const char *const meshes[] = {"8", "2x4"};
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        mw_shell got;
        char *line = mw_arena_format(
            &arena,
            "meshwright plan examples/gpt_tiny.onnx --dim batch=1 --dim "
            "seq=16 --mesh %s --top 1",
            meshes[i]);
        if (!line || !mw_shell_run(&arena, line, &got))
            continue;
        const char *best = strstr(got.out, "* best");
        CHECK(got.exit_status == 0 && best && strstr(best, "seq@m") &&
                  strstr(got.out, "none: no dimension leads an input"),
              "batch 1 on %s: %s%s", meshes[i], got.out, got.err);
    }
    close_arena(&ctx, &arena);
}

/* S22: what does not fit whole is split, and the report says how. */
static void large_table(void)
{
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    char *model = mw_arena_format(
        &arena, "%s/models/exports/fullsize/gpt2_small.onnx", mw_shared_path());
    FILE *file = model ? fopen(model, "r") : NULL;
    if (!file) {
        SKIP("gpt2_small's table: %s is not there", model);
    } else {
        mw_shell got;
        (void)fclose(file);
        char *line = mw_arena_format(
            &arena,
            "meshwright plan %s --dim batch=1 --dim seq=16 --mesh 8 --top 1 "
            "--memory 150MB",
            model);
        if (line && mw_shell_run(&arena, line, &got)) {
            const char *table = strstr(got.out, "  w.weight ");
            CHECK(got.exit_status == 0 && table &&
                      strstr(table, "  of  147 MiB  ["),
                  "%s%s", got.out, got.err);
        }
    }
    close_arena(&ctx, &arena);
}

// A large model with little time, and one that is stopped.
static void in_time(void)
{
    mw_ctx ctx;
    mw_arena arena;
    open_arena(&ctx, &arena);
    char *model = mw_arena_format(
        &arena, "%s/models/exports/fullsize/gpt2_small.onnx", mw_shared_path());
    FILE *file = model ? fopen(model, "r") : NULL;
    if (!file) {
        SKIP("gpt2_small in time: %s is not there", model);
        close_arena(&ctx, &arena);
        return;
    }
    (void)fclose(file);
    mw_shell got;
    double begin_s = mw_clock_s();
    char *line = mw_arena_format(
        &arena,
        "meshwright plan %s --dim batch=8 --dim seq=1024 --mesh 2x2x2 "
        "--time-limit 2",
        model);
    if (line && mw_shell_run(&arena, line, &got)) {
        double took_s = mw_clock_s() - begin_s;
        CHECK(got.exit_status == 0 && strstr(got.out, "* best"), "%s", got.err);
        CHECK(took_s < 4, "a limit of 2 s took %.1f s", took_s);
    }
    line = mw_arena_format(
        &arena,
        "timeout --preserve-status -s INT 1 %s plan %s --dim batch=8 --dim "
        "seq=1024 --mesh 4x4x4",
        mw_command_path(), model);
    if (line && mw_shell_run(&arena, line, &got))
        CHECK(got.exit_status == 130 && strstr(got.out, "* best"),
              "stopped: status %d, '%s'", got.exit_status, got.err);
    close_arena(&ctx, &arena);
}

const mw_suite mw_suite_search_plan = {
    "search_plan",
    {
        {"answers and refusals", answers},
        {"what is written is judged right", is_judged},
        {"the problem written has the plan's optimum", problems},
        {"the same bytes again", same_bytes},
        {"a batch of one", batch_of_one},
        {"a large table is split", large_table},
        {"the best so far in time", in_time},
    },
};
