/* store.c - opening, migrating, checking; what is stored in all. */
#include "db/store.h"

#include <string.h>

#include "db/schema.h"
#include "db/store_private.h"

enum {
    APPLICATION_ID = 0x4d575354, /* "MWST" */
    BUSY_MS = 10000,
    BUSY_TRIES = 200,
    BUSY_NAP_MS = 25
};

static mw_status refuse(const mw_sql *sql, mw_status code, const char *what)
{
    mw_ctx_at(sql->ctx, "%s", sql->path);
    return mw_fail(sql->ctx, code, "%s", what);
}

/* Changing to WAL needs the file alone for a moment, and SQLite's own waiting
 * does not cover that. */
static mw_status use_wal(const mw_sql *sql)
{
    for (int i = 0; i < BUSY_TRIES; i++) {
        int code = sqlite3_exec(sql->db, "PRAGMA journal_mode = WAL", NULL,
                                NULL, NULL);
        if (code == SQLITE_OK)
            return MW_OK;
        if ((code & 0xff) != SQLITE_BUSY)
            break;
        (void)sqlite3_sleep(BUSY_NAP_MS);
    }
    return mw_sql_fail(sql, "store");
}

/* A file of ours, empty, or something else. */
static mw_status is_ours(const mw_sql *sql, int64_t *version)
{
    int64_t application, tables;
    MW_TRY(mw_sql_number(sql, "PRAGMA application_id", &application));
    MW_TRY(mw_sql_number(sql, "SELECT count(*) FROM sqlite_master", &tables));
    MW_TRY(mw_sql_number(sql, "PRAGMA user_version", version));
    if (application != APPLICATION_ID && (tables > 0 || application != 0))
        return refuse(sql, MW_EINPUT,
                      "an SQLite file, but not a store of meshwright");
    if (*version <= MW_STORE_VERSION)
        return MW_OK;
    mw_ctx_at(sql->ctx, "%s", sql->path);
    return mw_fail(sql->ctx, MW_EINPUT,
                   "store of version %lld, this meshwright knows %d\n"
                   "use the newer meshwright that made it, or another file",
                   (long long)*version, MW_STORE_VERSION);
}

static mw_status migrate_locked(const mw_sql *sql)
{
    int64_t version;
    MW_TRY(is_ours(sql, &version));
    if (version == MW_STORE_VERSION)
        return MW_OK;
    for (int64_t i = version; i < MW_STORE_VERSION; i++)
        MW_TRY(mw_sql_exec(sql, mw_migration[i]));
    char pragmas[128];
    (void)sqlite3_snprintf(sizeof pragmas, pragmas,
                           "PRAGMA application_id = %d;"
                           "PRAGMA user_version = %d",
                           APPLICATION_ID, MW_STORE_VERSION);
    return mw_sql_exec(sql, pragmas);
}

mw_status mw_store_begin(mw_store *store)
{
    return mw_sql_exec(&store->sql, "BEGIN IMMEDIATE");
}

