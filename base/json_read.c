/* json_read.c - recursive descent over the text.
 *
 * Finished values wait on one stack; a container that closes takes its items
 * off the stack into a vector of exactly their number, so that a document of n
 * values costs O(n) memory and O(n log n) time (keys are sorted). */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

typedef struct reader {
    mw_arena *arena;
    const char *file, *p, *end, *line_start;
    int line, depth;
    mw_json *stack; /* finished values of the open containers */
    int64_t n, cap;
} reader;

static mw_status read_value(reader *r, const char *key);

static int column(const reader *r)
{
    return (int)(r->p - r->line_start) + 1;
}

static void mark(const reader *r)
{
    mw_ctx_at(r->arena->ctx, "%s:%d:%d", r->file, r->line, column(r));
}

static mw_status wanted(reader *r, const char *what)
{
    mark(r);
    mw_ctx *ctx = r->arena->ctx;
    if (r->p == r->end)
        return mw_fail(ctx, MW_EINPUT, "the text ends where %s is wanted",
                       what);
    unsigned char c = (unsigned char)*r->p;
    if (c < ' ' || c > '~')
        return mw_fail(ctx, MW_EINPUT, "found byte 0x%02x, wanted %s", c, what);
    return mw_fail(ctx, MW_EINPUT, "found '%c', wanted %s", c, what);
}

static void skip_space(reader *r)
{
    for (; r->p < r->end; r->p++) {
        if (*r->p == '\n') {
            r->line++;
            r->line_start = r->p + 1;
        } else if (*r->p != ' ' && *r->p != '\t' && *r->p != '\r') {
            return;
        }
    }
}

static bool next_is(const reader *r, char c)
{
    return r->p < r->end && *r->p == c;
}

static mw_status expect(reader *r, char c)
{
    char what[] = {'\'', c, '\'', '\0'};
    skip_space(r);
    if (!next_is(r, c))
        return wanted(r, what);
    r->p++;
    return MW_OK;
}

/* Appends a value to the stack; its item pointers are set by the caller. */
static mw_json *push(reader *r, mw_json_kind kind, const char *key)
{
    if (r->n == r->cap) {
        int64_t cap = r->cap ? r->cap * 2 : 64;
        mw_json *grown =
            mw_mem_grow(r->arena->ctx, r->stack, (size_t)cap, sizeof *grown);
        if (!grown)
            return NULL;
        r->stack = grown;
        r->cap = cap;
    }
    mw_json *json = &r->stack[r->n++];
    *json = (mw_json){
        .kind = kind, .line = r->line, .column = column(r), .key = key};
    return json;
}

/* Four hexadecimal digits at p, or -1. */
static int hex4(const reader *r, const char *p)
{
    int value = 0;
    if (r->end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *found = strchr(digits, p[i] | 0x20);
        if (!found || (p[i] < '0'))
            return -1;
        value = value * 16 + (int)(found - digits);
    }
    return value;
}

