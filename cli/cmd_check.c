/* cmd_check.c - the plan's independent judge: nothing of the search is used. */
#include <stdio.h>

#include "base/units.h"
#include "cli/command.h"
#include "ir/plan_file.h"
#include "profiles/machine.h"

static const mw_option options[] = {{0}};

static const char details[] =
    "Reads the plan, makes everything anew from its graph, its choices and its "
    "machine, and compares each value but the wall times and the search's "
    "bound: legality of splits and homes, paths and volumes of every "
    "resharding, bytes of each rank, live memory, offsets, times, the figures "
    "of the ranking, the digest.\n"
    "A difference ends with status 1, a file that is no plan with status 3.";

static mw_status print_json(mw_ctx *ctx, const mw_plan_file *file,
                            const mw_plan_verdict *verdict)
{
    mw_text text;
    mw_json_out out;
    mw_text_init(&text, ctx);
    mw_json_out_init(&out, &text);
    mw_json_begin_object(&out, NULL);
    mw_json_put_bool(&out, "passed", verdict->n_differences == 0);
    mw_json_put_text(&out, "digest", file->computed);
    mw_json_put_int(&out, "values", verdict->n_values);
    mw_json_put_int(&out, "ranking_rows", verdict->n_rows);
    mw_json_begin_array(&out, "differences");
    for (int64_t i = 0; i < verdict->n_differences; i++) {
        mw_json_begin_object_inline(&out, NULL);
        mw_json_put_text(&out, "path", verdict->difference[i].path);
        mw_json_put_text(&out, "found", verdict->difference[i].found);
        mw_json_put_text(&out, "wanted", verdict->difference[i].wanted);
        mw_json_end(&out);
    }
    mw_json_end(&out);
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static void print_csv(const mw_plan_verdict *verdict)
{
    printf("path,found,wanted\n");
    for (int64_t i = 0; i < verdict->n_differences; i++) {
        const mw_plan_difference *d = &verdict->difference[i];
        printf("%s,", d->path);
        for (int side = 0; side < 2; side++) {
            putchar('"');
            for (const char *p = side ? d->wanted : d->found; *p; p++)
                printf(*p == '"' ? "\"\"" : "%c", *p);
            printf(side ? "\"\n" : "\",");
        }
    }
}

static void print_table(const mw_plan_file *file,
                        const mw_plan_verdict *verdict)
{
    char bytes[MW_UNITS_MAX], arena[MW_UNITS_MAX];
    for (int64_t i = 0; i < verdict->n_differences; i++)
        printf("%s: %s, wanted %s\n", verdict->difference[i].path,
               verdict->difference[i].found, verdict->difference[i].wanted);
    if (verdict->n_differences > 0)
        return;
    printf("digest     %s\n", file->computed);
    printf("legal      %d ops, %d tensors on %lld ranks\n", file->graph.n_ops,
           file->graph.n_tensors, (long long)mw_mesh_ranks(&file->mesh));
    printf("sent       %s by the rank that sends most\n",
           mw_bytes_text(file->bytes_sent, bytes));
    printf("arena      %s, buffers lie apart\n",
           mw_bytes_text(file->peak_bytes, arena));
    printf("ranking    %lld of %d rows made anew\n", (long long)verdict->n_rows,
           file->info.n_rows + file->info.n_pareto);
    printf("equal      %lld values\n", (long long)verdict->n_values);
}

static mw_status judge(mw_ctx *ctx, mw_arena *arena, const mw_args *args,
                       const char *path)
{
    mw_plan_file file;
    mw_machine machine;
    mw_plan_verdict verdict;
    MW_TRY(mw_plan_read(ctx, arena, path, &file));
    char *where = mw_arena_format(arena, "%s: machine", path);
    if (!where)
        return MW_ENOMEM;
    MW_TRY(mw_machine_parse(ctx, arena, where, file.info.machine, &machine));
    mw_costs costs = mw_machine_costs(&machine);
    MW_TRY(mw_plan_check(ctx, &file, &costs, &verdict));
    if (args->format == MW_OUTPUT_JSON)
        MW_TRY(print_json(ctx, &file, &verdict));
    else if (args->format == MW_OUTPUT_CSV)
        print_csv(&verdict);
    else
        print_table(&file, &verdict);
    if (verdict.n_differences == 0)
        return MW_OK;
    mw_ctx_at(ctx, "%s", path);
    return mw_fail(ctx, MW_EDIFFERS,
                   "%lld values differ from what follows "
                   "from the plan's choices",
                   (long long)verdict.n_differences);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_status status = judge(ctx, &arena, args, args->pos[0]);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_check = {
    .name = "check",
    .brief = "is a plan legal, do its figures add up?",
    .arguments = "PLAN.json",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .details = details,
    .example = "meshwright check plan.json\n"
               "meshwright check plan.json --format json",
    .run = run,
};
