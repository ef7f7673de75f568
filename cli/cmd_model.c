/* cmd_model.c - the built-in models: which there are, what they take, and the
 * text of one. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "ir/model.h"
#include "ir/text.h"

static const mw_option options[] = {
    MW_MODEL_SET_ROW,
    {"keys", NULL, "what the model takes, and its published sizes", false},
    {"sizes", NULL, "the published sizes of all models, a table", false},
    {"o", "F.mw", "where to write, instead of standard output", false},
    {NULL, NULL, NULL, false},
};

/* ---- lists ---- */

static void list_models(mw_text *text)
{
    for (int i = 0; i < mw_model_count; i++)
        mw_text_format(text, "%-12s %s\n", mw_model_table[i]->name,
                       mw_model_table[i]->brief);
    mw_text_add(text,
                "\n`meshwright model NAME --keys` lists what one takes\n");
}

static void list_models_csv(mw_text *text)
{
    mw_text_add(text, "model,brief\n");
    for (int i = 0; i < mw_model_count; i++) {
        mw_text_format(text, "%s,", mw_model_table[i]->name);
        mw_text_add_csv(text, mw_model_table[i]->brief);
        mw_text_add_char(text, '\n');
    }
}

static void list_keys_csv(mw_text *text, const mw_model_def *def)
{
    mw_text_add(text, "key,default,words,help\n");
    for (const mw_model_key *key = def->keys; key->name; key++) {
        mw_text_format(text, "%s,", key->name);
        mw_text_add_csv(text, key->otherwise);
        mw_text_add_char(text, ',');
        mw_text_add_csv(text, key->words ? key->words : "");
        mw_text_add_char(text, ',');
        mw_text_add_csv(text, key->help);
        mw_text_add_char(text, '\n');
    }
}

static void list_keys(mw_text *text, const mw_model_def *def)
{
    mw_text_format(text, "%s: %s\n\nkeys\n", def->name, def->brief);
    for (const mw_model_key *key = def->keys; key->name; key++)
        mw_text_format(text, "  %-12s %-16s %s\n", key->name,
                       key->words ? key->words : key->otherwise, key->help);
    mw_text_add(text, def->presets ? "\npresets\n" : "");
    for (const mw_model_preset *p = def->presets; p && p->name; p++)
        mw_text_format(text, "  %-16s %s\n", p->name, p->set);
}

static void put_model(mw_json_out *out, const mw_model_def *def)
{
    mw_json_begin_object(out, NULL);
    mw_json_put_text(out, "model", def->name);
    mw_json_put_text(out, "brief", def->brief);
    mw_json_begin_array(out, "keys");
    for (const mw_model_key *key = def->keys; key->name; key++) {
        mw_json_begin_object_inline(out, NULL);
        mw_json_put_text(out, "key", key->name);
        mw_json_put_text(out, "default", key->otherwise);
        if (key->words)
            mw_json_put_text(out, "words", key->words);
        mw_json_put_text(out, "help", key->help);
        mw_json_end(out);
    }
    mw_json_end(out);
    mw_json_begin_array(out, "presets");
    for (const mw_model_preset *p = def->presets; p && p->name; p++) {
        mw_json_begin_object_inline(out, NULL);
        mw_json_put_text(out, "preset", p->name);
        mw_json_put_text(out, "set", p->set);
        if (p->parameters)
            mw_json_put_int(out, "parameters", p->parameters);
        if (p->figure)
            mw_json_put_text(out, "figure", p->figure);
        mw_json_put_text(out, "source", p->source);
        mw_json_end(out);
    }
    mw_json_end(out);
    mw_json_end(out);
}

static void put_models(mw_json_out *out)
{
    mw_json_begin_array(out, NULL);
    for (int i = 0; i < mw_model_count; i++)
        put_model(out, mw_model_table[i]);
    mw_json_end(out);
}

// What is built of a published size.
static mw_status count_parameters(mw_ctx *ctx, const mw_model_def *def,
                                  const mw_model_preset *preset, int64_t *n)
{
    mw_arena arena;
    mw_graph graph;
    mw_arena_init(&arena, ctx);
    const char *set = mw_arena_format(&arena, "preset=%s", preset->name);
    mw_status status =
        set ? mw_model_build(&arena, def->name, &set, 1, &graph) : MW_ENOMEM;
    if (status == MW_OK)
        *n = mw_model_parameters(&graph);
    mw_arena_free(&arena);
    return status;
}

// A row of the table: what is built, and what was published.
static void add_size(mw_text *text, const mw_model_def *def,
                     const mw_model_preset *preset, int64_t built)
{
    mw_text_format(text, "| %s | `%s` | %lld | ", def->name, preset->name,
                   (long long)built);
    if (preset->parameters)
        mw_text_format(text, "%lld", (long long)preset->parameters);
    else
        mw_text_add(text, preset->figure ? preset->figure : "");
    mw_text_format(text, " | %s |\n", preset->source);
}

static void add_size_csv(mw_text *text, const mw_model_def *def,
                         const mw_model_preset *preset, int64_t built)
{
    mw_text_format(text, "%s,%s,%lld,", def->name, preset->name,
                   (long long)built);
    if (preset->parameters)
        mw_text_format(text, "%lld", (long long)preset->parameters);
    else
        mw_text_add_csv(text, preset->figure ? preset->figure : "");
    mw_text_add_char(text, ',');
    mw_text_add_csv(text, preset->source);
    mw_text_add_char(text, '\n');
}

