/*
 * json.h - JSON in and out, with exact 64-bit integers.
 *
 * A parsed document lives in an arena and is read with functions that name
 * FILE:LINE:COL and the path ("ops[3].time_s") of what does not fit. Integers
 * never pass through a double. Refused: anything after the value, a key given
 * twice, text that is not UTF-8, "\u0000", nesting beyond MW_JSON_DEPTH.
 *
 * Written reals are %.17g. The canonical form is compact with sorted keys, so
 * that equal documents have equal bytes.
 */
#ifndef MW_BASE_JSON_H
#define MW_BASE_JSON_H

#include "base/arena.h"
#include "base/text.h"

enum { MW_JSON_DEPTH = 200 };

typedef enum mw_json_kind {
    MW_JSON_NULL,
    MW_JSON_BOOL,
    MW_JSON_INT, /* written without '.' and exponent, and fits */
    MW_JSON_REAL,
    MW_JSON_TEXT,
    MW_JSON_ARRAY,
    MW_JSON_OBJECT
} mw_json_kind;

typedef struct mw_json {
    mw_json_kind kind;
    int line, column;
    const char *key;              /* inside an object; the root: its file */
    const struct mw_json *parent; /* NULL for the root */
    union {
        bool truth;
        int64_t integer;
        double real;
        const char *text;
        struct mw_json *item; /* in the order written */
    } u;
    int64_t n;       /* items, or bytes of a text */
    int32_t *sorted; /* an object's items by key */
} mw_json;

/* file: how messages call the source. MW_EINPUT with FILE:LINE:COL. */
mw_status mw_json_parse(mw_arena *arena, const char *file, const char *text,
                        size_t length, const mw_json **root) MW_MUST_CHECK;

/* Reads and parses a file. */
mw_status mw_json_read(mw_arena *arena, const char *path,
                       const mw_json **root) MW_MUST_CHECK;

/* The member of an object, or NULL: absent, or not an object. */
const mw_json *mw_json_find(const mw_json *object, const char *key);

/* A member that must be there, of any kind. */
mw_status mw_json_member(mw_ctx *ctx, const mw_json *object, const char *key,
                         const mw_json **value) MW_MUST_CHECK;

/* Members that must be there, of a kind; a real may be written as an integer.
 * Failures are MW_EINPUT and say what was found and what was wanted. */
mw_status mw_json_get_int(mw_ctx *ctx, const mw_json *object, const char *key,
                          int64_t *value) MW_MUST_CHECK;
mw_status mw_json_get_real(mw_ctx *ctx, const mw_json *object, const char *key,
                           double *value) MW_MUST_CHECK;
mw_status mw_json_get_bool(mw_ctx *ctx, const mw_json *object, const char *key,
                           bool *value) MW_MUST_CHECK;
mw_status mw_json_get_text(mw_ctx *ctx, const mw_json *object, const char *key,
                           const char **value) MW_MUST_CHECK;
mw_status mw_json_get_array(mw_ctx *ctx, const mw_json *object, const char *key,
                            const mw_json **value) MW_MUST_CHECK;
mw_status mw_json_get_object(mw_ctx *ctx, const mw_json *object,
                             const char *key,
                             const mw_json **value) MW_MUST_CHECK;

/* The same of a value itself: an item of an array. */
mw_status mw_json_int(mw_ctx *ctx, const mw_json *json,
                      int64_t *value) MW_MUST_CHECK;
mw_status mw_json_real(mw_ctx *ctx, const mw_json *json,
                       double *value) MW_MUST_CHECK;
mw_status mw_json_bool(mw_ctx *ctx, const mw_json *json,
                       bool *value) MW_MUST_CHECK;
mw_status mw_json_text(mw_ctx *ctx, const mw_json *json,
                       const char **value) MW_MUST_CHECK;
mw_status mw_json_kind_is(mw_ctx *ctx, const mw_json *json,
                          mw_json_kind kind) MW_MUST_CHECK;

/* Records MW_EINPUT about a value, and is it: position, path, the message. */
#define mw_json_fail(ctx, json, ...)                                           \
    (mw_json_fail_at(ctx, json, __FILE__, __LINE__, __VA_ARGS__), MW_EINPUT)
void mw_json_fail_at(mw_ctx *ctx, const mw_json *json, const char *file,
                     int line, const char *format, ...) MW_PRINTF(5, 6);

/* Canonical bytes of a value. Members of the outermost object that `skip`
 * (up to NULL; NULL: none) names are left out. */
void mw_json_canonical(mw_text *text, const mw_json *json,
                       const char *const skip[]);

/* ---- writing ---- */

/* Containers open and close like brackets; one that is opened inline stands in
 * one line, and so does all inside. In arrays the key is NULL. */
typedef struct mw_json_out {
    mw_text *text; /* borrowed; its status tells whether all went well */
    int depth;     /* containers open */
    int inline_at; /* depth of the outermost inline one; 0: none */
    char close[MW_JSON_DEPTH];
    bool any[MW_JSON_DEPTH + 1];
} mw_json_out;

void mw_json_out_init(mw_json_out *out, mw_text *text);
void mw_json_begin_object(mw_json_out *out, const char *key);
void mw_json_begin_array(mw_json_out *out, const char *key);
void mw_json_begin_object_inline(mw_json_out *out, const char *key);
void mw_json_begin_array_inline(mw_json_out *out, const char *key);

/* Ends the innermost container; after the outermost a newline follows. */
void mw_json_end(mw_json_out *out);

void mw_json_put_int(mw_json_out *out, const char *key, int64_t value);
void mw_json_put_bool(mw_json_out *out, const char *key, bool value);
void mw_json_put_text(mw_json_out *out, const char *key, const char *value);
void mw_json_put_null(mw_json_out *out, const char *key);

/* JSON has no infinity and no NaN: those become null. */
void mw_json_put_real(mw_json_out *out, const char *key, double value);

/* A parsed value, as it was. */
void mw_json_put(mw_json_out *out, const char *key, const mw_json *value);

#endif
