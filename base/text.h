/*
 * text.h - a text that grows.
 *
 * Adding never fails where it stands: being out of memory sticks, and whoever
 * finishes the text asks once. `data` always ends with a NUL and is never
 * NULL.
 */
#ifndef MW_BASE_TEXT_H
#define MW_BASE_TEXT_H

#include "base/status.h"

typedef struct mw_text {
    mw_ctx *ctx; /* borrowed */
    char *data;
    size_t length, cap;
    bool failed;
} mw_text;

void mw_text_init(mw_text *text, mw_ctx *ctx);

/* Safe on a text that was freed already; it is then empty and usable. */
void mw_text_free(mw_text *text);

void mw_text_add(mw_text *text, const char *more);
void mw_text_add_bytes(mw_text *text, const void *more, size_t length);
void mw_text_add_char(mw_text *text, char c);
void mw_text_format(mw_text *text, const char *format, ...) MW_PRINTF(2, 3);

/* A field of a CSV line, in quotes; those within are doubled. */
void mw_text_add_csv(mw_text *text, const char *field);

/* Any text, with U+FFFD in place of each byte that belongs to no UTF-8, and of
 * NUL: what JSON may hold. */
void mw_text_add_utf8(mw_text *text, const char *more, size_t length);

/* Bytes of the well-formed UTF-8 sequence at p, 0 for none: no overlong form,
 * no surrogate, nothing beyond U+10FFFF. */
int mw_utf8_length(const char *p, const char *end);

/* Cuts the text back to length; keeps its room. */
void mw_text_cut(mw_text *text, size_t length);

/* MW_ENOMEM if anything added was lost. */
mw_status mw_text_status(const mw_text *text) MW_MUST_CHECK;

#endif
