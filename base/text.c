/* text.c - a buffer that doubles. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void mw_text_init(mw_text *text, mw_ctx *ctx)
{
    /* never written to while there is no buffer */
    *text = (mw_text){.ctx = ctx, .data = (char *)(uintptr_t) ""};
}

void mw_text_free(mw_text *text)
{
    if (!text)
        return;
    if (text->cap)
        mw_mem_free(text->data);
    mw_text_init(text, text->ctx);
}

/* Room for length more and a NUL. */
static bool reserve(mw_text *text, size_t length)
{
    if (text->failed)
        return false;
    if (length < text->cap - text->length)
        return true;
    size_t cap = text->cap ? text->cap : 64;
    while (cap - text->length <= length && cap <= SIZE_MAX / 2)
        cap *= 2;
    char *grown = mw_mem_grow(text->ctx, text->cap ? text->data : NULL, cap, 1);
    text->failed = !grown;
    if (!grown)
        return false;
    text->data = grown;
    text->cap = cap;
    return true;
}

void mw_text_add_bytes(mw_text *text, const void *more, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, more, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void mw_text_add(mw_text *text, const char *more)
{
    mw_text_add_bytes(text, more, strlen(more));
}

void mw_text_add_char(mw_text *text, char c)
{
    mw_text_add_bytes(text, &c, 1);
}

void mw_text_format(mw_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0 && reserve(text, (size_t)length)) {
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format,
                        again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void mw_text_cut(mw_text *text, size_t length)
{
    if (length >= text->length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

mw_status mw_text_status(const mw_text *text)
{
    return text->failed ? MW_ENOMEM : MW_OK;
}

int mw_utf8_length(const char *p, const char *end)
{
    const unsigned char *u = (const unsigned char *)p;
    int n = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    if (n == 1)
        return 1;
    if (u[0] < 0xc2 || u[0] > 0xf4 || end - p < n)
        return 0;
    for (int i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
        (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
        return 0;
    return n;
}

void mw_text_add_csv(mw_text *text, const char *field)
{
    mw_text_add_char(text, '"');
    for (; *field; field++) {
        if (*field == '"')
            mw_text_add_char(text, '"');
        mw_text_add_char(text, *field);
    }
    mw_text_add_char(text, '"');
}

void mw_text_add_utf8(mw_text *text, const char *more, size_t length)
{
    const char *end = more + length;
    while (more < end) {
        int n = *more ? mw_utf8_length(more, end) : 0;
        if (n > 0)
            mw_text_add_bytes(text, more, (size_t)n);
        else
            mw_text_add(text, "\xef\xbf\xbd");
        more += n > 0 ? n : 1;
    }
}
