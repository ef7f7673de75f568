/* json_source.c - a refilled buffer and the few tokens that are needed. */
#include "search/json_source.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"

enum { BUFFER_BYTES = 1 << 16, END = -1 };

void mw_json_open_text(mw_json_source *source, mw_ctx *ctx, const char *name,
                       const char *text, size_t length)
{
    *source = (mw_json_source){.ctx = ctx, .name = name, .line = 1};
    source->at = source->base = text;
    source->end = text + length;
}

mw_status mw_json_open_file(mw_json_source *source, mw_ctx *ctx,
                            const char *name, FILE *file)
{
    mw_json_open_text(source, ctx, name, "", 0);
    source->file = file;
    source->buffer = mw_mem_alloc(ctx, BUFFER_BYTES, 1);
    return source->buffer ? MW_OK : MW_ENOMEM;
}

void mw_json_close(mw_json_source *source)
{
    mw_mem_free(source->buffer);
    source->buffer = NULL;
}

static int refill(mw_json_source *source)
{
    if (!source->file)
        return END;
    source->before += source->at - source->base;
    size_t n = fread(source->buffer, 1, BUFFER_BYTES, source->file);
    source->at = source->base = source->buffer;
    source->end = source->buffer + n;
    return n > 0 ? (unsigned char)*source->at : END;
}

static inline int peek(mw_json_source *source)
{
    if (source->at < source->end)
        return (unsigned char)*source->at;
    return refill(source);
}

static inline void new_line(mw_json_source *source)
{
    source->line++;
    source->base = source->at + 1;
    source->before = 0;
}

static int peek_token(mw_json_source *source)
{
    for (;;) {
        int c = peek(source);
        if (c == '\n')
            new_line(source);
        else if (c != ' ' && c != '\t' && c != '\r')
            return c;
        source->at++;
    }
}

static mw_json_place place_of(const mw_json_source *source)
{
    return (mw_json_place){source->line,
                           source->before + (source->at - source->base) + 1};
}

void mw_json_at(mw_json_source *source, mw_json_place place)
{
    mw_ctx_at(source->ctx, "%s:%lld:%lld", source->name, (long long)place.line,
              (long long)place.column);
}

// The failure of finding c where something else is wanted.
static mw_status unexpected(mw_json_source *source, int c, const char *wanted)
{
    mw_json_at(source, place_of(source));
    if (c == END && source->file && ferror(source->file))
        return mw_fail(source->ctx, MW_EINPUT, "cannot be read: %s",
                       strerror(errno));
    if (c == END)
        return mw_fail(source->ctx, MW_EINPUT,
                       "the file ends where %s is wanted", wanted);
    if (isprint(c))
        return mw_fail(source->ctx, MW_EINPUT, "found '%c' where %s is wanted",
                       c, wanted);
    return mw_fail(source->ctx, MW_EINPUT,
                   "found the byte 0x%02x where %s is wanted", (unsigned)c,
                   wanted);
}

mw_status mw_json_here(mw_json_source *source, mw_json_place *place)
{
    (void)peek_token(source);
    *place = place_of(source);
    return MW_OK;
}

mw_status mw_json_enter(mw_json_source *source, char opening)
{
    int c = peek_token(source);
    if (c != opening)
        return unexpected(source, c, opening == '[' ? "a list" : "an object");
    source->at++;
    return MW_OK;
}

mw_status mw_json_more(mw_json_source *source, char closing, bool first,
                       bool *more)
{
    int c = peek_token(source);
    *more = c != closing;
    if (*more && first)
        return c == END ? unexpected(source, c, "a value") : MW_OK;
    if (*more && c != ',')
        return unexpected(source, c,
                          closing == ']' ? "',' or ']'" : "',' or '}'");
    source->at++;
    return MW_OK;
}

static mw_status skip_string(mw_json_source *source, char *text, size_t room)
{
    size_t n = 0;
    int c = peek_token(source);
    if (c != '"')
        return unexpected(source, c, "a string");
    source->at++;
    while ((c = peek(source)) != '"') {
        if (c == END || c < ' ')
            return unexpected(source, c, "the end of a string");
        source->at++;
        if (n + 1 < room)
            text[n++] = (char)c;
        if (c != '\\')
            continue;
        if (peek(source) == END)
            return unexpected(source, END, "the end of a string");
        source->at++;
    }
    source->at++;
    if (room > 0)
        text[n] = '\0';
    return MW_OK;
}

mw_status mw_json_key(mw_json_source *source, char key[MW_JSON_KEY_MAX])
{
    MW_TRY(skip_string(source, key, MW_JSON_KEY_MAX));
    int c = peek_token(source);
    if (c != ':')
        return unexpected(source, c, "':'");
    source->at++;
    return MW_OK;
}

static mw_status too_large(mw_json_source *source, mw_json_place place)
{
    mw_json_at(source, place);
    return mw_fail(source->ctx, MW_EINPUT,
                   "the number does not fit in 64 bits");
}

mw_status mw_json_integer(mw_json_source *source, int64_t *value)
{
    int c = peek_token(source);
    mw_json_place place = place_of(source);
    bool negative = c == '-';
    if (negative) {
        source->at++;
        c = peek(source);
    }
    if (c < '0' || c > '9')
        return unexpected(source, c, "an integer");
    uint64_t magnitude = 0;
    for (; c >= '0' && c <= '9'; c = peek(source)) {
        unsigned digit = (unsigned)(c - '0');
        if (magnitude > ((uint64_t)INT64_MAX - digit) / 10)
            return too_large(source, place);
        magnitude = magnitude * 10 + digit;
        source->at++;
    }
    if (c == '.' || c == 'e' || c == 'E')
        return unexpected(source, c, "an integer");
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return MW_OK;
}

// A number or a word; what stands in it is not looked at closely.
static mw_status skip_scalar(mw_json_source *source)
{
    int c = peek_token(source);
    if (!isalnum(c) && c != '-')
        return unexpected(source, c, "a value");
    while (c != END && (isalnum(c) || strchr("+-.", c))) {
        source->at++;
        c = peek(source);
    }
    return MW_OK;
}

mw_status mw_json_skip(mw_json_source *source)
{
    char closing[MW_JSON_DEPTH_MAX], key[MW_JSON_KEY_MAX];
    int depth = 0;
    bool first = true;
    do {
        bool more = true;
        if (depth > 0)
            MW_TRY(mw_json_more(source, closing[depth - 1], first, &more));
        first = false;
        if (!more) {
            depth--;
            continue;
        }
        if (depth > 0 && closing[depth - 1] == '}')
            MW_TRY(mw_json_key(source, key));
        int c = peek_token(source);
        if (c == '"') {
            MW_TRY(skip_string(source, NULL, 0));
        } else if (c != '[' && c != '{') {
            MW_TRY(skip_scalar(source));
        } else if (depth == MW_JSON_DEPTH_MAX) {
            return unexpected(source, c, "a shallower nesting");
        } else {
            closing[depth++] = c == '[' ? ']' : '}';
            source->at++;
            first = true;
        }
    } while (depth > 0);
    return MW_OK;
}

mw_status mw_json_finish(mw_json_source *source)
{
    int c = peek_token(source);
    return c == END ? MW_OK : unexpected(source, c, "the end of the file");
}