static void put_size(mw_json_out *out, const mw_model_def *def,
                     const mw_model_preset *preset, int64_t built)
{
    mw_json_begin_object_inline(out, NULL);
    mw_json_put_text(out, "model", def->name);
    mw_json_put_text(out, "preset", preset->name);
    mw_json_put_int(out, "parameters", built);
    if (preset->parameters)
        mw_json_put_int(out, "published", preset->parameters);
    else if (preset->figure)
        mw_json_put_text(out, "published", preset->figure);
    mw_json_put_text(out, "source", preset->source);
    mw_json_end(out);
}

static mw_status add_sizes(mw_ctx *ctx, mw_text *text, mw_output format)
{
    mw_json_out out;
    mw_json_out_init(&out, text);
    if (format == MW_OUTPUT_JSON)
        mw_json_begin_array(&out, NULL);
    else if (format == MW_OUTPUT_CSV)
        mw_text_add(text, "model,preset,parameters,published,source\n");
    else
        mw_text_add(text,
                    "| model | preset | parameters | published | source |\n"
                    "|---|---|---|---|---|\n");
    for (int i = 0; i < mw_model_count; i++) {
        const mw_model_def *def = mw_model_table[i];
        for (const mw_model_preset *p = def->presets; p && p->name; p++) {
            int64_t built = 0;
            MW_TRY(count_parameters(ctx, def, p, &built));
            if (format == MW_OUTPUT_JSON)
                put_size(&out, def, p, built);
            else if (format == MW_OUTPUT_CSV)
                add_size_csv(text, def, p, built);
            else
                add_size(text, def, p, built);
        }
    }
    if (format == MW_OUTPUT_JSON)
        mw_json_end(&out);
    return MW_OK;
}

/* ---- the command ---- */

static mw_status write_out(mw_ctx *ctx, const mw_args *args, const char *text)
{
    const char *path = mw_args_text(args, "o");
    if (path)
        return mw_file_write(ctx, path, text, strlen(text));
    (void)fputs(text, stdout);
    return MW_OK;
}

static void put_list(mw_text *text, const mw_model_def *def)
{
    mw_json_out out;
    mw_json_out_init(&out, text);
    if (def)
        put_model(&out, def);
    else
        put_models(&out);
}

static mw_status print_list(mw_ctx *ctx, const mw_args *args,
                            const mw_model_def *def)
{
    mw_text text;
    mw_status status = MW_OK;
    mw_text_init(&text, ctx);
    if (mw_args_has(args, "sizes"))
        status = add_sizes(ctx, &text, args->format);
    else if (args->format == MW_OUTPUT_JSON)
        put_list(&text, def);
    else if (args->format == MW_OUTPUT_CSV && def)
        list_keys_csv(&text, def);
    else if (args->format == MW_OUTPUT_CSV)
        list_models_csv(&text);
    else if (def)
        list_keys(&text, def);
    else
        list_models(&text);
    if (status == MW_OK)
        status = mw_text_status(&text);
    if (status == MW_OK)
        status = write_out(ctx, args, text.data);
    mw_text_free(&text);
    return status;
}

static mw_status print_model(mw_arena *arena, const mw_args *args)
{
    mw_import_options with;
    mw_graph graph;
    MW_TRY(mw_model_options_set(arena, args, &with));
    MW_TRY(mw_model_build(arena, args->pos[0], with.set, with.n_set, &graph));
    char *text = mw_text_print(&graph);
    return text ? write_out(arena->ctx, args, text) : MW_ENOMEM;
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    const mw_model_def *def = args->n_pos ? mw_model_find(args->pos[0]) : NULL;
    if (args->n_pos == 0 && mw_args_count(args, "set") > 0) {
        mw_ctx_at(ctx, "--set");
        return mw_fail(ctx, MW_EUSAGE, "of which model? wanted its name");
    }
    if (args->n_pos > 0 && mw_args_has(args, "sizes")) {
        mw_ctx_at(ctx, "--sizes");
        return mw_fail(ctx, MW_EUSAGE,
                       "lists all models, found the name '%s' besides",
                       args->pos[0]);
    }
    if (args->n_pos == 0 || (def && mw_args_has(args, "keys")))
        return print_list(ctx, args, def);
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_status status = print_model(&arena, args);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_model = {
    .name = "model",
    .brief = "built-in models: a list, or the text of one",
    .arguments = "[NAME]",
    .min_args = 0,
    .max_args = 1,
    .options = options,
    .writes = (const char *const[]){"o", NULL},
    .details =
        "Without NAME the models are listed. A name stands for a MODEL in "
        "every "
        "other command too, with the same --set. A preset is a published size; "
        "other keys change it. Weights are made from the seed when it is run.",
    .example = "meshwright model\n"
               "meshwright model gpt --keys\n"
               "meshwright model gpt --set preset=gpt2-small --set batch=16 -o "
               "gpt2.mw\n"
               "meshwright plan gpt --set layers=4 --mesh 2x2",
    .run = run,
};