static char *put_utf8(char *to, int code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xe0 | code >> 12);
        } else {
            *to++ = (char)(0xf0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

/* "\uXXXX", a pair of them for a surrogate; p is behind the 'u'. */
static mw_status read_unicode(reader *r, char **to)
{
    int code = hex4(r, r->p);
    if (code < 0)
        return wanted(r, "four hexadecimal digits");
    if (code == 0) {
        mark(r);
        return mw_fail(r->arena->ctx, MW_EINPUT, "a text holds \\u0000");
    }
    r->p += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        int low = -1;
        if (r->end - r->p >= 2 && r->p[0] == '\\' && r->p[1] == 'u')
            low = hex4(r, r->p + 2);
        if (low < 0xdc00 || low > 0xdfff)
            return wanted(r, "the second half of a surrogate pair");
        r->p += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return wanted(r, "the first half of a surrogate pair before");
    }
    *to = put_utf8(*to, code);
    return MW_OK;
}

static mw_status read_escape(reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    if (r->p == r->end)
        return wanted(r, "an escape");
    if (*r->p == 'u') {
        r->p++;
        return read_unicode(r, to);
    }
    const char *found = memchr(from, *r->p, sizeof from - 1);
    if (!found)
        return wanted(r, "an escape");
    *(*to)++ = plain[found - from];
    r->p++;
    return MW_OK;
}

/* The text behind the opening quote, decoded, up to and with the closing one.
 * Decoding never lengthens it. */
static mw_status read_text(reader *r, const char **text, int64_t *length)
{
    const char *close = r->p;
    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    size_t room = (size_t)((close < r->end ? close : r->end) - r->p) + 1;
    char *buf = mw_arena_alloc(r->arena, room, 1), *to = buf;
    if (!buf)
        return MW_ENOMEM;
    while (!next_is(r, '"')) {
        if (r->p == r->end || (unsigned char)*r->p < ' ')
            return wanted(r, "the end of a text");
        if (*r->p == '\\') {
            r->p++;
            MW_TRY(read_escape(r, &to));
            continue;
        }
        int n = mw_utf8_length(r->p, r->end);
        if (n == 0)
            return wanted(r, "UTF-8");
        memcpy(to, r->p, (size_t)n);
        to += n;
        r->p += n;
    }
    r->p++;
    *to = '\0';
    *text = buf;
    *length = to - buf;
    return MW_OK;
}

static void skip_digits(reader *r)
{
    while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
        r->p++;
}

static mw_status one_digit(reader *r)
{
    if (r->p == r->end || *r->p < '0' || *r->p > '9')
        return wanted(r, "a digit");
    return MW_OK;
}

/* Moves over a number by JSON's grammar; true if it has no '.' or exponent. */
static mw_status scan_number(reader *r, bool *whole)
{
    *whole = true;
    r->p += next_is(r, '-');
    MW_TRY(one_digit(r));
    if (next_is(r, '0'))
        r->p++;
    else
        skip_digits(r);
    if (next_is(r, '.')) {
        *whole = false;
        r->p++;
        MW_TRY(one_digit(r));
        skip_digits(r);
    }
    if (next_is(r, 'e') || next_is(r, 'E')) {
        *whole = false;
        r->p++;
        r->p += next_is(r, '+') || next_is(r, '-');
        MW_TRY(one_digit(r));
        skip_digits(r);
    }
    return MW_OK;
}

static mw_status read_number(reader *r, const char *key)
{
    mw_json *json = push(r, MW_JSON_INT, key);
    if (!json)
        return MW_ENOMEM;
    const char *start = r->p;
    bool whole;
    MW_TRY(scan_number(r, &whole));
    char text[512];
    size_t length = (size_t)(r->p - start);
    if (length >= sizeof text) {
        r->p = start;
        return wanted(r, "a number of fewer than 512 characters");
    }
    memcpy(text, start, length);
    text[length] = '\0';
    errno = 0;
    if (whole && strcmp(text, "-0") != 0)
        json->u.integer = strtoll(text, NULL, 10);
    else
        errno = ERANGE;
    if (errno == 0)
        return MW_OK;
    json->kind = MW_JSON_REAL;
    json->u.real = strtod(text, NULL);
    r->p = isfinite(json->u.real) ? r->p : start;
    return isfinite(json->u.real) ? MW_OK
                                  : wanted(r, "a number that a double holds");
}

static mw_status read_word(reader *r, const char *key)
{
    static const struct {
        const char *word;
        mw_json_kind kind;
        bool truth;
    } words[] = {
        {"true", MW_JSON_BOOL, true},
        {"false", MW_JSON_BOOL, false},
        {"null", MW_JSON_NULL, false},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(r->end - r->p) < length ||
            memcmp(r->p, words[i].word, length) != 0)
            continue;
        mw_json *json = push(r, words[i].kind, key);
        if (!json)
            return MW_ENOMEM;
        json->u.truth = words[i].truth;
        r->p += length;
        return MW_OK;
    }
    return wanted(r, "a value");
}

static int by_key(const void *a, const void *b, void *arg)
{
    const mw_json *item = arg;
    const int32_t *i = a, *j = b;
    return strcmp(item[*i].key, item[*j].key);
}

static mw_status sort_keys(reader *r, mw_json *object)
{
    object->sorted = MW_NEW_ARRAY(r->arena, object->n, int32_t);
    if (!object->sorted)
        return MW_ENOMEM;
    const mw_json *item = object->u.item;
    for (int32_t i = 0; i < object->n; i++)
        object->sorted[i] = i;
    qsort_r(object->sorted, (size_t)object->n, sizeof *object->sorted, by_key,
            object->u.item);
    for (int64_t i = 1; i < object->n; i++) {
        const mw_json *twice = &item[object->sorted[i]];
        if (strcmp(item[object->sorted[i - 1]].key, twice->key) != 0)
            continue;
        mw_ctx_at(r->arena->ctx, "%s:%d:%d", r->file, twice->line,
                  twice->column);
        return mw_fail(r->arena->ctx, MW_EINPUT, "key '%s' is given twice",
                       twice->key);
    }
    return MW_OK;
}

