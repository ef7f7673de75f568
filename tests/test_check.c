/* test_check.c - the command that judges a plan file. */
#include <string.h>

#include "tests/shell.h"
#include "tests/test.h"

#define PLAN "fuzz/corpus/plan/tiny.json"
#define EDITED(expression) "sed '" expression "' " PLAN " >$S/edited.json && "

#define CHECKED "meshwright check $S/edited.json"

static const struct row {
    const char *line;
    int exit_status;
    const char *out, *err; /* parts of what is printed; "" means nothing */
} rows[] = {
    {"meshwright check " PLAN, 0, "ranking    1 of 2 rows made anew\n", ""},
    {"meshwright check " PLAN " --format json", 0, "\"passed\": true", ""},
    {"meshwright check " PLAN " --format csv", 0, "path,found,wanted\n", ""},
    {EDITED("s/\"search_s\": 0.25/\"search_s\": 9/") "meshwright check "
                                                     "$S/edited.json",
     0, "equal ", ""},
    {EDITED("s/\"peak_step\": 2/\"peak_step\": 3/") "meshwright check "
                                                    "$S/edited.json",
     1, "predicted.peak_step: 3, wanted 2\n",
     "edited.json: 2 values differ from what follows"},
    {EDITED("s/\"peak_step\": 2/\"peak_step\": 3/") "meshwright check "
                                                    "$S/edited.json "
                                                    "--format json",
     1, "\"path\": \"predicted.peak_step\", \"found\": \"3\"",
     "2 values differ"},
    {EDITED("s/\"peak_step\": 2/\"peak_step\": 3/") "meshwright check "
                                                    "$S/edited.json "
                                                    "--format csv",
     1, "predicted.peak_step,\"3\",\"2\"\n", "2 values differ"},
    {EDITED("s/\"split\": {\"batch\"/\"split\": {\"bunch\"/") "meshwright "
                                                              "check "
                                                              "$S/edited.json",
     3, "", "tensor 'x' has no dimension 'bunch'"},
    {EDITED("s/\"latency_s\"/\"delay_s\"/") "meshwright check $S/edited.json",
     3, "", "latency_s"},
    {EDITED("s/\"scope\": \"tensor\"/\"scope\": \"all\"/") CHECKED, 1,
     "scope: all, wanted tensor or global\n", "2 values differ"},
    {EDITED("s/\"status\": \"optimal\"/\"status\": \"great\"/") CHECKED, 1,
     "status: great, wanted optimal or feasible", "differ"},
    {EDITED("s/\"proof\": \"exact\"/\"proof\": \"sworn\"/") CHECKED, 1,
     "proof: sworn, wanted exact or tolerance\n", "2 values differ"},
    {EDITED("s/\"lower_bound_s\": 4.2/\"lower_bound_s\": 5.2/") CHECKED, 1,
     "lower_bound_s: 52001320, wanted at most 42001320\n", "differ"},
    {EDITED("s/\"lower_bound_s\": 4.2/\"lower_bound_s\": 3.2/") CHECKED, 1,
     "status: optimal, wanted feasible: the bound is not reached\n", "differ"},
    {EDITED("s/\"data parallel\"/\"best\"/") CHECKED, 1,
     "ranking[1].name: best, wanted a name that no other row has\n", "differ"},
    {EDITED("/\"needs more\"/d") CHECKED, 1,
     "ranking[1].status: infeasible, wanted a reason\n", "differ"},
    {EDITED("/\"ranking\"/,/^ \\]/{/^  /d}") CHECKED, 1,
     "ranking: no row with the plan's figures, wanted one", "differ"},
    {EDITED("50q") "meshwright check $S/edited.json", 3, "", "edited.json:51"},
    {"meshwright check $S/no-such-plan.json", 3, "", "no-such-plan.json"},
    {"meshwright check", 2, "", "wanted: meshwright check PLAN.json"},
};

static void check_row(const struct row *row)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_shell got;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (mw_shell_run(&arena, row->line, &got)) {
        bool out = *row->out ? strstr(got.out, row->out) != NULL : !*got.out;
        bool err = *row->err ? strstr(got.err, row->err) != NULL : !*got.err;
        CHECK(got.exit_status == row->exit_status && out && err,
              "%s: status %d, printed '%s', said '%s'", row->line,
              got.exit_status, got.out, got.err);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void command_lines(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

const mw_suite mw_suite_check = {"check", {{"command lines", command_lines}}};
