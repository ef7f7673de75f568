/* cmd_db.c - what the store of measured figures holds. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "db/store.h"
#include "runtime/fingerprint.h"

static const mw_option options[] = {
    {"db", "FILE", "the store", false},
    {"fingerprint", "TEXT", "of the profile; this machine's", false},
    {"ranks", "N", "of the profile that is exported", false},
    {0},
};

typedef struct db_call {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_args *args;
    mw_store *store;
} db_call;

static mw_status info(const db_call *call)
{
    mw_store_info info;
    MW_TRY(mw_store_info_of(call->store, &info));
    const struct {
        const char *name;
        int64_t value;
    } lines[] = {{"version", info.version},
                 {"machines", info.n_machines},
                 {"profiles", info.n_profiles},
                 {"kernels", info.n_kernels},
                 {"collectives", info.n_collectives},
                 {"models", info.n_models},
                 {"plans", info.n_plans},
                 {"runs", info.n_runs},
                 {"bytes", info.file_bytes}};
    mw_text text;
    mw_text_init(&text, call->ctx);
    mw_json_out out;
    mw_json_out_init(&out, &text);
    mw_json_begin_object(&out, NULL);
    if (call->args->format == MW_OUTPUT_CSV)
        printf("what,number\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        mw_json_put_int(&out, lines[i].name, lines[i].value);
        if (call->args->format == MW_OUTPUT_TABLE)
            printf("%-12s %lld\n", lines[i].name, (long long)lines[i].value);
        else if (call->args->format == MW_OUTPUT_CSV)
            printf("%s,%lld\n", lines[i].name, (long long)lines[i].value);
    }
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK && call->args->format == MW_OUTPUT_JSON)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static void put_entry(mw_json_out *out, const mw_store_entry *entry)
{
    mw_json_begin_object(out, NULL);
    mw_json_put_text(out, "machine", entry->machine);
    mw_json_put_text(out, "fingerprint", entry->fingerprint);
    mw_json_put_text(out, "taken", entry->taken);
    mw_json_put_int(out, "ranks", entry->ranks);
    mw_json_put_int(out, "threads", entry->threads);
    mw_json_put_int(out, "kernels", entry->n_kernels);
    mw_json_put_int(out, "collectives", entry->n_collectives);
    mw_json_end(out);
}

static void print_entry(const db_call *call, const mw_store_entry *entry)
{
    if (call->args->format == MW_OUTPUT_CSV)
        printf("%s,%lld,%lld,%lld,%lld,\"%s\"\n", entry->taken,
               (long long)entry->ranks, (long long)entry->threads,
               (long long)entry->n_kernels, (long long)entry->n_collectives,
               entry->fingerprint);
    else
        printf("%-20s  %5lld  %7lld  %7lld  %11lld  %s\n", entry->taken,
               (long long)entry->ranks, (long long)entry->threads,
               (long long)entry->n_kernels, (long long)entry->n_collectives,
               entry->fingerprint);
}

static mw_status list(const db_call *call)
{
    mw_store_entry *entry;
    int n;
    MW_TRY(mw_store_list(call->store, call->arena, &entry, &n));
    mw_text text;
    mw_text_init(&text, call->ctx);
    mw_json_out out;
    mw_json_out_init(&out, &text);
    mw_json_begin_array(&out, NULL);
    if (call->args->format == MW_OUTPUT_CSV)
        printf("taken,ranks,threads,kernels,collectives,fingerprint\n");
    if (call->args->format == MW_OUTPUT_TABLE)
        printf("%-20s  ranks  threads  kernels  collectives  of\n", "taken");
    for (int i = 0; i < n; i++)
        if (call->args->format == MW_OUTPUT_JSON)
            put_entry(&out, &entry[i]);
        else
            print_entry(call, &entry[i]);
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK && call->args->format == MW_OUTPUT_JSON)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static mw_status check(const db_call *call)
{
    MW_TRY(mw_store_check(call->store));
    printf("whole: SQLite finds no damage and no broken reference\n");
    return MW_OK;
}

static mw_status wanted_fingerprint(const db_call *call, const char **text)
{
    *text = mw_args_text(call->args, "fingerprint");
    if (*text)
        return MW_OK;
    char *made;
    MW_TRY(mw_fingerprint(call->ctx, call->arena, &made));
    *text = made;
    return MW_OK;
}

static mw_status prune(const db_call *call)
{
    const char *fingerprint;
    MW_TRY(wanted_fingerprint(call, &fingerprint));
    int64_t gone;
    MW_TRY(mw_store_prune(call->store, fingerprint, &gone));
    printf("removed %lld profiles of other machines or versions\n",
           (long long)gone);
    return MW_OK;
}

static mw_status export(const db_call *call)
{
    const char *fingerprint;
    MW_TRY(wanted_fingerprint(call, &fingerprint));
    int64_t ranks;
    MW_TRY(mw_args_int(call->ctx, call->args, "ranks",
                       (int64_t[]){1, INT32_MAX}, 1, &ranks));
    mw_machine machine;
    MW_TRY(mw_store_load_measured(call->store, call->arena, fingerprint, ranks,
                                  0, &machine));
    char *json;
    MW_TRY(mw_machine_print(call->ctx, call->arena, &machine, &json));
    (void)fputs(json, stdout);
    return MW_OK;
}

static mw_status import(const db_call *call)
{
    mw_machine machine;
    const char *path = call->args->pos[1];
    MW_TRY(mw_machine_find(call->ctx, call->arena, path, &machine));
    if (!machine.measured) {
        mw_ctx_at(call->ctx, "%s", path);
        return mw_fail(call->ctx, MW_EINPUT, "holds no measured figures");
    }
    return mw_store_save_measured(call->store, &machine, machine.measured);
}

static const struct action {
    const char *name;
    int n_args;
    mw_store_mode mode;
    mw_status (*run)(const db_call *call);
} actions[] = {{"info", 1, MW_STORE_READ, info},
               {"list", 1, MW_STORE_READ, list},
               {"check", 1, MW_STORE_READ, check},
               {"prune", 1, MW_STORE_WRITE, prune},
               {"export", 1, MW_STORE_READ, export},
               {"import", 2, MW_STORE_WRITE, import}};

static mw_status act(db_call *call, const struct action *action)
{
    const char *path = mw_args_text(call->args, "db");
    if (!path)
        return mw_fail(call->ctx, MW_EUSAGE, "db %s: wanted --db FILE",
                       action->name);
    MW_TRY(mw_store_open(call->ctx, path, action->mode, &call->store));
    return action->run(call);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    const struct action *action = NULL;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(args->pos[0], actions[i].name) == 0)
            action = &actions[i];
    if (!action || args->n_pos != action->n_args)
        return mw_fail(ctx, MW_EUSAGE,
                       "db: '%s' with %lld arguments, wanted info, list, "
                       "check, prune, export, or import FILE",
                       args->pos[0], (long long)args->n_pos - 1);
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    db_call call = {ctx, &arena, args, NULL};
    mw_status status = act(&call, action);
    mw_store_close(call.store);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_db = {
    .name = "db",
    .brief = "what the store of measured figures holds",
    .arguments = "info | list | check | prune | export | import FILE",
    .min_args = 1,
    .max_args = 2,
    .options = options,
    .details =
        "prune removes profiles of other machines and versions; export prints "
        "a profile as a machine file for `plan --machine`; import adds one.",
    .example = "meshwright db list --db profiles.db\n"
               "meshwright db export --db profiles.db --ranks 4 > four.json",
    .run = run,
};
