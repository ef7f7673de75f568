/* json_write.c - JSON text for people (one member a line, or inline) and the
 * canonical form. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void put_quoted(mw_text *text, const char *value)
{
    static const char plain[] = "\"\\\b\f\n\r\t", escape[] = "\"\\bfnrt";
    mw_text_add_char(text, '"');
    for (const char *p = value; *p; p++) {
        const char *found = memchr(plain, *p, sizeof plain - 1);
        if (found)
            mw_text_format(text, "\\%c", escape[found - plain]);
        else if ((unsigned char)*p < ' ' || *p == 127)
            mw_text_format(text, "\\u%04x", (unsigned)*p);
        else
            mw_text_add_char(text, *p);
    }
    mw_text_add_char(text, '"');
}

static void put_scalar(mw_text *text, const mw_json *json)
{
    switch (json->kind) {
    case MW_JSON_NULL:
        mw_text_add(text, "null");
        break;
    case MW_JSON_BOOL:
        mw_text_add(text, json->u.truth ? "true" : "false");
        break;
    case MW_JSON_INT:
        mw_text_format(text, "%lld", (long long)json->u.integer);
        break;
    case MW_JSON_REAL:
        if (isfinite(json->u.real))
            mw_text_format(text, "%.17g", json->u.real);
        else
            mw_text_add(text, "null");
        break;
    case MW_JSON_TEXT:
        put_quoted(text, json->u.text);
        break;
    case MW_JSON_ARRAY:
    case MW_JSON_OBJECT:
        assert(false);
    }
}

static bool skipped(const char *key, const char *const skip[])
{
    for (; skip && *skip; skip++)
        if (strcmp(*skip, key) == 0)
            return true;
    return false;
}

void mw_json_canonical(mw_text *text, const mw_json *json,
                       const char *const skip[])
{
    bool object = json->kind == MW_JSON_OBJECT;
    if (!object && json->kind != MW_JSON_ARRAY) {
        put_scalar(text, json);
        return;
    }
    bool any = false;
    mw_text_add_char(text, object ? '{' : '[');
    for (int64_t i = 0; i < json->n; i++) {
        const mw_json *item = &json->u.item[object ? json->sorted[i] : i];
        if (object && skipped(item->key, skip))
            continue;
        if (any)
            mw_text_add_char(text, ',');
        if (object) {
            put_quoted(text, item->key);
            mw_text_add_char(text, ':');
        }
        mw_json_canonical(text, item, NULL);
        any = true;
    }
    mw_text_add_char(text, object ? '}' : ']');
}

void mw_json_out_init(mw_json_out *out, mw_text *text)
{
    *out = (mw_json_out){.text = text};
}

static void new_line(mw_json_out *out)
{
    if (out->depth && !out->inline_at)
        mw_text_format(out->text, "\n%*s", out->depth, "");
}

/* Comma, line and key before a value. */
static void lead(mw_json_out *out, const char *key)
{
    if (out->any[out->depth])
        mw_text_add(out->text, out->inline_at ? ", " : ",");
    out->any[out->depth] = true;
    new_line(out);
    if (!key)
        return;
    put_quoted(out->text, key);
    mw_text_add(out->text, ": ");
}

static void begin(mw_json_out *out, const char *key, char open, char close)
{
    assert(out->depth < MW_JSON_DEPTH);
    lead(out, key);
    mw_text_add_char(out->text, open);
    out->close[out->depth++] = close;
    out->any[out->depth] = false;
}

void mw_json_begin_object(mw_json_out *out, const char *key)
{
    begin(out, key, '{', '}');
}

void mw_json_begin_array(mw_json_out *out, const char *key)
{
    begin(out, key, '[', ']');
}

static void begin_inline(mw_json_out *out)
{
    if (!out->inline_at)
        out->inline_at = out->depth;
}

void mw_json_begin_object_inline(mw_json_out *out, const char *key)
{
    begin(out, key, '{', '}');
    begin_inline(out);
}

void mw_json_begin_array_inline(mw_json_out *out, const char *key)
{
    begin(out, key, '[', ']');
    begin_inline(out);
}

void mw_json_end(mw_json_out *out)
{
    assert(out->depth > 0);
    bool line = out->any[out->depth] && !out->inline_at;
    if (out->inline_at == out->depth)
        out->inline_at = 0;
    out->depth--;
    if (line)
        mw_text_format(out->text, "\n%*s", out->depth, "");
    mw_text_add_char(out->text, out->close[out->depth]);
    if (out->depth == 0)
        mw_text_add_char(out->text, '\n');
}

static void put_value(mw_json_out *out, const char *key, const mw_json *value)
{
    lead(out, key);
    put_scalar(out->text, value);
}

void mw_json_put_int(mw_json_out *out, const char *key, int64_t value)
{
    put_value(out, key, &(mw_json){.kind = MW_JSON_INT, .u.integer = value});
}

void mw_json_put_real(mw_json_out *out, const char *key, double value)
{
    put_value(out, key, &(mw_json){.kind = MW_JSON_REAL, .u.real = value});
}

void mw_json_put_bool(mw_json_out *out, const char *key, bool value)
{
    put_value(out, key, &(mw_json){.kind = MW_JSON_BOOL, .u.truth = value});
}

void mw_json_put_text(mw_json_out *out, const char *key, const char *value)
{
    put_value(out, key, &(mw_json){.kind = MW_JSON_TEXT, .u.text = value});
}

void mw_json_put_null(mw_json_out *out, const char *key)
{
    put_value(out, key, &(mw_json){.kind = MW_JSON_NULL});
}

void mw_json_put(mw_json_out *out, const char *key, const mw_json *value)
{
    bool object = value->kind == MW_JSON_OBJECT;
    if (!object && value->kind != MW_JSON_ARRAY) {
        put_value(out, key, value);
        return;
    }
    if (object)
        mw_json_begin_object(out, key);
    else
        mw_json_begin_array(out, key);
    for (int64_t i = 0; i < value->n; i++)
        mw_json_put(out, object ? value->u.item[i].key : NULL,
                    &value->u.item[i]);
    mw_json_end(out);
}
