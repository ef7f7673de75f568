/* options.c - reads a command line against a table. */
#include "cli/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/units.h"

const mw_option mw_common_options[] = {
    {"format", "table|json|csv", "how a result is printed", false},
    {"quiet", NULL, "no warnings and no progress", false},
    {"debug", NULL, "where in the source an error arose", false},
    {"help", NULL, "this text", false},
    {NULL, NULL, NULL, false},
};

static const mw_option *find_in(const mw_option *options, const char *name,
                                size_t length)
{
    for (; options && options->name; options++)
        if (strlen(options->name) == length &&
            strncmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const mw_option *find(const mw_option *options, const char *name,
                             size_t length)
{
    const mw_option *option = find_in(options, name, length);
    return option ? option : find_in(mw_common_options, name, length);
}

/* word: the argument, dashes and all. */
static mw_status unknown(mw_ctx *ctx, const mw_option *options,
                         const char *word)
{
    char name[64];
    size_t dashes = word[1] == '-' ? 2 : 1;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + dashes, "="),
                   word + dashes);
    mw_near near;
    mw_near_init(&near, name);
    for (const mw_option *o = options; o && o->name; o++)
        mw_near_try(&near, o->name);
    for (const mw_option *o = mw_common_options; o->name; o++)
        mw_near_try(&near, o->name);
    mw_ctx_at(ctx, "%.*s%s", (int)dashes, word, name);
    if (!near.best)
        return mw_fail(ctx, MW_EUSAGE, "unknown option\nsee --help");
    return mw_fail(ctx, MW_EUSAGE, "unknown option\ndid you mean %s%s?",
                   near.best[1] ? "--" : "-", near.best);
}

static mw_status give(mw_arena *arena, mw_args *args, const mw_option *option,
                      const char *value)
{
    mw_ctx *ctx = arena->ctx;
    if (!option->repeated && mw_args_has(args, option->name))
        return mw_fail(ctx, MW_EUSAGE, "given twice, wanted once");
    mw_given *given = mw_arena_reserve(arena, args->given, args->n_given,
                                       &args->cap_given, sizeof *given);
    if (!given)
        return MW_ENOMEM;
    args->given = given;
    given[args->n_given++] = (mw_given){option, value};
    return MW_OK;
}

static mw_status give_pos(mw_arena *arena, mw_args *args, const char *text)
{
    const char **pos = mw_arena_reserve(arena, args->pos, args->n_pos,
                                        &args->cap_pos, sizeof *pos);
    if (!pos)
        return MW_ENOMEM;
    args->pos = pos;
    pos[args->n_pos++] = text;
    return MW_OK;
}

/* Reads the option in argv[*i] and its value, which may be the next word. */
static mw_status read_option(mw_arena *arena, mw_args *args, int argc,
                             char *const argv[], int *i)
{
    mw_ctx *ctx = arena->ctx;
    bool word = argv[*i][1] == '-';
    const char *name = argv[*i] + 1 + word, *value = NULL;
    size_t length = word ? strcspn(name, "=") : 1;
    if (name[length])
        value = name + length + (name[length] == '=');
    const mw_option *option = find(args->options, name, length);
    if (!option || word == (option->name[1] == '\0'))
        return unknown(ctx, args->options, argv[*i]);
    mw_ctx_at(ctx, "%s%s", word ? "--" : "-", option->name);
    if (!option->value && value)
        return mw_fail(ctx, MW_EUSAGE, "takes no value, found '%s'", value);
    if (option->value && !value) {
        if (*i + 1 >= argc)
            return mw_fail(ctx, MW_EUSAGE, "without its value %s",
                           option->value);
        value = argv[++*i];
    }
    if (option->value && !*value && strcmp(option->value, "TEXT") != 0)
        return mw_fail(ctx, MW_EUSAGE, "is empty, wanted %s", option->value);
    return give(arena, args, option, value ? value : "");
}

