/*
 * json_source.h - pulling JSON tokens from a stream, with line and column.
 *
 * For files that are mostly integers and too large to hold as a tree. Every
 * function is MW_EINPUT with the place when the text is not what it wants.
 */
#ifndef MW_SEARCH_JSON_SOURCE_H
#define MW_SEARCH_JSON_SOURCE_H

#include <stdio.h>

#include "base/status.h"

enum { MW_JSON_KEY_MAX = 64, MW_JSON_DEPTH_MAX = 200 };

typedef struct mw_json_place {
    int64_t line, column; /* from 1 */
} mw_json_place;

typedef struct mw_json_source {
    mw_ctx *ctx;
    const char *name;
    FILE *file; /* NULL: all is in memory */
    char *buffer;
    const char *at, *end;
    int64_t line, before; /* bytes of this line before `base` */
    const char *base;
} mw_json_source;

/* From a file, which stays the caller's, or from memory. */
mw_status mw_json_open_file(mw_json_source *source, mw_ctx *ctx,
                            const char *name, FILE *file) MW_MUST_CHECK;
void mw_json_open_text(mw_json_source *source, mw_ctx *ctx, const char *name,
                       const char *text, size_t length);
void mw_json_close(mw_json_source *source);

/* Where the next token begins, once white space is skipped. */
mw_status mw_json_here(mw_json_source *source,
                       mw_json_place *place) MW_MUST_CHECK;

/* Sets the context's position for a failure. */
void mw_json_at(mw_json_source *source, mw_json_place place);

/* Opens a list or object ('[' or '{'). */
mw_status mw_json_enter(mw_json_source *source, char opening) MW_MUST_CHECK;

/* Whether another item follows in the list (']') or object ('}'): reads the
 * comma before it, or the end. first: nothing has been read yet. */
mw_status mw_json_more(mw_json_source *source, char closing, bool first,
                       bool *more) MW_MUST_CHECK;

/* A member's name and colon; longer names are cut. */
mw_status mw_json_key(mw_json_source *source,
                      char key[MW_JSON_KEY_MAX]) MW_MUST_CHECK;

/* An integer of 64 bits. */
mw_status mw_json_integer(mw_json_source *source, int64_t *value) MW_MUST_CHECK;

/* Skips any value; a nesting of more than MW_JSON_DEPTH_MAX is refused. */
mw_status mw_json_skip(mw_json_source *source) MW_MUST_CHECK;

/* Only white space is left. */
mw_status mw_json_finish(mw_json_source *source) MW_MUST_CHECK;

#endif
