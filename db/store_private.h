/*
 * store_private.h - what the files of db/ share.
 */
#ifndef MW_DB_STORE_PRIVATE_H
#define MW_DB_STORE_PRIVATE_H

#include "db/sql.h"
#include "db/store.h"

struct mw_store {
    mw_arena arena; /* of the handle */
    mw_sql sql;
};

mw_store *mw_store_new(mw_ctx *ctx, const char *path);

/* "file:PATH", "file:PATH?immutable=1" with what a URI may not hold escaped. */
char *mw_store_uri(mw_arena *arena, const char *path, bool immutable);

mw_status mw_store_begin(mw_store *store) MW_MUST_CHECK;

/* Commits when status is MW_OK, else rolls back; returns what came of it. */
mw_status mw_store_end(mw_store *store, mw_status status) MW_MUST_CHECK;

#endif
