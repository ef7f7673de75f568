/* test_plan_write.c - the problem that `plan` writes, solved by programs that
 * are not ours: their optimum is the plan's time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/shell.h"
#include "tests/test.h"

static const char net[] = "model net\n"
                          "dim batch = 24\n"
                          "dim seq = 10\n"
                          "dim d_in = 36\n"
                          "dim d_ff = 144\n"
                          "input x : f32[batch, seq, d_in]\n"
                          "param w1 : f32[d_in, d_ff]\n"
                          "param w2 : f32[d_ff, d_in]\n"
                          "h = einsum(x, w1) : f32[batch, seq, d_ff]\n"
                          "a = relu(h) : f32[batch, seq, d_ff]\n"
                          "y = einsum(a, w2) : f32[batch, seq, d_in]\n"
                          "z = add(x, y) : f32[batch, seq, d_in]\n"
                          "m = reduce_sum(z) : f32[batch, d_in]\n"
                          "output m\n";

// How a solver is called on $S/other.lp, and the word before its optimum.
static const struct solver {
    const char *program, *line, *before;
} solvers[] = {
    {"glpsol", "glpsol --lp $S/other.lp -o $S/other.txt && cat $S/other.txt",
     "Objective:  total = "},
    {"cbc", "cbc $S/other.lp -ratio 0 solve", "Objective value:"},
};

static const char *const options[] = {
    "--mesh 2",
    "--mesh 2x2",
    "--mesh 3 --scope global",
    "--mesh 2x2 --memory 120kB",
    "--mesh 2x2 --memory 94000",
    "--mesh 2x3 --memory 110kB --machine a100",
    "--mesh 2x2 --scope global --memory 118kB",
    "--mesh 2x2 --fix w1=d_ff@m1 --memory 130kB",
    "--mesh 2x2 --rule batch=m0 --even",
    "--mesh 1",
};

// The number after the last of a word, or -1.
static double number_after(const char *text, const char *key)
{
    double found = -1;
    for (const char *at = text; (at = strstr(at, key)); at += strlen(key))
        found = strtod(at + strlen(key), NULL);
    return found;
}

static bool is_there(mw_arena *arena, const char *program)
{
    mw_shell got;
    char *line = mw_arena_format(arena, "command -v %s", program);
    return line && mw_shell_run(arena, line, &got) && got.exit_status == 0;
}

// What others find for the LP file, against the plan's time in picoseconds.
static void compare(mw_arena *arena, const char *option, double want)
{
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        const struct solver *other = &solvers[i];
        mw_shell got;
        if (!is_there(arena, other->program) ||
            !mw_shell_run(arena, other->line, &got))
            continue;
        double found = number_after(got.out, other->before);
        // They print 9 figures and up.
        double slack = 1 + want * 1e-7;
        CHECK(got.exit_status == 0 && found > want - slack &&
                  found < want + slack,
              "%s by %s: found %.17g, planned %.17g: %s", option,
              other->program, found, want, got.err);
    }
}

static void other_solvers(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    char *path = mw_arena_format(&arena, "%s/other.mw", mw_scratch_path());
    CHECK(path && mw_file_write(&ctx, path, net, strlen(net)) == MW_OK, "%s",
          ctx.message);
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        if (!is_there(&arena, solvers[i].program))
            SKIP("%s: not installed", solvers[i].program);
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        mw_shell got;
        char *line = mw_arena_format(
            &arena,
            "rm -f $S/other.lp; meshwright plan $S/other.mw %s --format json "
            "--write-lp $S/other.lp",
            options[i]);
        if (!line || !mw_shell_run(&arena, line, &got))
            continue;
        double want = number_after(got.out, "\"additive_s\": ") * 1e12;
        if (CHECK(got.exit_status == 0 && want > 0 &&
                      strstr(got.out, "\"status\": \"optimal\""),
                  "plan %s: %s", options[i], got.err))
            compare(&arena, options[i], want);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_plan_write = {
    "plan_write",
    {{"the LP file's optimum by other solvers", other_solvers}},
};
