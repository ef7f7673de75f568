/* test_options.c - command lines are read or refused; messages are printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "tests/test.h"

static const mw_option options[] = {
    {"mesh", "SPEC", "the mesh", false}, {"dim", "N=SIZE", "a size", true},
    {"even", NULL, "a flag", false},     {"o", "FILE", "where to", false},
    {"note", "TEXT", "a text", false},   {NULL, NULL, NULL, false},
};

enum { WORDS = 8 };

/* "mesh=2x2 dim=a=1 even| pos pos", or the failure. */
static void describe(mw_text *text, const mw_args *args)
{
    for (int64_t i = 0; i < args->n_given; i++)
        mw_text_format(text, "%s%s%s ", args->given[i].option->name,
                       args->given[i].value[0] ? "=" : "",
                       args->given[i].value);
    mw_text_add(text, "|");
    for (int64_t i = 0; i < args->n_pos; i++)
        mw_text_format(text, " %s", args->pos[i]);
}

static const struct row {
    const char *word[WORDS];
    const char *want;
} rows[] = {
    {{"net", "--mesh", "2x2"}, "mesh=2x2 | net"},
    {{"--mesh=2x2", "net"}, "mesh=2x2 | net"},
    {{"--mesh=a=2,b=3"}, "mesh=a=2,b=3 |"},
    {{"--dim", "a=1", "--even", "--dim=b=2"}, "dim=a=1 even dim=b=2 |"},
    {{"-o", "f", "x", "y"}, "o=f | x y"},
    {{"-of"}, "o=f |"},
    {{"-o=f"}, "o=f |"},
    {{"-o=a=b"}, "o=a=b |"},
    {{"-o", ""}, "-o: is empty, wanted FILE"},
    {{"-o="}, "-o: is empty, wanted FILE"},
    {{"--mesh="}, "--mesh: is empty, wanted SPEC"},
    {{"--note="}, "note |"},
    {{"--", "--mesh"}, "| --mesh"},
    {{"-"}, "| -"},
    {{"--mesh", "--even"}, "mesh=--even |"},
    {{"--mehs", "2"}, "--mehs: unknown option\ndid you mean --mesh?"},
    {{"--frmat", "2"}, "--frmat: unknown option\ndid you mean --format?"},
    {{"--zzzzzz"}, "--zzzzzz: unknown option\nsee --help"},
    {{"-x"}, "-x: unknown option\nsee --help"},
    {{"-mesh"}, "-mesh: unknown option\ndid you mean --mesh?"},
    {{"--o=f"}, "--o: unknown option\ndid you mean -o?"},
    {{"--mesh"}, "--mesh: without its value SPEC"},
    {{"--even=1"}, "--even: takes no value, found '1'"},
    {{"--mesh=1", "--mesh=2"}, "--mesh: given twice, wanted once"},
    {{"--format", "xml"}, "--format: is 'xml', wanted table, json or csv"},
};

static int count_words(const struct row *row)
{
    int n = 0;
    while (n < WORDS && row->word[n])
        n++;
    return n;
}

static mw_status parse_row(mw_ctx *ctx, void *arg)
{
    const struct row *row = arg;
    char *argv[WORDS + 1] = {NULL};
    for (int i = 0; i < count_words(row); i++)
        argv[i] = (char *)(uintptr_t)row->word[i];
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_args args;
    mw_text got;
    mw_text_init(&got, ctx);
    mw_status status =
        mw_args_parse(&arena, options, count_words(row), argv, &args);
    if (status == MW_OK)
        describe(&got, &args);
    else if (status == MW_EUSAGE)
        mw_text_format(&got, "%s: %s", ctx->where, ctx->message);
    if (status != MW_ENOMEM && !got.failed)
        CHECK(strcmp(got.data, row->want) == 0, "%s: got %s, want %s",
              row->word[0], got.data, row->want);
    if (status == MW_OK)
        status = mw_text_status(&got);
    mw_text_free(&got);
    mw_arena_free(&arena);
    return status;
}

static void parsing(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct row row = rows[i];
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_status status = parse_row(&ctx, &row);
        mw_status want = strchr(row.want, ':') ? MW_EUSAGE : MW_OK;
        CHECK(status == want, "%s: %s", row.word[0], mw_status_text(status));
        mw_ctx_free(&ctx);
    }
    struct row row = rows[3];
    check_oom("options", parse_row, &row);
}

static mw_status read_number(mw_ctx *ctx, const mw_args *args, int kind,
                             double *value)
{
    int64_t integer = 0;
    mw_status status;
    if (kind == 'r')
        return mw_args_real(ctx, args, "mesh", (const double[]){0, 2.5}, 7,
                            value);
    if (kind == 'b')
        status = mw_args_bytes(ctx, args, "mesh", 7, &integer);
    else
        status = mw_args_int(ctx, args, "mesh", (const int64_t[]){-1, 9}, 7,
                             &integer);
    *value = (double)integer;
    return status;
}

