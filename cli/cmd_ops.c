/* cmd_ops.c - what the registries hold: ops of graphs, solvers. */
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/help.h"
#include "ir/op.h"
#include "search/solver.h"

static const mw_option options[] = {
    {"man", NULL, "as a part of the manual page", false},
    {0},
};

/* A registry's row, for all formats. */
typedef struct entry {
    const char *what, *name, *group, *brief;
} entry;

static int n_entries(void)
{
    return mw_op_count + mw_solver_count;
}

static entry entry_at(int i)
{
    if (i < mw_op_count) {
        const mw_op_def *op = mw_op_table[i];
        return (entry){"op", op->name, op->family, op->brief};
    }
    const mw_solver_def *solver = mw_solver_table[i - mw_op_count];
    return (entry){"solver", solver->name,
                   solver->exact ? "exact" : "heuristic", solver->brief};
}

static void print_manual(void)
{
    for (int i = 0; i < n_entries(); i++) {
        entry e = entry_at(i);
        if (i == 0)
            printf(".SH OPS\n");
        if (i == mw_op_count)
            printf(".SH SOLVERS\n");
        printf(".TP\n\\fB%s\\fR (%s)\n", e.name, e.group);
        mw_help_roff(stdout, e.brief);
    }
}

static mw_status print_json(mw_ctx *ctx)
{
    mw_text text;
    mw_json_out out;
    mw_text_init(&text, ctx);
    mw_json_out_init(&out, &text);
    mw_json_begin_array(&out, NULL);
    for (int i = 0; i < n_entries(); i++) {
        entry e = entry_at(i);
        mw_json_begin_object_inline(&out, NULL);
        mw_json_put_text(&out, "what", e.what);
        mw_json_put_text(&out, "name", e.name);
        mw_json_put_text(&out, "group", e.group);
        mw_json_put_text(&out, "brief", e.brief);
        mw_json_end(&out);
    }
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static void print_lines(bool csv)
{
    if (csv)
        printf("what,name,group,brief\n");
    for (int i = 0; i < n_entries(); i++) {
        entry e = entry_at(i);
        printf(csv ? "%s,%s,%s,\"%s\"\n" : "%-6s  %-14s  %-11s  %s\n", e.what,
               e.name, e.group, e.brief);
    }
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    if (mw_args_has(args, "man")) {
        print_manual();
        return MW_OK;
    }
    if (args->format == MW_OUTPUT_JSON)
        return print_json(ctx);
    print_lines(args->format == MW_OUTPUT_CSV);
    return MW_OK;
}

const mw_command mw_command_ops = {
    .name = "ops",
    .brief = "the ops of graphs and the solvers that there are",
    .arguments = "",
    .min_args = 0,
    .max_args = 0,
    .options = options,
    .details = "Ops are those of the text form, by family; an exact solver "
               "proves its answer, given time.",
    .example = "meshwright ops\n"
               "meshwright ops --format json",
    .run = run,
};
