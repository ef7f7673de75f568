/* message.c - the first failure, with the line it is about, and warnings. */
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

enum { LINE_MAX_SHOWN = 400 };

typedef struct place {
    char path[MW_WHERE_MAX];
    int64_t line, column;
} place;

/* Takes ":NUMBER" off the end of text. */
static bool take_number(char *text, int64_t *number)
{
    char *colon = strrchr(text, ':');
    if (!colon || !mw_int_parse(colon + 1, number) || *number < 1)
        return false;
    *colon = '\0';
    return true;
}

static bool parse_place(const char *where, place *at)
{
    (void)snprintf(at->path, sizeof at->path, "%s", where);
    return take_number(at->path, &at->column) &&
           take_number(at->path, &at->line);
}

/* Line number `line` of a file, without its end; false when there is none. */
static bool read_line(const char *path, int64_t line, char text[LINE_MAX_SHOWN])
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    int c = 0;
    for (int64_t n = 1; n < line && c != EOF;) {
        c = fgetc(file);
        n += c == '\n';
    }
    bool found = fgets(text, LINE_MAX_SHOWN, file) != NULL;
    (void)fclose(file);
    if (found)
        text[strcspn(text, "\r\n")] = '\0';
    return found;
}

static void show_line(FILE *file, const char *where)
{
    place at = {.line = 0};
    char text[LINE_MAX_SHOWN];
    if (!parse_place(where, &at) || !read_line(at.path, at.line, text))
        return;
    size_t column = (size_t)at.column - 1;
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = ' ';
    (void)fprintf(file, "%5lld | %s\n", (long long)at.line, text);
    if (column <= strlen(text))
        (void)fprintf(file, "      | %*s^\n", (int)column, "");
}

static bool colour(FILE *file)
{
    const char *none = getenv("NO_COLOR");
    return isatty(fileno(file)) && !(none && *none);
}

static void head(FILE *file, const char *kind, const char *code)
{
    if (colour(file))
        (void)fprintf(file, "meshwright: \033[%sm%s:\033[0m ", code, kind);
    else
        (void)fprintf(file, "meshwright: %s: ", kind);
}

void mw_message_error(FILE *file, const mw_ctx *ctx, bool debug)
{
    head(file, "error", "1;31");
    size_t first = strcspn(ctx->message, "\n");
    if (ctx->where[0])
        (void)fprintf(file, "%s: ", ctx->where);
    (void)fprintf(file, "%.*s\n", (int)first, ctx->message);
    show_line(file, ctx->where);
    if (ctx->message[first])
        (void)fprintf(file, "%s\n", ctx->message + first + 1);
    if (debug && ctx->src_file)
        (void)fprintf(file, "(%s, from %s:%d)\n", mw_status_text(ctx->status),
                      ctx->src_file, ctx->src_line);
}

void mw_message_warnings(FILE *file, const mw_ctx *ctx)
{
    for (const mw_warning *w = ctx->warning; w; w = w->next) {
        head(file, "warning", "1;33");
        (void)fprintf(file, "%s\n", w->text);
    }
}