static void numbers(void)
{
    static const struct {
        int kind;
        const char *text, *want;
        double value;
    } table[] = {
        {'i', "-1", NULL, -1},
        {'i', NULL, NULL, 7},
        {'i', "10", "is '10', wanted an integer from -1 to 9", 0},
        {'i', "1.5", "is '1.5', wanted an integer from -1 to 9", 0},
        {'r', "2.5", NULL, 2.5},
        {'r', "2.6", "is '2.6', wanted a number from 0 to 2.5", 0},
        {'r', "x", "is 'x', wanted a number from 0 to 2.5", 0},
        {'b', "2KiB", NULL, 2048},
        {'b', "2X", "is '2X', wanted bytes such as 4096, 512MiB or 16GB", 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_given given = {&options[0], table[i].text};
        mw_args args = {
            .options = options, .given = &given, .n_given = !!table[i].text};
        double value = 0;
        mw_status status = read_number(&ctx, &args, table[i].kind, &value);
        const char *message = status == MW_OK ? NULL : ctx.message;
        bool same = message && table[i].want
                        ? strcmp(message, table[i].want) == 0
                        : message == table[i].want;
        CHECK(same, "%s: %s", table[i].text, ctx.message);
        if (status == MW_OK)
            CHECK(value >= table[i].value && value <= table[i].value,
                  "%s: got %g", table[i].text, value);
        mw_ctx_free(&ctx);
    }
}

/* What print writes, in the arena of the context. */
static char *printed(mw_arena *arena, const mw_ctx *ctx, bool debug)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    mw_message_error(file, ctx, debug);
    mw_message_warnings(file, ctx);
    (void)fclose(file);
    char *copy = mw_arena_text(arena, text);
    free(text);
    return copy;
}

static void messages(void)
{
    static const struct {
        const char *where; /* after the scratch folder when it starts with / */
        const char *message, *want;
    } table[] = {
        {"--mesh", "is 'x', wanted a mesh\nsee --help",
         "meshwright: error: --mesh: is 'x', wanted a mesh\nsee --help\n"},
        {"", "nothing found", "meshwright: error: nothing found\n"},
        {"/net.mw:2:5", "no such op",
         "meshwright: error: %s/net.mw:2:5: no such op\n"
         "    2 | y = f(x)\n      |     ^\n"},
        {"/net.mw:9:1", "too short",
         "meshwright: error: %s/net.mw:9:1: too short\n"},
        {"/none.mw:1:1", "not there",
         "meshwright: error: %s/none.mw:1:1: not there\n"},
    };
    char path[300];
    (void)snprintf(path, sizeof path, "%s/net.mw", mw_scratch_path());
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        const char text[] = "model m\ny = f(x)\n";
        CHECK(mw_file_write(&ctx, path, text, sizeof text - 1) == MW_OK, "%s",
              ctx.message);
        const char *where = table[i].where;
        mw_ctx_at(&ctx, "%s%s", *where == '/' ? mw_scratch_path() : "", where);
        (void)mw_fail(&ctx, MW_EINPUT, "%s", table[i].message);
        char want[600];
        const char *rest = strstr(table[i].want, "%s");
        if (rest)
            (void)snprintf(want, sizeof want, "%.*s%s%s",
                           (int)(rest - table[i].want), table[i].want,
                           mw_scratch_path(), rest + 2);
        else
            (void)snprintf(want, sizeof want, "%s", table[i].want);
        const char *got = printed(&arena, &ctx, false);
        CHECK(got && strcmp(got, want) == 0, "got %s, want %s", got, want);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static void warnings(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_warn(&ctx, "one %d", 1);
    mw_warn(&ctx, "two");
    (void)mw_fail(&ctx, MW_EINPUT, "first");
    (void)mw_fail(&ctx, MW_ENOMEM, "second");
    const char *got = printed(&arena, &ctx, true);
    CHECK(got && strstr(got, "meshwright: error: first\n(bad input, from ") &&
              strstr(got, "test_options.c:") &&
              strstr(got, ")\nmeshwright: warning: one 1\n"
                          "meshwright: warning: two\n"),
          "got %s", got);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* Every command's help has its options and an example of itself. */
static void helps(void)
{
    for (int i = 0; i < mw_command_count; i++) {
        const mw_command *command = mw_command_table[i];
        char *text = NULL, call[64];
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        if (!CHECK(file != NULL, "no memory") || !file)
            return;
        mw_help_command(file, command);
        (void)fclose(file);
        (void)snprintf(call, sizeof call, "meshwright %s", command->name);
        CHECK(strstr(command->example, call), "%s: no example", command->name);
        for (const mw_option *o = command->options; o && o->name; o++)
            CHECK(strstr(text, o->name), "%s: --%s is not in the help",
                  command->name, o->name);
        free(text);
    }
}

const mw_suite mw_suite_options = {
    "options",
    {
        {"command lines are read or refused", parsing},
        {"numbers are read or refused", numbers},
        {"errors are printed with their line", messages},
        {"warnings and C locations are printed", warnings},
        {"every command has help", helps},
    },
};
