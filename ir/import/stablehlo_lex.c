/* stablehlo_lex.c - splits MLIR text into words. */
#include "ir/import/stablehlo_lex.h"

#include <string.h>

enum { SHOWN_MAX = 40, INDEX_MAX = 1 << 20 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_name(char c)
{
    return begins_name(c) || is_digit(c) || c == '.' || c == '$';
}

static bool in_suffix(char c)
{
    return in_name(c) || c == '-';
}

void mw_hlo_point(const mw_hlo_lexer *lexer, const mw_hlo_word *word)
{
    mw_ctx_at(lexer->arena->ctx, "%s:%d:%d", lexer->file, word->line,
              word->column);
}

mw_status mw_hlo_wanted(mw_hlo_lexer *lexer, const char *what)
{
    const mw_hlo_word *word = &lexer->word;
    int length = word->length < SHOWN_MAX ? (int)word->length : SHOWN_MAX;
    mw_hlo_point(lexer, word);
    if (word->kind == MW_HLO_END)
        return mw_fail(lexer->arena->ctx, MW_EINPUT,
                       "wanted %s, found the end of the file", what);
    if (word->kind == MW_HLO_SIGN)
        return mw_fail(lexer->arena->ctx, MW_EINPUT, "wanted %s, found '%c'",
                       what, word->sign);
    return mw_fail(lexer->arena->ctx, MW_EINPUT, "wanted %s, found '%.*s'",
                   what, length, word->text);
}

static void newline(mw_hlo_lexer *lexer, const char *at)
{
    lexer->line++;
    lexer->line_start = at + 1;
}

static void skip_blank(mw_hlo_lexer *lexer)
{
    for (;; lexer->at++) {
        const char *c = lexer->at;
        if (*c == '\n')
            newline(lexer, c);
        else if (c[0] == '/' && c[1] == '/')
            lexer->at += strcspn(c, "\n") - 1;
        else if (*c != ' ' && *c != '\t' && *c != '\r')
            return;
    }
}

static void begin(mw_hlo_lexer *lexer)
{
    lexer->word =
        (mw_hlo_word){.text = lexer->at,
                      .index = -1,
                      .line = lexer->line,
                      .column = (int)(lexer->at - lexer->line_start) + 1};
}

static void finish(mw_hlo_lexer *lexer, mw_hlo_word_kind kind, const char *end)
{
    lexer->word.kind = kind;
    lexer->word.length = end - lexer->word.text;
    lexer->at = end;
}

static mw_status fail(mw_hlo_lexer *lexer, const char *what)
{
    mw_hlo_point(lexer, &lexer->word);
    return mw_fail(lexer->arena->ctx, MW_EINPUT, "%s", what);
}

/* Text in quotes, from `at` on the first one; NULL when it is not closed. */
static const char *closing_quote(const char *at)
{
    for (at++; *at && *at != '"' && *at != '\n'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at == '"' ? at : NULL;
}

static mw_status quoted(mw_hlo_lexer *lexer, mw_hlo_word_kind kind)
{
    const char *close = closing_quote(lexer->at);
    if (!close)
        return fail(lexer, "a quote is not closed");
    lexer->word.text = lexer->at + 1;
    finish(lexer, kind, close);
    lexer->at = close + 1;
    return MW_OK;
}

static mw_status number(mw_hlo_lexer *lexer)
{
    const char *c = lexer->at + (*lexer->at == '-');
    if (c[0] == '0' && c[1] == 'x' && strchr("0123456789abcdefABCDEF", c[2]) &&
        c[2]) {
        c += 2;
        while (is_digit(*c) || (*c >= 'a' && *c <= 'f') ||
               (*c >= 'A' && *c <= 'F'))
            c++;
        finish(lexer, MW_HLO_NUMBER, c);
        return MW_OK;
    }
    while (is_digit(*c))
        c++;
    if (*c == '.' && is_digit(c[1]))
        while (is_digit(*++c))
            continue;
    else if (*c == '.')
        c++;
    const char *e = c;
    if (*e == 'e' || *e == 'E') {
        e += 1 + (e[1] == '+' || e[1] == '-');
        if (is_digit(*e)) {
            while (is_digit(*e))
                e++;
            c = e;
        }
    }
    finish(lexer, MW_HLO_NUMBER, c);
    return MW_OK;
}

/* %x, %x#1, @x, @"x", #x, !x, ^x */
static mw_status prefixed(mw_hlo_lexer *lexer, mw_hlo_word_kind kind)
{
    lexer->at++;
    lexer->word.text = lexer->at;
    if (*lexer->at == '"' && kind == MW_HLO_SYMBOL)
        return quoted(lexer, kind);
    const char *end = lexer->at;
    bool loose = kind == MW_HLO_VALUE || kind == MW_HLO_SYMBOL;
    while (loose ? in_suffix(*end) : in_name(*end))
        end++;
    if (end == lexer->at)
        return fail(lexer, "a name is missing");
    finish(lexer, kind, end);
    if (kind != MW_HLO_VALUE || *end != '#' || !is_digit(end[1]))
        return MW_OK;
    lexer->word.index = 0;
    for (end++; is_digit(*end); end++)
        if (lexer->word.index < INDEX_MAX)
            lexer->word.index = 10 * lexer->word.index + (*end - '0');
    lexer->at = end;
    return MW_OK;
}

static mw_hlo_word_kind prefix_of(char c)
{
    static const char signs[] = "%@#!^";
    static const mw_hlo_word_kind kinds[] = {MW_HLO_VALUE, MW_HLO_SYMBOL,
                                             MW_HLO_ALIAS, MW_HLO_DIALECT_TYPE,
                                             MW_HLO_BLOCK};
    const char *found = strchr(signs, c);
    return found ? kinds[found - signs] : MW_HLO_SIGN;
}

mw_status mw_hlo_next(mw_hlo_lexer *lexer)
{
    skip_blank(lexer);
    begin(lexer);
    const char *at = lexer->at;
    char c = *at;
    if (c == '\0') {
        lexer->word.kind = MW_HLO_END;
        return MW_OK;
    }
    if (begins_name(c)) {
        const char *end = at;
        while (in_name(*end))
            end++;
        finish(lexer, MW_HLO_NAME, end);
        return MW_OK;
    }
    if (is_digit(c) || (c == '-' && is_digit(at[1])))
        return number(lexer);
    if (c == '"')
        return quoted(lexer, MW_HLO_QUOTED);
    if (prefix_of(c) != MW_HLO_SIGN)
        return prefixed(lexer, prefix_of(c));
    if (c == '-' && at[1] == '>') {
        finish(lexer, MW_HLO_ARROW, at + 2);
        return MW_OK;
    }
    if ((unsigned char)c < ' ' || (unsigned char)c > '~') {
        mw_hlo_point(lexer, &lexer->word);
        return mw_fail(lexer->arena->ctx, MW_EINPUT,
                       "a byte 0x%02x is out of place", (unsigned char)c);
    }
    finish(lexer, MW_HLO_SIGN, at + 1);
    lexer->word.sign = c;
    return MW_OK;
}

mw_status mw_hlo_lexer_open(mw_hlo_lexer *lexer, mw_arena *arena,
                            const char *file, const char *text, size_t size)
{
    *lexer = (mw_hlo_lexer){.arena = arena,
                            .file = file,
                            .at = text,
                            .end = text + size,
                            .line_start = text,
                            .line = 1};
    return mw_hlo_next(lexer);
}

bool mw_hlo_is(const mw_hlo_lexer *lexer, char sign)
{
    return lexer->word.kind == MW_HLO_SIGN && lexer->word.sign == sign;
}

bool mw_hlo_is_name(const mw_hlo_lexer *lexer, const char *name)
{
    const mw_hlo_word *word = &lexer->word;
    return word->kind == MW_HLO_NAME && (size_t)word->length == strlen(name) &&
           memcmp(word->text, name, (size_t)word->length) == 0;
}

mw_status mw_hlo_expect(mw_hlo_lexer *lexer, char sign)
{
    char what[] = "'?'";
    what[1] = sign;
    return mw_hlo_is(lexer, sign) ? mw_hlo_next(lexer)
                                  : mw_hlo_wanted(lexer, what);
}

mw_status mw_hlo_accept(mw_hlo_lexer *lexer, char sign, bool *found)
{
    *found = mw_hlo_is(lexer, sign);
    return *found ? mw_hlo_next(lexer) : MW_OK;
}

/* Goes to the bracket that closes the current word's, counting all kinds of
 * brackets as one, and quotes as one character. */
static mw_status to_closing(mw_hlo_lexer *lexer)
{
    mw_hlo_word open = lexer->word;
    int64_t depth = 1;
    const char *c = lexer->at;
    for (; *c && depth > 0; c++) {
        bool arrow = *c == '>' && c[-1] == '-';
        if (*c == '"') {
            c = closing_quote(c);
            if (!c)
                return fail(lexer, "a quote inside is not closed");
        } else if (*c == '\n') {
            newline(lexer, c);
        } else if (strchr("<([{", *c)) {
            depth++;
        } else if (strchr(">)]}", *c) && !arrow) {
            depth--;
        }
    }
    lexer->word = open;
    if (depth > 0)
        return fail(lexer, "a bracket is not closed");
    lexer->at = c;
    return MW_OK;
}

mw_status mw_hlo_angle(mw_hlo_lexer *lexer, mw_hlo_span *inside)
{
    if (!mw_hlo_is(lexer, '<'))
        return mw_hlo_wanted(lexer, "'<'");
    *inside = (mw_hlo_span){.text = lexer->at,
                            .line = lexer->word.line,
                            .column = lexer->word.column + 1};
    MW_TRY(to_closing(lexer));
    inside->length = lexer->at - 1 - inside->text;
    return mw_hlo_next(lexer);
}

mw_status mw_hlo_skip(mw_hlo_lexer *lexer)
{
    MW_TRY(to_closing(lexer));
    return mw_hlo_next(lexer);
}

const char *mw_hlo_text(mw_hlo_lexer *lexer)
{
    size_t length = (size_t)lexer->word.length;
    char *copy = mw_arena_alloc(lexer->arena, length + 1, 1);
    if (copy)
        memcpy(copy, lexer->word.text, length);
    return copy;
}
