/* test_command.c - the command's frame: versions, help, usage, statuses. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "meshwright/meshwright.h"
#include "tests/shell.h"
#include "tests/test.h"

static const struct row {
    const char *line;
    int exit_status;
    const char *out, *err; /* parts of what is printed; "" means nothing */
} rows[] = {
    {"meshwright --version", 0, "meshwright " MW_VERSION "\n", ""},
    {"meshwright", 0, "commands:", ""},
    {"meshwright --help", 0, "commands:", ""},
    {"meshwright help", 0, "commands:", ""},
    {"meshwright --version >/dev/full", 5, "",
     "meshwright: error: standard output: cannot be written\n"},
    {"meshwright nothing-like-it", 2, "",
     "meshwright: error: nothing-like-it: unknown command\n"
     "see meshwright --help\n"},
    {"meshwright --debug", 2, "", "(wrong usage, from cli/main.c:"},
    {"meshwright help --man", 0, ".SS solve PROBLEM.json\n", ""},
    {"meshwright help nothing-like-it", 2, "",
     "meshwright: error: nothing-like-it: unknown command\n"},
};

#define NET "meshwright model mlp -o $S/net.mw && "
#define MAKE NET "meshwright plan $S/net.mw --mesh 1 --quiet -o=$S/plan.json "

/* What is read is not written over, nor one result by another. */
static const struct row overwritten[] = {
    {NET "meshwright plan $S/net.mw --mesh 1 -o $S/./net.mw", 2, "",
     "/./net.mw', which is read as well"},
    {NET "meshwright import $S/net.mw -o $S/net.mw", 2, "",
     "meshwright: error: -o: is '"},
    {NET "meshwright plan $S/net.mw --mesh 1 --write-lp $S/net.mw", 2, "",
     "meshwright: error: --write-lp: is '"},
    {NET "meshwright plan $S/net.mw --mesh 1 -o $S/two --write-problem $S/two",
     2, "", "/two', which is written as well"},
    {NET "meshwright plan $S/net.mw --mesh 1 -o /dev/null --write-lp /dev/null",
     0, "rank", ""},
    {MAKE ">$S/out && meshwright run $S/plan.json --trace $S/plan.json", 2, "",
     "/plan.json', which is read as well"},
    {MAKE "--write-problem $S/p.json >$S/out && "
          "meshwright solve $S/p.json -o $S/p.json",
     2, "", "/p.json', which is read as well"},
};

/* What lists can be had as a table, as JSON and as CSV. */
static const struct row lists[] = {
    {"meshwright model --format csv", 0, "model,brief\n", ""},
    {"meshwright model gpt --keys --format csv", 0, "key,default,words,help\n",
     ""},
    {"meshwright model --sizes --format csv | head -1", 0,
     "model,preset,parameters,published,source\n", ""},
    {"meshwright model --sizes --format json", 0, "\"parameters\": ", ""},
    {"meshwright model gpt --sizes", 2, "", "--sizes: lists all models"},
    {"meshwright show mlp --format csv", 0,
     "tensor,role,output,type,bytes\n\"x\",input,false,\"f32[batch, pixels]\",",
     ""},
    {"meshwright show mlp --names --format csv | grep -c parameter", 0, "4",
     ""},
    {"meshwright show --help | grep -c '^  --format'", 0, "1", ""},
};

static void check_row(const struct row *row)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_shell got;
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

static void frame(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

static void files(void)
{
    for (size_t i = 0; i < sizeof overwritten / sizeof overwritten[0]; i++)
        check_row(&overwritten[i]);
}

static void formats(void)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        check_row(&lists[i]);
}

/* Each command prints its help, knows its options, and counts arguments. */
static void each_command(void)
{
    for (int i = 0; i < mw_command_count; i++) {
        const mw_command *command = mw_command_table[i];
        char line[128], near[128];
        (void)snprintf(line, sizeof line, "meshwright %s --help",
                       command->name);
        check_row(&(struct row){line, 0, command->brief, ""});
        (void)snprintf(line, sizeof line, "meshwright help %s", command->name);
        check_row(&(struct row){line, 0, command->brief, ""});
        (void)snprintf(line, sizeof line, "meshwright %s --fromat json",
                       command->name);
        check_row(&(struct row){line, 2, "",
                                "meshwright: error: --fromat: unknown option\n"
                                "did you mean --format?\n"});
        (void)snprintf(line, sizeof line, "meshwright %sz", command->name);
        (void)snprintf(near, sizeof near, "did you mean '%s'?\n",
                       command->name);
        if (strlen(command->name) >= 3)
            check_row(&(struct row){line, 2, "", near});
        if (command->min_args == 0)
            continue;
        (void)snprintf(line, sizeof line, "meshwright %s", command->name);
        check_row(&(struct row){line, 2, "", "wanted: meshwright"});
    }
}

const mw_suite mw_suite_command = {
    "command",
    {
        {"versions, help and unknown commands", frame},
        {"what is read is not written over", files},
        {"lists as table, JSON and CSV", formats},
        {"each command has help and refuses nonsense", each_command},
    },
};
