/* test_planner.c - the public planner, through its header. */
#include "meshwright/meshwright.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/plan_file.h"
#include "profiles/machine.h"
#include "tests/test.h"

static const mw_planner_dim batch_8[] = {{"batch", 8}};
static const mw_planner_dim nothing[] = {{"nothing", 8}};

#define MLP "tests/data/exports/mlp.onnx"
static const struct row {
    const char *title;
    mw_planner_request request;
    int want;
    const char *message; /* what it holds */
} rows[] = {
    {"no model", {.mesh = "2"}, 2, "model is NULL"},
    {"no mesh", {.model = MLP}, 2, "mesh is NULL"},
    {"bad mesh", {.model = MLP, .mesh = "2x"}, 2, "mesh"},
    {"bad machine", {.model = MLP, .mesh = "2", .machine = "a10"}, 2, "a10"},
    {"bad count", {.model = MLP, .mesh = "2", .n_dims = -1}, 2, "n_dims"},
    {"bad limit",
     {.model = MLP, .mesh = "2", .time_limit_s = -1},
     2,
     "time_limit_s"},
    {"unnamed dimension",
     {.model = MLP, .mesh = "2", .dim = (mw_planner_dim[1]){{0}}, .n_dims = 1},
     2,
     "(null)"},
    {"unknown dimension",
     {.model = MLP, .mesh = "2", .dim = nothing, .n_dims = 1},
     2,
     "nothing"},
    {"no file", {.model = "tests/no.mw", .mesh = "2"}, 3, "tests/no.mw"},
    {"too little memory",
     {.model = MLP,
      .mesh = "2",
      .dim = batch_8,
      .n_dims = 1,
      .memory_bytes = 1},
     4,
     "fits 1 bytes"},
    {"a plan",
     {.model = MLP, .mesh = "2x2", .dim = batch_8, .n_dims = 1},
     0,
     ""},
    {"one rule for all",
     {.model = MLP, .mesh = "2x2", .dim = batch_8, .n_dims = 1, .global = 1},
     0,
     ""},
    {"least memory",
     {.model = MLP,
      .mesh = "4",
      .dim = batch_8,
      .n_dims = 1,
      .least_peak = 1,
      .iterations = 1000},
     0,
     ""},
};

/* Whatever is asked of the first, the second says how large it may be. */
static void largest_sizes(void)
{
    static const struct {
        const char *title;
        mw_planner_request request;
        int want;
    } asked[] = {
        {"a memory that some fit",
         {.model = MLP,
          .mesh = "2",
          .memory_bytes = 1300000,
          .largest = "batch"},
         0},
        {"splits that divide, axes in all orders",
         {.model = MLP,
          .mesh = "3x2",
          .memory_bytes = 1200000,
          .even = 1,
          .axis_orders = 1,
          .largest = "batch"},
         0},
        {"a memory that none fits",
         {.model = MLP, .mesh = "2", .memory_bytes = 10, .largest = "batch"},
         4},
    };
    mw_planner *planner = mw_planner_open();
    for (size_t i = 0; planner && i < sizeof asked / sizeof asked[0]; i++) {
        int64_t above = -1;
        mw_planner_request request = asked[i].request;
        int got = mw_planner_plan(planner, &request);
        int64_t size = mw_planner_largest(planner, &above);
        if (!CHECK(got == asked[i].want && (size > 0) == (got == 0),
                   "%s: %d, size %lld: %s", asked[i].title, got,
                   (long long)size, mw_planner_message(planner)) ||
            got != 0)
            continue;
        CHECK(mw_planner_peak_bytes(planner) <= request.memory_bytes &&
                  above == size + 1,
              "%s: size %lld, proven from %lld on", asked[i].title,
              (long long)size, (long long)above);
        for (int more = 0; more < 2; more++) {
            mw_planner_dim dim = {"batch", size + more};
            request.dim = &dim;
            request.n_dims = 1;
            request.largest = NULL;
            got = mw_planner_plan(planner, &request);
            CHECK(got == (more ? 4 : 0), "%s: size %lld: %d", asked[i].title,
                  (long long)dim.size, got);
        }
    }
    mw_planner_close(planner);
}

