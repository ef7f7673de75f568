/* test_plan_infeasible.c - when nothing fits: what is said about it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char net[] = "model net\n"
                          "dim batch = 24\n"
                          "dim d_in = 36\n"
                          "dim d_ff = 150\n"
                          "input x : f32[batch, d_in]\n"
                          "param w1 : f32[d_in, d_ff]\n"
                          "param w2 : f32[d_ff, d_in]\n"
                          "h = einsum(x, w1) : f32[batch, d_ff]\n"
                          "a = relu(h) : f32[batch, d_ff]\n"
                          "y = einsum(a, w2) : f32[batch, d_in]\n"
                          "output y\n";

// What is asked for besides --memory; the demand that alone is worth dropping,
// if memory is just short of what all demands together need.
static const struct row {
    const char *model, *options, *demand;
} rows[] = {
    {"$S/tight.mw", "--mesh 2x2", NULL},
    {"$S/tight.mw", "--mesh 3 --scope global", "--scope global"},
    {"$S/tight.mw", "--mesh 2x2 --fix w1=-", "--fix w1"},
    {"$S/tight.mw", "--mesh 2x2 --fix w2=-", "--fix w2"},
    {"$S/tight.mw", "--mesh 4 --rule d_ff=-", "--rule d_ff"},
    {"$S/tight.mw", "--mesh 4 --even", "--even"},
    {"$S/tight.mw", "--mesh 2x2 --fix w1=- --fix w2=- --rule batch=m0", ""},
    {"gpt --set layers=1 --set d_model=64 --set heads=4 --set vocab=500 --set "
     "seq=16 --set batch=4",
     "--mesh 4 --fix wte.weight=-", "--fix wte.weight"},
};

static bool plan(mw_arena *arena, const struct row *row, int64_t memory,
                 mw_shell *got)
{
    char *line =
        mw_arena_format(arena, "meshwright plan %s %s --top 1 --memory %lld",
                        row->model, row->options, (long long)memory);
    return line && mw_shell_run(arena, line, got);
}

static int64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

// The bytes that are listed add up to what the step takes.
static int64_t listed_bytes(const char *text)
{
    const char *at = strstr(text, "\nlive there:");
    const char *end = at ? strchr(at + 1, '\n') : NULL;
    int64_t sum = 0;
    while (at && (at = strstr(at, " bytes (")) && (!end || at < end)) {
        const char *digits = at;
        while (digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        sum += strtoll(digits, NULL, 10);
        at++;
    }
    return sum;
}

static void check_row(mw_arena *arena, const struct row *row)
{
    mw_shell got;
    if (!plan(arena, row, 1000, &got) ||
        !CHECK(got.exit_status == 4, "%s: status %d", row->options,
               got.exit_status))
        return;
    int64_t need = number_after(got.err, "the least that would do is ");
    CHECK(need > 1000 && strstr(got.err, ", at op '") &&
              listed_bytes(got.err) == need,
          "%s: %lld bytes are listed of %lld: %s", row->options,
          (long long)listed_bytes(got.err), (long long)need, got.err);
    if (!plan(arena, row, need, &got))
        return;
    CHECK(got.exit_status == 0, "%s: %lld bytes would do: %s", row->options,
          (long long)need, got.err);
    if (!plan(arena, row, need - 1, &got))
        return;
    CHECK(got.exit_status == 4 && number_after(got.err, "\nshort by ") == 1,
          "%s: %s", row->options, got.err);
    const char *way = strstr(got.err, "\ncheapest relaxation: ");
    if (!CHECK(way != NULL, "%s: no way out: %s", row->options, got.err))
        return;
    way += strlen("\ncheapest relaxation: ");
    if (!row->demand)
        CHECK(number_after(way, "--memory ") == need, "%s: %s", row->options,
              got.err);
    else if (strncmp(way, "drop ", 5) == 0)
        CHECK(strstr(way, row->demand) != NULL, "%s: drop what? %s",
              row->options, got.err);
    else
        CHECK(number_after(way, "--memory ") == need, "%s: %s", row->options,
              got.err);
}

static void ways_out(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    char *path = mw_arena_format(&arena, "%s/tight.mw", mw_scratch_path());
    CHECK(path && mw_file_write(&ctx, path, net, strlen(net)) == MW_OK, "%s",
          ctx.message);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&arena, &rows[i]);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* S26: a pin and a tight budget: the pin and the shortfall are named, and
 * without the pin it fits. */
static void pin_and_budget(void)
{
    const struct row *row = &rows[2];
    const struct row freed = {row->model, "--mesh 2x2", NULL};
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (plan(&arena, &freed, 1000, &got)) {
        int64_t need = number_after(got.err, "the least that would do is ");
        if (plan(&arena, row, need, &got))
            CHECK(
                got.exit_status == 4 &&
                    strstr(got.err, "pinned: 'w1' to [d_in, d_ff] takes ") &&
                    number_after(got.err, "\nshort by ") > 0 &&
                    number_after(got.err, "\nwithout --fix w1 the least is ") ==
                        need &&
                    strstr(got.err, "\ncheapest relaxation: drop --fix w1"),
                "%s", got.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_plan_infeasible = {
    "plan_infeasible",
    {{"what would do, and the way out", ways_out},
     {"a pin and a tight budget", pin_and_budget}},
};