static mw_status read_common(mw_ctx *ctx, mw_args *args)
{
    static const char *const formats[] = {"table", "json", "csv"};
    args->quiet = mw_args_has(args, "quiet");
    args->debug = mw_args_has(args, "debug");
    args->help = mw_args_has(args, "help");
    if (find_in(args->options, "format", strlen("format")))
        return MW_OK;
    const char *format = mw_args_text(args, "format");
    for (int i = 0; format && i < 3; i++)
        if (strcmp(format, formats[i]) == 0) {
            args->format = (mw_output)i;
            return MW_OK;
        }
    if (!format)
        return MW_OK;
    mw_ctx_at(ctx, "--format");
    return mw_fail(ctx, MW_EUSAGE, "is '%s', wanted table, json or csv",
                   format);
}

mw_status mw_args_parse(mw_arena *arena, const mw_option *options, int argc,
                        char *const argv[], mw_args *args)
{
    mw_args read = {.options = options};
    bool only_pos = false;
    for (int i = 0; i < argc; i++) {
        if (!only_pos && strcmp(argv[i], "--") == 0)
            only_pos = true;
        else if (!only_pos && argv[i][0] == '-' && argv[i][1])
            MW_TRY(read_option(arena, &read, argc, argv, &i));
        else
            MW_TRY(give_pos(arena, &read, argv[i]));
    }
    MW_TRY(read_common(arena->ctx, &read));
    mw_ctx_at(arena->ctx, "%s", "");
    *args = read;
    return MW_OK;
}

bool mw_args_has(const mw_args *args, const char *name)
{
    return mw_args_text(args, name) != NULL;
}

const char *mw_args_text(const mw_args *args, const char *name)
{
    return mw_args_item(args, name, 0);
}

int64_t mw_args_count(const mw_args *args, const char *name)
{
    int64_t count = 0;
    for (int64_t i = 0; i < args->n_given; i++)
        count += strcmp(args->given[i].option->name, name) == 0;
    return count;
}

const char *mw_args_item(const mw_args *args, const char *name, int64_t i)
{
    assert(find(args->options, name, strlen(name)));
    for (int64_t k = 0; k < args->n_given; k++)
        if (strcmp(args->given[k].option->name, name) == 0 && i-- == 0)
            return args->given[k].value;
    return NULL;
}

mw_status mw_args_int(mw_ctx *ctx, const mw_args *args, const char *name,
                      const int64_t range[2], int64_t otherwise, int64_t *value)
{
    const char *text = mw_args_text(args, name);
    int64_t parsed = otherwise;
    if (text && (!mw_int_parse(text, &parsed) || parsed < range[0] ||
                 parsed > range[1])) {
        mw_ctx_at(ctx, "--%s", name);
        return mw_fail(ctx, MW_EUSAGE,
                       "is '%s', wanted an integer from %lld to %lld", text,
                       (long long)range[0], (long long)range[1]);
    }
    *value = parsed;
    return MW_OK;
}

mw_status mw_args_real(mw_ctx *ctx, const mw_args *args, const char *name,
                       const double range[2], double otherwise, double *value)
{
    const char *text = mw_args_text(args, name);
    double parsed = otherwise;
    if (text && (!mw_real_parse(text, &parsed) || parsed < range[0] ||
                 parsed > range[1])) {
        mw_ctx_at(ctx, "--%s", name);
        return mw_fail(ctx, MW_EUSAGE, "is '%s', wanted a number from %g to %g",
                       text, range[0], range[1]);
    }
    *value = parsed;
    return MW_OK;
}

mw_status mw_args_bytes(mw_ctx *ctx, const mw_args *args, const char *name,
                        int64_t otherwise, int64_t *value)
{
    const char *text = mw_args_text(args, name);
    int64_t parsed = otherwise;
    if (text && !mw_bytes_parse(text, &parsed)) {
        mw_ctx_at(ctx, "--%s", name);
        return mw_fail(ctx, MW_EUSAGE,
                       "is '%s', wanted bytes such as 4096, 512MiB or 16GB",
                       text);
    }
    *value = parsed;
    return MW_OK;
}

mw_status mw_args_pair(mw_arena *arena, const char *option, const char *text,
                       const char **name, const char **value)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text) {
        mw_ctx_at(arena->ctx, "--%s", option);
        return mw_fail(arena->ctx, MW_EUSAGE, "is '%s', wanted NAME=VALUE",
                       text);
    }
    char *copy = mw_arena_text(arena, text);
    if (!copy)
        return MW_ENOMEM;
    copy[equals - text] = '\0';
    *name = copy;
    *value = copy + (equals - text) + 1;
    return MW_OK;
}
