/* test_import_index.c - an index outside its axis ends a run, whichever
 * operator it is for, on which of its axes, and also where that axis has a
 * single element. */
#include <stdio.h>
#include <string.h>

#include "tests/onnx_text.h"
#include "tests/shell.h"
#include "tests/test.h"

/* k is a tensor of zeros that only a run knows; R the axis' size, B an index
 * outside it. */
static const struct row {
    const char *lines;
} rows[] = {
    {"input k float 3\ninput x float R,5\n"
     "weight c int64 3 B\nnode Gather x,i -> y\n"},
    {"input k float -\ninput x float R,5\n"
     "weight c int64 - B\nnode Gather x,i -> y\n"},
    {"input k float 2,5\ninput x float R,5\n"
     "weight c int64 2,5 B\nnode GatherElements x,i -> y\n"},
    {"input k float 5,1\ninput x float 5,R\n"
     "weight c int64 5,1 B\nnode GatherElements x,i -> y axis=1\n"},
    {"input k float 4,1\ninput x float R,5\n"
     "weight c int64 4,1 B\nnode GatherND x,i -> y\n"},
    {"input k float 4,2\ninput x float 16,R,5\n"
     "weight c int64 4,2 B\nnode GatherND x,i -> y\n"},
    {"input k float 3,1\ninput x float 3,R,5\n"
     "weight c int64 3,1 B\nnode GatherND x,i -> y batch_dims=1\n"},
    {"input k float 1,5\ninput x float R,5\ninput u float 1,5\n"
     "weight c int64 1,5 B\nnode ScatterElements x,i,u -> y\n"},
    {"input k float 2,1\ninput x float R,5\ninput u float 2,5\n"
     "weight c int64 2,1 B\nnode ScatterND x,i,u -> y\n"},
    {"input k float 2,2\ninput x float 16,R\ninput u float 2\n"
     "weight c int64 2,2 B\nnode ScatterND x,i,u -> y\n"},
};

/* The lines with numbers for R and B. */
static void write_model(const char *lines, int size, int index, char *text,
                        size_t cap)
{
    size_t n = (size_t)snprintf(
        text, cap, "ir 8\nopset 17\noutput y\nweight z float - 0\n");
    for (const char *c = lines; *c && n + 8 < cap; c++)
        if (*c == 'R' || *c == 'B')
            n += (size_t)snprintf(text + n, cap - n, "%d",
                                  *c == 'R' ? size : index);
        else
            text[n++] = *c;
    (void)snprintf(text + n, cap - n,
                   "node Mul k,z -> a\nnode Cast a -> b to=7\n"
                   "node Add b,c -> i\n");
}

static void run_row(mw_arena *arena, const char *lines, int size, int index)
{
    char text[1000], path[400], want[64];
    mw_shell plan, run;
    write_model(lines, size, index, text, sizeof text);
    (void)snprintf(path, sizeof path, "%s/index.onnx", mw_scratch_path());
    (void)snprintf(want, sizeof want, "index %d where the table has %d rows",
                   index, size);
    if (!CHECK(onnx_text_file(path, text), "%s cannot be written", path) ||
        !mw_shell_run(arena,
                      "meshwright plan $S/index.onnx --mesh 2 -o $S/index.json",
                      &plan) ||
        !CHECK(plan.exit_status == 0, "%s: %s", lines, plan.err) ||
        !mw_shell_run(arena, "meshwright run $S/index.json", &run))
        return;
    CHECK(run.exit_status == 5 && strstr(run.err, want) != NULL,
          "%s%d of %d: exit %d: %s", lines, index, size, run.exit_status,
          run.err);
}

static void outside(void)
{
    static const struct {
        int size, index;
    } each[] = {{1, 1}, {4, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < sizeof each / sizeof each[0]; k++) {
            mw_ctx ctx;
            mw_arena arena;
            mw_ctx_init(&ctx);
            mw_arena_init(&arena, &ctx);
            run_row(&arena, rows[i].lines, each[k].size, each[k].index);
            mw_arena_free(&arena);
            mw_ctx_free(&ctx);
        }
}

const mw_suite mw_suite_import_index = {"import_index",
                                        {{"outside an axis", outside}}};
