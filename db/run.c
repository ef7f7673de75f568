/* run.c - what ran, beside what was planned. */
#include "db/store_private.h"

static mw_status add_named(const mw_sql *sql, const char *text,
                           const char *first, const char *second)
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(sql, text, &statement));
    mw_sql_bind_text(statement, 1, first);
    mw_sql_bind_text(statement, 2, second);
    mw_status status = mw_sql_run(sql, statement);
    (void)sqlite3_finalize(statement);
    return status;
}

static mw_status add_locked(const mw_sql *sql, const mw_store_run *run)
{
    MW_TRY(add_named(sql,
                     "INSERT INTO model (sha256, name) VALUES (?1, ?2)"
                     " ON CONFLICT (sha256) DO NOTHING",
                     run->model_sha256, run->model));
    MW_TRY(add_named(sql,
                     "INSERT INTO plan (model_id, digest)"
                     " SELECT id, ?1 FROM model WHERE sha256 = ?2"
                     " ON CONFLICT (digest) DO NOTHING",
                     run->plan_digest, run->model_sha256));
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(
        sql,
        "INSERT INTO run (plan_id, fingerprint, ranks, planned_s, measured_s,"
        " bytes_sent, peak_bytes)"
        " SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM plan WHERE digest = ?1",
        &statement));
    mw_sql_bind_text(statement, 1, run->plan_digest);
    mw_sql_bind_text(statement, 2, run->fingerprint);
    (void)sqlite3_bind_int64(statement, 3, run->ranks);
    (void)sqlite3_bind_double(statement, 4, run->planned_s);
    (void)sqlite3_bind_double(statement, 5, run->measured_s);
    (void)sqlite3_bind_int64(statement, 6, run->bytes_sent);
    (void)sqlite3_bind_int64(statement, 7, run->peak_bytes);
    mw_status status = mw_sql_run(sql, statement);
    (void)sqlite3_finalize(statement);
    return status;
}

mw_status mw_store_add_run(mw_store *store, const mw_store_run *run)
{
    MW_TRY(mw_store_begin(store));
    return mw_store_end(store, add_locked(&store->sql, run));
}
