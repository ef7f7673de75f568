/* cmd_machine.c - machines described from public figures, and this one. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "profiles/machine.h"

static const mw_option options[] = {{0}};

static void list_line(const mw_args *args, const mw_machine *machine)
{
    if (args->format == MW_OUTPUT_CSV)
        printf("%s,\"%s\"\n", machine->name, machine->brief);
    else
        printf("%-10s %s\n", machine->name, machine->brief);
}

static mw_status list(mw_ctx *ctx, mw_arena *arena, const mw_args *args)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_json_out out;
    mw_json_out_init(&out, &text);
    mw_json_begin_array(&out, NULL);
    if (args->format == MW_OUTPUT_CSV)
        printf("name,brief\n");
    mw_status status = MW_OK;
    for (int i = -1; status == MW_OK && i < mw_machine_presets(); i++) {
        const char *name = i < 0 ? "this" : mw_machine_preset(i);
        mw_machine machine;
        status = mw_machine_find(ctx, arena, name, &machine);
        if (status != MW_OK)
            break;
        if (args->format == MW_OUTPUT_JSON)
            mw_machine_put(&out, NULL, &machine);
        else
            list_line(args, &machine);
    }
    mw_json_end(&out);
    if (status == MW_OK)
        status = mw_text_status(&text);
    if (status == MW_OK && args->format == MW_OUTPUT_JSON)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static void show_rates(const mw_machine *machine)
{
    char number[MW_UNITS_MAX];
    for (int d = 0; d < MW_N_DTYPES; d++)
        if (machine->flops_per_s[d] > 0)
            printf("rate       %sFLOP/s in %s\n",
                   mw_count_text(machine->flops_per_s[d], number),
                   mw_dtype_name((mw_dtype)d));
}

static void show_table(const mw_machine *machine)
{
    char number[MW_UNITS_MAX];
    printf("name       %s\nwhat       %s\nsource     %s\n", machine->name,
           machine->brief, machine->source);
    show_rates(machine);
    printf("memory     %s a processor",
           mw_bytes_text(machine->memory_bytes, number));
    printf(", %s/s\n",
           mw_bytes_text((int64_t)machine->memory_bytes_per_s, number));
    printf("overhead   %s an op\n",
           mw_seconds_text(machine->op_overhead_s, number));
    for (int l = 0; l < machine->n_levels; l++) {
        const mw_machine_level *level = &machine->level[l];
        printf("links      in a %s", level->name);
        if (level->count > 0)
            printf(" of %lld", (long long)level->count);
        printf(": %s", mw_seconds_text(level->latency_s, number));
        printf(", %s/s\n", mw_bytes_text((int64_t)level->bytes_per_s, number));
    }
}

static mw_status show(mw_ctx *ctx, mw_arena *arena, const mw_args *args)
{
    mw_machine machine;
    MW_TRY(mw_machine_find(ctx, arena, args->pos[1], &machine));
    if (args->format == MW_OUTPUT_TABLE) {
        show_table(&machine);
        return MW_OK;
    }
    if (args->format == MW_OUTPUT_CSV) {
        printf("name,brief\n");
        list_line(args, &machine);
        return MW_OK;
    }
    char *json;
    MW_TRY(mw_machine_print(ctx, arena, &machine, &json));
    (void)fputs(json, stdout);
    return MW_OK;
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_status status;
    if (strcmp(args->pos[0], "list") == 0 && args->n_pos == 1)
        status = list(ctx, &arena, args);
    else if (strcmp(args->pos[0], "show") == 0 && args->n_pos == 2)
        status = show(ctx, &arena, args);
    else
        status = mw_fail(ctx, MW_EUSAGE,
                         "machine: '%s' with %lld arguments, wanted `list` or "
                         "`show NAME`",
                         args->pos[0], (long long)args->n_pos - 1);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_machine = {
    .name = "machine",
    .brief = "machines described from public figures, and this one",
    .arguments = "list | show NAME",
    .min_args = 1,
    .max_args = 2,
    .options = options,
    .details = "A plan without --db is priced for such a machine: `plan "
               "--machine NAME`, or a file in the form that `machine show "
               "NAME --format json` prints.",
    .example = "meshwright machine list\n"
               "meshwright machine show a100 --format json > mine.json",
    .run = run,
};
