/* sql.c - SQLite calls as statuses. */
#include "db/sql.h"

static mw_status code_of(int sqlite)
{
    switch (sqlite & 0xff) {
    case SQLITE_NOMEM:
        return MW_ENOMEM;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return MW_EINPUT;
    default:
        return MW_ERUN;
    }
}

mw_status mw_sql_fail(const mw_sql *sql, const char *what)
{
    mw_ctx_at(sql->ctx, "%s", sql->path);
    int code = sqlite3_errcode(sql->db);
    const char *hint = "";
    if ((code & 0xff) == SQLITE_BUSY)
        hint = "\nanother process holds the store; try again when it is done";
    return mw_fail(sql->ctx, code_of(code), "%s: %s%s", what,
                   sqlite3_errmsg(sql->db), hint);
}

mw_status mw_sql_exec(const mw_sql *sql, const char *text)
{
    if (sqlite3_exec(sql->db, text, NULL, NULL, NULL) == SQLITE_OK)
        return MW_OK;
    return mw_sql_fail(sql, "store");
}

mw_status mw_sql_prepare(const mw_sql *sql, const char *text,
                         sqlite3_stmt **statement)
{
    if (sqlite3_prepare_v2(sql->db, text, -1, statement, NULL) == SQLITE_OK)
        return MW_OK;
    return mw_sql_fail(sql, "store");
}

mw_status mw_sql_step(const mw_sql *sql, sqlite3_stmt *statement, bool *row)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return MW_OK;
    return mw_sql_fail(sql, "store");
}

mw_status mw_sql_run(const mw_sql *sql, sqlite3_stmt *statement)
{
    bool row;
    mw_status status = mw_sql_step(sql, statement, &row);
    (void)sqlite3_reset(statement);
    return status;
}

mw_status mw_sql_number(const mw_sql *sql, const char *text, int64_t *value)
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(sql, text, &statement));
    bool row = false;
    mw_status status = mw_sql_step(sql, statement, &row);
    if (status == MW_OK)
        *value = row ? sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return status;
}

void mw_sql_bind_text(sqlite3_stmt *statement, int i, const char *text)
{
    (void)sqlite3_bind_text(statement, i, text, -1, SQLITE_TRANSIENT);
}

char *mw_sql_text(mw_arena *arena, sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    return mw_arena_text(arena, text ? (const char *)text : "");
}
