/* handle.c - the life of a store's handle. */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "db/store_private.h"

mw_store *mw_store_new(mw_ctx *ctx, const char *path)
{
    mw_store *store = mw_mem_alloc(ctx, 1, sizeof *store);
    if (!store)
        return NULL;
    mw_arena_init(&store->arena, ctx);
    store->sql.ctx = ctx;
    store->sql.path = mw_arena_text(&store->arena, path);
    if (store->sql.path)
        return store;
    mw_store_close(store);
    return NULL;
}

void mw_store_close(mw_store *store)
{
    if (!store)
        return;
    (void)sqlite3_close(store->sql.db);
    mw_arena_free(&store->arena);
    mw_mem_free(store);
}

char *mw_store_uri(mw_arena *arena, const char *path, bool immutable)
{
    mw_text uri;
    mw_text_init(&uri, arena->ctx);
    mw_text_add(&uri, "file:");
    for (const char *c = path; *c; c++)
        if (isalnum((unsigned char)*c) || strchr("/._-", *c))
            mw_text_add_char(&uri, *c);
        else
            mw_text_format(&uri, "%%%02X", (unsigned)(unsigned char)*c);
    if (immutable)
        mw_text_add(&uri, "?immutable=1");
    char *copy = NULL;
    if (mw_text_status(&uri) == MW_OK)
        copy = mw_arena_text(arena, uri.data);
    mw_text_free(&uri);
    return copy;
}
