/* status.c - contexts, failures and warnings. */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void mw_ctx_init(mw_ctx *ctx)
{
    memset(ctx, 0, sizeof *ctx);
}

void mw_ctx_free(mw_ctx *ctx)
{
    if (!ctx)
        return;
    mw_warn_forget(ctx);
    mw_ctx_clear(ctx);
}

void mw_warn_forget(mw_ctx *ctx)
{
    while (ctx->warning) {
        mw_warning *next = ctx->warning->next;
        mw_mem_free(ctx->warning);
        ctx->warning = next;
    }
}

void mw_ctx_clear(mw_ctx *ctx)
{
    ctx->status = MW_OK;
    ctx->message[0] = '\0';
    ctx->where[0] = '\0';
    ctx->src_file = NULL;
    ctx->src_line = 0;
}

const char *mw_status_text(mw_status status)
{
    static const char *const text[] = {
#define MW_STATUS_TEXT(code, text, exit_status) text,
        MW_STATUS_TABLE(MW_STATUS_TEXT)
#undef MW_STATUS_TEXT
    };
    return text[status];
}

int mw_status_exit(mw_status status)
{
    static const int code[] = {
#define MW_STATUS_EXIT(code, text, exit_status) exit_status,
        MW_STATUS_TABLE(MW_STATUS_EXIT)
#undef MW_STATUS_EXIT
    };
    return code[status];
}

void mw_ctx_at(mw_ctx *ctx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(ctx->pos, sizeof ctx->pos, format, args);
    va_end(args);
}

void mw_fail_at(mw_ctx *ctx, mw_status code, const char *file, int line,
                const char *format, ...)
{
    if (ctx->status != MW_OK)
        return;
    ctx->status = code;
    ctx->src_file = file;
    ctx->src_line = line;
    memcpy(ctx->where, ctx->pos, sizeof ctx->where);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
}

void mw_warn(mw_ctx *ctx, const char *format, ...)
{
    char text[MW_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t length = strlen(text) + 1;
    bool failed = ctx->status != MW_OK;
    mw_warning *warning = mw_mem_alloc(ctx, 1, sizeof *warning + length);
    if (!warning && !failed)
        mw_ctx_clear(ctx);
    if (!warning)
        return;
    memcpy(warning->text, text, length);
    mw_warning **last = &ctx->warning;
    while (*last)
        last = &(*last)->next;
    *last = warning;
}

bool mw_stopped(const mw_ctx *ctx)
{
    return ctx->stop && *ctx->stop;
}

void mw_stop_forget(mw_ctx *ctx)
{
    ctx->stop = NULL;
}
