/*
 * sql.h - SQLite calls as statuses. Inside db/ only.
 */
#ifndef MW_DB_SQL_H
#define MW_DB_SQL_H

#include <sqlite3.h>

#include "base/arena.h"

typedef struct mw_sql {
    mw_ctx *ctx;
    const char *path;
    sqlite3 *db;
} mw_sql;

/* Records SQLite's own message for the path. */
mw_status mw_sql_fail(const mw_sql *sql, const char *what);

mw_status mw_sql_exec(const mw_sql *sql, const char *text) MW_MUST_CHECK;

mw_status mw_sql_prepare(const mw_sql *sql, const char *text,
                         sqlite3_stmt **statement) MW_MUST_CHECK;

/* *row: whether there is one more. */
mw_status mw_sql_step(const mw_sql *sql, sqlite3_stmt *statement,
                      bool *row) MW_MUST_CHECK;

/* Runs a statement that gives no rows, and makes it ready for the next. */
mw_status mw_sql_run(const mw_sql *sql, sqlite3_stmt *statement) MW_MUST_CHECK;

/* A statement's single integer. */
mw_status mw_sql_number(const mw_sql *sql, const char *text,
                        int64_t *value) MW_MUST_CHECK;

void mw_sql_bind_text(sqlite3_stmt *statement, int i, const char *text);

/* Column i copied; NULL with MW_ENOMEM recorded. */
char *mw_sql_text(mw_arena *arena, sqlite3_stmt *statement, int i);

#endif
