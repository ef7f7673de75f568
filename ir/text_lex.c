/* text_lex.c - splits .mw text into words. */
#include "ir/text_lex.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '/';
}

static bool in_name(char c)
{
    return begins_name(c) || is_digit(c) || c == '.';
}

bool mw_name_is_bare(const char *name)
{
    static const char *const words[] = {
        "model",  "dim",       "input", "param",  "const", "state",
        "output", "condition", "body",  "result", "end"};
    if (!begins_name(name[0]))
        return false;
    for (const char *c = name; *c; c++) {
        if (!in_name(*c))
            return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], name) == 0)
            return false;
    }
    return true;
}

void mw_lexer_point(const mw_lexer *lexer, const mw_word *word)
{
    mw_ctx_at(lexer->arena->ctx, "%s:%d:%d", lexer->file, word->line,
              word->column);
}

const char *mw_word_shown(mw_arena *arena, const mw_word *word)
{
    const char *shown = "the end of the line";
    if (word->kind == MW_WORD_END)
        shown = "the end of the file";
    else if (word->kind == MW_WORD_SIGN)
        shown = mw_arena_format(arena, "'%c'", word->sign);
    else if (word->kind != MW_WORD_LINE)
        shown = mw_arena_format(arena, "'%s'", word->text);
    return shown ? shown : "";
}

static mw_status keep(mw_lexer *lexer, const char *start, const char *end)
{
    size_t length = (size_t)(end - start);
    char *copy = mw_arena_alloc(lexer->arena, length + 1, 1);
    if (!copy)
        return MW_ENOMEM;
    memcpy(copy, start, length);
    lexer->word.text = copy;
    lexer->at = end;
    return MW_OK;
}

static mw_status number(mw_lexer *lexer)
{
    const char *end = lexer->at + 1;
    lexer->word.kind = MW_WORD_NUMBER;
    while (in_name(*end) ||
           ((*end == '+' || *end == '-') && (end[-1] == 'e' || end[-1] == 'E')))
        end++;
    return keep(lexer, lexer->at, end);
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The byte that an escape stands for, `*at` going to its last character; -1
// when there is none such.
static int escaped(const char **at)
{
    char c = *++*at;
    if (c == 'n')
        return '\n';
    if (c == 't')
        return '\t';
    if (c == '"' || c == '\\')
        return c;
    if (c != 'x' || hex_digit((*at)[1]) < 0 || hex_digit((*at)[2]) < 0)
        return -1;
    int byte = 16 * hex_digit((*at)[1]) + hex_digit((*at)[2]);
    *at += 2;
    return byte == 0 ? -1 : byte;
}

static mw_status quoted(mw_lexer *lexer)
{
    mw_ctx *ctx = lexer->arena->ctx;
    const char *end = lexer->at + 1;
    while (*end && *end != '"' && *end != '\n')
        end += *end == '\\' && end[1] ? 2 : 1;
    char *copy = mw_arena_alloc(lexer->arena, (size_t)(end - lexer->at) + 1, 1);
    if (!copy)
        return MW_ENOMEM;
    lexer->word.kind = MW_WORD_QUOTED;
    lexer->word.text = copy;
    const char *at = lexer->at + 1;
    for (; *at && *at != '"' && *at != '\n'; at++) {
        int byte = (unsigned char)*at;
        if (*at == '\\')
            byte = escaped(&at);
        if (byte < 0)
            return mw_fail(ctx, MW_EINPUT,
                           "an escape is unknown, wanted \\\" \\\\ \\n \\t or "
                           "\\xHH");
        *copy++ = (char)byte;
    }
    if (*at != '"')
        return mw_fail(ctx, MW_EINPUT, "a quote is not closed");
    lexer->at = at + 1;
    return MW_OK;
}

static void skip_blank(mw_lexer *lexer)
{
    while (*lexer->at == ' ' || *lexer->at == '\t' || *lexer->at == '\r')
        lexer->at++;
    if (*lexer->at == '#')
        lexer->at += strcspn(lexer->at, "\n");
}

mw_status mw_lexer_next(mw_lexer *lexer)
{
    skip_blank(lexer);
    char c = *lexer->at;
    lexer->word = (mw_word){.line = lexer->line,
                            .column = (int)(lexer->at - lexer->line_start) + 1};
    mw_lexer_point(lexer, &lexer->word);
    if (c == '\0')
        return MW_OK;
    if (c == '\n') {
        lexer->word.kind = MW_WORD_LINE;
        lexer->line++;
        lexer->line_start = ++lexer->at;
        return MW_OK;
    }
    if (c == '"')
        return quoted(lexer);
    if (is_digit(c) || c == '-' || c == '+')
        return number(lexer);
    if (begins_name(c)) {
        const char *end = lexer->at;
        while (in_name(*end))
            end++;
        lexer->word.kind = MW_WORD_NAME;
        return keep(lexer, lexer->at, end);
    }
    if (!strchr("=:,()[]{}@", c))
        return mw_fail(lexer->arena->ctx, MW_EINPUT,
                       "a byte 0x%02x is out of place", (unsigned char)c);
    lexer->word.kind = MW_WORD_SIGN;
    lexer->word.sign = c;
    lexer->at++;
    return MW_OK;
}

mw_status mw_lexer_open(mw_lexer *lexer, mw_arena *arena, const char *file,
                        const char *text)
{
    *lexer = (mw_lexer){.arena = arena,
                        .file = file,
                        .at = text,
                        .line_start = text,
                        .line = 1};
    return mw_lexer_next(lexer);
}