/* The best of a mesh's orders is the better of what each is by itself. */
static void axis_orders(void)
{
    static const char *const mesh[] = {"2x3", "3x2"};
    mw_planner *planner = mw_planner_open();
    double least = (double)INFINITY;
    for (int i = 0; planner && i < 3; i++) {
        mw_planner_request request = {.model = MLP,
                                      .mesh = mesh[i % 2],
                                      .dim = batch_8,
                                      .n_dims = 1,
                                      .axis_orders = i == 2};
        int got = mw_planner_plan(planner, &request);
        double time_s = mw_planner_time_s(planner);
        if (i < 2)
            least = fmin(least, time_s);
        CHECK(got == 0 && (i < 2 || fabs(time_s - least) <= 1e-12),
              "%s: %d, %.17g s, want %.17g", mesh[i % 2], got, time_s, least);
    }
    mw_planner_close(planner);
}

// The plan is one that the checker passes, and has the planner's figures.
static mw_status judge(mw_arena *arena, const mw_planner *planner)
{
    mw_plan_file file;
    mw_machine machine;
    mw_plan_verdict verdict;
    const char *json = mw_planner_json(planner);
    MW_TRY(mw_plan_read_text(arena->ctx, arena, "planner", json, strlen(json),
                             &file));
    CHECK(fabs(file.time_s - mw_planner_time_s(planner)) <= 1e-12 &&
              file.time_s > 0,
          "the plan says %.17g s, the planner %.17g", file.time_s,
          mw_planner_time_s(planner));
    CHECK(file.bytes_sent == mw_planner_bytes_sent(planner) &&
              file.peak_bytes == mw_planner_peak_bytes(planner),
          "sent and peak of the plan are %lld and %lld",
          (long long)file.bytes_sent, (long long)file.peak_bytes);
    CHECK((strcmp(file.info.status, "optimal") == 0) ==
              mw_planner_optimal(planner),
          "the plan is %s", file.info.status);
    MW_TRY(mw_machine_parse(arena->ctx, arena, "planner", file.info.machine,
                            &machine));
    mw_costs costs = mw_machine_costs(&machine);
    MW_TRY(mw_plan_check(arena->ctx, &file, &costs, &verdict));
    CHECK(verdict.n_values > 0 && verdict.n_differences == 0,
          "%lld of %lld values differ", (long long)verdict.n_differences,
          (long long)verdict.n_values);
    return MW_OK;
}

static void check_plan(const mw_planner *planner, const char *title)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = judge(&arena, planner);
    CHECK(status == MW_OK, "%s: %s", title, ctx.message);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* One planner for all rows: nothing of a request reaches the next. */
static void requests(void)
{
    mw_planner *planner = mw_planner_open();
    if (!CHECK(planner != NULL, "no planner"))
        return;
    size_t n = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < 2 * n; i++) {
        // Forth, then back.
        const struct row *row = &rows[i < n ? i : 2 * n - 1 - i];
        int got = mw_planner_plan(planner, &row->request);
        const char *message = mw_planner_message(planner);
        CHECK(got == row->want && strstr(message, row->message) &&
                  (*message != '\0') == (got != 0),
              "%s: got %d '%s', want %d '%s'", row->title, got, message,
              row->want, row->message);
        bool planned = mw_planner_json(planner) != NULL;
        CHECK(planned == (row->want == 0), "%s: there is %s plan", row->title,
              planned ? "a" : "no");
        if (planned)
            check_plan(planner, row->title);
        else
            CHECK(mw_planner_time_s(planner) <= 0 &&
                      mw_planner_peak_bytes(planner) == 0 &&
                      mw_planner_bytes_sent(planner) == 0 &&
                      !mw_planner_optimal(planner),
                  "%s: figures without a plan", row->title);
    }
    mw_planner_close(planner);
    mw_planner_close(NULL);
}

const mw_suite mw_suite_planner = {"planner",
                                   {{"requests", requests},
                                    {"largest sizes", largest_sizes},
                                    {"axis orders", axis_orders}}};