/* A container that stays where it is: its items know it as their parent. */
static void adopt(mw_json *json)
{
    bool container =
        json->kind == MW_JSON_ARRAY || json->kind == MW_JSON_OBJECT;
    for (int64_t i = 0; container && i < json->n; i++)
        json->u.item[i].parent = json;
}

/* Takes the values above the container off the stack, into it. */
static mw_status close_container(reader *r, int64_t at)
{
    mw_json *json = &r->stack[at];
    json->n = r->n - at - 1;
    if (json->n > INT32_MAX)
        return wanted(r, "fewer than 2^31 items");
    json->u.item = MW_NEW_ARRAY(r->arena, json->n, mw_json);
    if (!json->u.item)
        return MW_ENOMEM;
    if (json->n)
        memcpy(json->u.item, json + 1, (size_t)json->n * sizeof *json);
    for (int64_t i = 0; i < json->n; i++)
        adopt(&json->u.item[i]);
    r->n = at + 1;
    return json->kind == MW_JSON_OBJECT ? sort_keys(r, json) : MW_OK;
}

static mw_status read_member(reader *r, mw_json_kind kind)
{
    const char *key = NULL;
    int64_t length;
    if (kind == MW_JSON_OBJECT) {
        skip_space(r);
        if (!next_is(r, '"'))
            return wanted(r, "a key");
        r->p++;
        MW_TRY(read_text(r, &key, &length));
        MW_TRY(expect(r, ':'));
    }
    return read_value(r, key);
}

static mw_status read_container(reader *r, mw_json_kind kind, const char *key)
{
    const char last = kind == MW_JSON_ARRAY ? ']' : '}';
    if (r->depth == MW_JSON_DEPTH)
        return wanted(r, "less nesting");
    int64_t at = r->n;
    if (!push(r, kind, key))
        return MW_ENOMEM;
    r->depth++;
    r->p++;
    skip_space(r);
    bool more = !next_is(r, last);
    while (more) {
        MW_TRY(read_member(r, kind));
        skip_space(r);
        more = next_is(r, ',');
        r->p += more;
        if (!more && !next_is(r, last))
            return wanted(r,
                          kind == MW_JSON_ARRAY ? "',' or ']'" : "',' or '}'");
    }
    r->p++;
    r->depth--;
    return close_container(r, at);
}

static mw_status read_value(reader *r, const char *key)
{
    skip_space(r);
    if (next_is(r, '{'))
        return read_container(r, MW_JSON_OBJECT, key);
    if (next_is(r, '['))
        return read_container(r, MW_JSON_ARRAY, key);
    if (r->p < r->end && (*r->p == '-' || (*r->p >= '0' && *r->p <= '9')))
        return read_number(r, key);
    if (!next_is(r, '"'))
        return read_word(r, key);
    int64_t at = r->n, length = 0;
    const char *text = NULL;
    if (!push(r, MW_JSON_TEXT, key))
        return MW_ENOMEM;
    r->p++;
    MW_TRY(read_text(r, &text, &length));
    r->stack[at].u.text = text;
    r->stack[at].n = length;
    return MW_OK;
}

static mw_status read_root(reader *r, const mw_json **root)
{
    MW_TRY(read_value(r, r->file));
    skip_space(r);
    if (r->p < r->end)
        return wanted(r, "nothing more");
    mw_json *json = MW_NEW(r->arena, mw_json);
    if (!json)
        return MW_ENOMEM;
    *json = r->stack[0];
    adopt(json);
    *root = json;
    return MW_OK;
}

mw_status mw_json_parse(mw_arena *arena, const char *file, const char *text,
                        size_t length, const mw_json **root)
{
    char *name = mw_arena_text(arena, file);
    if (!name)
        return MW_ENOMEM;
    reader r = {.arena = arena,
                .file = name,
                .p = text,
                .end = text + length,
                .line_start = text,
                .line = 1};
    mw_status status = read_root(&r, root);
    mw_mem_free(r.stack);
    return status;
}

mw_status mw_json_read(mw_arena *arena, const char *path, const mw_json **root)
{
    char *text;
    size_t length;
    MW_TRY(mw_file_read(arena, path, &text, &length));
    return mw_json_parse(arena, path, text, length, root);
}