mw_status mw_store_end(mw_store *store, mw_status status)
{
    if (status == MW_OK)
        status = mw_sql_exec(&store->sql, "COMMIT");
    if (status != MW_OK)
        (void)sqlite3_exec(store->sql.db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static mw_status open_write(mw_store *store)
{
    mw_sql *sql = &store->sql;
    int code = sqlite3_open_v2(
        sql->path, &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (!sql->db)
        return refuse(sql, MW_ENOMEM, "out of memory");
    if (code != SQLITE_OK)
        return mw_sql_fail(sql, "store cannot be opened for writing");
    (void)sqlite3_busy_timeout(sql->db, BUSY_MS);
    MW_TRY(use_wal(sql));
    MW_TRY(mw_sql_exec(sql, "PRAGMA foreign_keys = ON"));
    MW_TRY(mw_store_begin(store));
    return mw_store_end(store, migrate_locked(sql));
}

static mw_status probe(mw_store *store, const char *uri, int flags,
                       int64_t *version)
{
    mw_sql *sql = &store->sql;
    int code = sqlite3_open_v2(uri, &sql->db, flags | SQLITE_OPEN_URI, NULL);
    if (!sql->db)
        return refuse(sql, MW_ENOMEM, "out of memory");
    if (code != SQLITE_OK)
        return mw_sql_fail(sql, "store cannot be opened");
    (void)sqlite3_busy_timeout(sql->db, BUSY_MS);
    return is_ours(sql, version);
}

/* A file in WAL mode that a killed process left is recovered by whoever may
 * write it. Where the folder may not be written, it can only be read as one
 * that nobody changes. */
static mw_status open_read(mw_store *store, mw_arena *arena)
{
    static const struct {
        int flags;
        bool immutable;
    } ways[] = {{SQLITE_OPEN_READWRITE, false},
                {SQLITE_OPEN_READONLY, false},
                {SQLITE_OPEN_READONLY, true}};
    mw_sql *sql = &store->sql;
    int64_t version = 0;
    mw_status status = MW_ERUN;
    for (size_t i = 0; status == MW_ERUN && i < 3; i++) {
        mw_ctx_clear(sql->ctx);
        (void)sqlite3_close(sql->db);
        sql->db = NULL;
        char *uri = mw_store_uri(arena, sql->path, ways[i].immutable);
        if (!uri)
            return MW_ENOMEM;
        status = probe(store, uri, ways[i].flags, &version);
    }
    if (status == MW_ERUN)
        sql->ctx->status = status = MW_EINPUT;
    MW_TRY(status);
    if (version < MW_STORE_VERSION)
        return refuse(sql, MW_EINPUT,
                      "nothing is stored here yet\n"
                      "`meshwright profile --db FILE` measures this machine");
    return MW_OK;
}

mw_status mw_store_open(mw_ctx *ctx, const char *path, mw_store_mode mode,
                        mw_store **store)
{
    mw_store *made = mw_store_new(ctx, path);
    if (!made)
        return MW_ENOMEM;
    mw_status status = mode == MW_STORE_WRITE ? open_write(made)
                                              : open_read(made, &made->arena);
    if (status != MW_OK) {
        mw_store_close(made);
        return status;
    }
    *store = made;
    return MW_OK;
}

mw_status mw_store_info_of(mw_store *store, mw_store_info *info)
{
    mw_store_info read;
    const struct {
        const char *text;
        int64_t *value;
    } questions[] = {
        {"PRAGMA user_version", &read.version},
        {"SELECT count(*) FROM machine", &read.n_machines},
        {"SELECT count(*) FROM profile", &read.n_profiles},
        {"SELECT count(*) FROM kernel_profile", &read.n_kernels},
        {"SELECT count(*) FROM collective_profile", &read.n_collectives},
        {"SELECT count(*) FROM model", &read.n_models},
        {"SELECT count(*) FROM plan", &read.n_plans},
        {"SELECT count(*) FROM run", &read.n_runs},
        {"SELECT page_count * page_size FROM pragma_page_count, "
         "pragma_page_size",
         &read.file_bytes}};
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        MW_TRY(
            mw_sql_number(&store->sql, questions[i].text, questions[i].value));
    *info = read;
    return MW_OK;
}

mw_status mw_store_check(mw_store *store)
{
    const mw_sql *sql = &store->sql;
    const char *const question[] = {"PRAGMA integrity_check",
                                    "PRAGMA foreign_key_check"};
    for (size_t i = 0; i < 2; i++) {
        sqlite3_stmt *statement;
        MW_TRY(mw_sql_prepare(sql, question[i], &statement));
        bool row;
        mw_status status = mw_sql_step(sql, statement, &row);
        if (status == MW_OK && row) {
            const char *text = (const char *)sqlite3_column_text(statement, 0);
            mw_ctx_at(sql->ctx, "%s", sql->path);
            if (!text || strcmp(text, "ok") != 0)
                status = mw_fail(sql->ctx, MW_EDIFFERS, "store is damaged: %s",
                                 text ? text : "a row without text");
        }
        (void)sqlite3_finalize(statement);
        MW_TRY(status);
    }
    return MW_OK;
}
