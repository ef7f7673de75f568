/* json.c - looking at a parsed document, and its canonical bytes. */
#include "base/json.h"

#include <stdio.h>
#include <string.h>

const mw_json *mw_json_find(const mw_json *object, const char *key)
{
    if (object->kind != MW_JSON_OBJECT)
        return NULL;
    int64_t low = 0, high = object->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const mw_json *item = &object->u.item[object->sorted[middle]];
        int order = strcmp(key, item->key);
        if (order == 0)
            return item;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

enum { PATH_MAX_SHOWN = 256 };

/* "ops[3].time_s" into path, "" for the root; the length it has. */
static size_t path_of(const mw_json *json, char path[PATH_MAX_SHOWN])
{
    const mw_json *parent = json->parent;
    if (!parent) {
        path[0] = '\0';
        return 0;
    }
    size_t length = path_of(parent, path), room = PATH_MAX_SHOWN - length;
    int added;
    if (parent->kind == MW_JSON_ARRAY)
        added = snprintf(path + length, room, "[%lld]",
                         (long long)(json - parent->u.item));
    else
        added =
            snprintf(path + length, room, "%s%s", length ? "." : "", json->key);
    if (added < 0 || (size_t)added >= room)
        return PATH_MAX_SHOWN - 1;
    return length + (size_t)added;
}

void mw_json_fail_at(mw_ctx *ctx, const mw_json *json, const char *file,
                     int line, const char *format, ...)
{
    char what[MW_MESSAGE_MAX], path[PATH_MAX_SHOWN];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const mw_json *root = json;
    while (root->parent)
        root = root->parent;
    mw_ctx_at(ctx, "%s:%d:%d", root->key, json->line, json->column);
    bool inside = path_of(json, path) > 0;
    mw_fail_at(ctx, MW_EINPUT, file, line, "%s%s%s", path, inside ? ": " : "",
               what);
}

static const char *const kind_name[] = {
    "null",   "true or false", "an integer", "a number",
    "a text", "an array",      "an object",
};

/* What a value is, shortly: itself, if it is short. */
static const char *found(const mw_json *json, char text[48])
{
    switch (json->kind) {
    case MW_JSON_BOOL:
        return json->u.truth ? "true" : "false";
    case MW_JSON_INT:
        (void)snprintf(text, 48, "%lld", (long long)json->u.integer);
        return text;
    case MW_JSON_REAL:
        (void)snprintf(text, 48, "%.17g", json->u.real);
        return text;
    case MW_JSON_TEXT:
        (void)snprintf(text, 48, json->n > 32 ? "\"%.32s...\"" : "\"%s\"",
                       json->u.text);
        return text;
    case MW_JSON_NULL:
    case MW_JSON_ARRAY:
    case MW_JSON_OBJECT:
        break;
    }
    return kind_name[json->kind];
}

mw_status mw_json_kind_is(mw_ctx *ctx, const mw_json *json, mw_json_kind kind)
{
    char text[48];
    if (json->kind == kind)
        return MW_OK;
    return mw_json_fail(ctx, json, "is %s, wanted %s", found(json, text),
                        kind_name[kind]);
}

mw_status mw_json_int(mw_ctx *ctx, const mw_json *json, int64_t *value)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_INT));
    *value = json->u.integer;
    return MW_OK;
}

mw_status mw_json_real(mw_ctx *ctx, const mw_json *json, double *value)
{
    if (json->kind == MW_JSON_INT) {
        *value = (double)json->u.integer;
        return MW_OK;
    }
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_REAL));
    *value = json->u.real;
    return MW_OK;
}

mw_status mw_json_bool(mw_ctx *ctx, const mw_json *json, bool *value)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_BOOL));
    *value = json->u.truth;
    return MW_OK;
}

mw_status mw_json_text(mw_ctx *ctx, const mw_json *json, const char **value)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_TEXT));
    *value = json->u.text;
    return MW_OK;
}

mw_status mw_json_member(mw_ctx *ctx, const mw_json *object, const char *key,
                         const mw_json **value)
{
    MW_TRY(mw_json_kind_is(ctx, object, MW_JSON_OBJECT));
    const mw_json *member = mw_json_find(object, key);
    if (!member)
        return mw_json_fail(ctx, object, "key '%s' is missing", key);
    *value = member;
    return MW_OK;
}

mw_status mw_json_get_int(mw_ctx *ctx, const mw_json *object, const char *key,
                          int64_t *value)
{
    const mw_json *member = NULL;
    MW_TRY(mw_json_member(ctx, object, key, &member));
    return mw_json_int(ctx, member, value);
}

mw_status mw_json_get_real(mw_ctx *ctx, const mw_json *object, const char *key,
                           double *value)
{
    const mw_json *member = NULL;
    MW_TRY(mw_json_member(ctx, object, key, &member));
    return mw_json_real(ctx, member, value);
}

mw_status mw_json_get_bool(mw_ctx *ctx, const mw_json *object, const char *key,
                           bool *value)
{
    const mw_json *member = NULL;
    MW_TRY(mw_json_member(ctx, object, key, &member));
    return mw_json_bool(ctx, member, value);
}

mw_status mw_json_get_text(mw_ctx *ctx, const mw_json *object, const char *key,
                           const char **value)
{
    const mw_json *member = NULL;
    MW_TRY(mw_json_member(ctx, object, key, &member));
    return mw_json_text(ctx, member, value);
}

mw_status mw_json_get_array(mw_ctx *ctx, const mw_json *object, const char *key,
                            const mw_json **value)
{
    const mw_json *member = NULL;
    MW_TRY(mw_json_member(ctx, object, key, &member));
    MW_TRY(mw_json_kind_is(ctx, member, MW_JSON_ARRAY));
    *value = member;
    return MW_OK;
}

mw_status mw_json_get_object(mw_ctx *ctx, const mw_json *object,
                             const char *key, const mw_json **value)
{
    const mw_json *member = NULL;
    MW_TRY(mw_json_member(ctx, object, key, &member));
    MW_TRY(mw_json_kind_is(ctx, member, MW_JSON_OBJECT));
    *value = member;
    return MW_OK;
}
