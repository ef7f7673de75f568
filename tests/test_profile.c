/* test_profile.c - measuring, keeping and using figures, from outside. */
#include <string.h>
#include <unistd.h>

#include "tests/shell.h"
#include "tests/test.h"

/* Lines run in order over one store. */
static const struct row {
    const char *line;
    int exit_status;
    const char *out, *err; /* what must be in them; NULL: nothing is printed */
} rows[] = {
    {"meshwright profile --mesh 2 --quick --budget 0.5 --db $S/profile.db"
     " --for tests/data/exports/mlp.onnx --dim batch=3",
     0, "all_reduce", NULL},
    {"meshwright db list --db $S/profile.db", 0, "; kernels ", NULL},
    {"meshwright db check --db $S/profile.db", 0, "whole", NULL},
    {"meshwright plan tests/data/exports/mlp.onnx --dim batch=3 --mesh 2"
     " --db $S/profile.db -o $S/profiled.json",
     0, "best", NULL},
    {"grep -c '\"source\": \"measured\"' $S/profiled.json", 0, "", NULL},
    {"grep -c '\"source\": \"machine\"' $S/profiled.json", 1, "0", NULL},
    {"meshwright check $S/profiled.json", 0, "equal", NULL},
    {"meshwright plan tests/data/exports/mlp.onnx --dim batch=3 --mesh 3"
     " --db $S/profile.db",
     3, NULL, "wanted 3"},
    {"meshwright plan tests/data/exports/mlp.onnx --dim batch=3 --mesh 2"
     " --machine a100 --db $S/profile.db",
     2, NULL, "--db"},
    {"meshwright run $S/profiled.json --threads 1 --oversubscribe"
     " --db $S/profile.db",
     0, "equal", NULL},
    {"meshwright db info --db $S/profile.db --format csv", 0, "runs,1", NULL},
    {"meshwright db export --db $S/profile.db --ranks 2", 0, "measured", NULL},
    {"meshwright db prune --db $S/profile.db --fingerprint other", 0,
     "removed 1", NULL},
    {"meshwright db info --db $S/profile.db --format csv", 0, "profiles,0",
     NULL},
    {"meshwright db list", 2, NULL, "--db"},
    {"meshwright db lost --db $S/profile.db", 2, NULL, "wanted info"},
    {"meshwright profile --mesh 2x --quick", 2, NULL, "2x"},
    {"meshwright machine show nowhere.json", 3, NULL, "nowhere.json"},
    {"meshwright machine list --format csv", 0, "tpu_v4", NULL},
    {"meshwright ops", 0, "einsum", NULL},
    {"meshwright ops --format csv", 0, "solver,staged,exact,", NULL},
    {"meshwright ops --format json", 0, "\"name\": \"transpose\"", NULL},
    {"meshwright ops --man", 0, ".SH SOLVERS", NULL},
    {"meshwright solve no.json --solver stged", 2, NULL, "'staged'?"},
};

static void check_text(const char *line, const char *found, const char *want,
                       const char *what)
{
    if (want)
        CHECK(strstr(found, want) != NULL, "%s: %s is '%s', wanted '%s'", line,
              what, found, want);
    else
        CHECK(found[0] == '\0', "%s: %s is '%s', wanted nothing", line, what,
              found);
}

static void store_and_plan(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_shell got;
    (void)mw_shell_run(&arena, "rm -f $S/profile.db $S/profile.db-*", &got);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!mw_shell_run(&arena, rows[i].line, &got))
            continue;
        CHECK(got.exit_status == rows[i].exit_status, "%s: exit %d: %s",
              rows[i].line, got.exit_status, got.err);
        check_text(rows[i].line, got.out, rows[i].out, "output");
        check_text(rows[i].line, got.err, rows[i].err, "standard error");
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_profile = {"profile",
                                   {{"store and plan", store_and_plan}}};
