/* measured.c - profiles of a machine in and out of the store. */
#include <string.h>

#include "db/store_private.h"

static mw_status machine_id(const mw_sql *sql, const char *fingerprint,
                            int64_t *id)
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(sql, "SELECT id FROM machine WHERE fingerprint = ?",
                          &statement));
    mw_sql_bind_text(statement, 1, fingerprint);
    bool row;
    mw_status status = mw_sql_step(sql, statement, &row);
    if (status == MW_OK)
        *id = row ? sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return status;
}

static mw_status save_machine(mw_store *store, const mw_machine *machine,
                              const mw_measured *measured, int64_t *id)
{
    const mw_sql *sql = &store->sql;
    mw_machine bare = *machine;
    bare.measured = NULL;
    bare.overhead_bytes = 0; /* the profile's: it depends on the ranks */
    char *json;
    MW_TRY(mw_machine_print(sql->ctx, &store->arena, &bare, &json));
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(
        sql,
        "INSERT INTO machine (fingerprint, name, description)"
        " VALUES (?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE"
        " SET name = excluded.name, description = excluded.description",
        &statement));
    mw_sql_bind_text(statement, 1, measured->fingerprint);
    mw_sql_bind_text(statement, 2, machine->name);
    mw_sql_bind_text(statement, 3, json);
    mw_status status = mw_sql_run(sql, statement);
    (void)sqlite3_finalize(statement);
    MW_TRY(status);
    return machine_id(sql, measured->fingerprint, id);
}

static mw_status replace_profile(const mw_sql *sql, int64_t machine,
                                 int64_t overhead_bytes,
                                 const mw_measured *measured, int64_t *id)
{
    const char *const text[] = {
        "DELETE FROM profile"
        " WHERE machine_id = ?1 AND ranks = ?2 AND threads = ?3",
        "INSERT INTO profile (machine_id, ranks, threads, taken, "
        "overhead_bytes)"
        " VALUES (?1, ?2, ?3, ?4, ?5)"};
    for (size_t i = 0; i < 2; i++) {
        sqlite3_stmt *statement;
        MW_TRY(mw_sql_prepare(sql, text[i], &statement));
        (void)sqlite3_bind_int64(statement, 1, machine);
        (void)sqlite3_bind_int64(statement, 2, measured->ranks);
        (void)sqlite3_bind_int64(statement, 3, measured->threads);
        if (i == 1) {
            mw_sql_bind_text(statement, 4, measured->taken);
            (void)sqlite3_bind_int64(statement, 5, overhead_bytes);
        }
        mw_status status = mw_sql_run(sql, statement);
        (void)sqlite3_finalize(statement);
        MW_TRY(status);
    }
    *id = sqlite3_last_insert_rowid(sql->db);
    return MW_OK;
}

static mw_status save_kernels(const mw_sql *sql, int64_t profile,
                              const mw_measured *measured)
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(
        sql,
        "INSERT INTO kernel_profile (profile_id, op, dtype, key, flops, bytes,"
        " gemm_batch, gemm_m, gemm_n, gemm_k, time_s)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &statement));
    mw_status status = MW_OK;
    for (int i = 0; status == MW_OK && i < measured->n_kernels; i++) {
        const mw_kernel_sample *sample = &measured->kernel[i];
        (void)sqlite3_bind_int64(statement, 1, profile);
        mw_sql_bind_text(statement, 2, sample->op);
        mw_sql_bind_text(statement, 3, mw_dtype_name(sample->dtype));
        mw_sql_bind_text(statement, 4, sample->key);
        (void)sqlite3_bind_double(statement, 5, sample->flops);
        (void)sqlite3_bind_double(statement, 6, sample->bytes);
        for (int d = 0; d < 4; d++)
            (void)sqlite3_bind_int64(statement, 7 + d, sample->gemm[d]);
        (void)sqlite3_bind_double(statement, 11, sample->seconds);
        status = mw_sql_run(sql, statement);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static mw_status save_collectives(const mw_sql *sql, int64_t profile,
                                  const mw_measured *measured)
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(
        sql,
        "INSERT INTO collective_profile (profile_id, kind, algorithm, ranks,"
        " stride, bytes, time_s) VALUES (?, ?, ?, ?, ?, ?, ?)",
        &statement));
    mw_status status = MW_OK;
    char way[MW_WAY_TEXT_MAX];
    for (int i = 0; status == MW_OK && i < measured->n_collectives; i++) {
        const mw_collective_sample *sample = &measured->collective[i];
        (void)sqlite3_bind_int64(statement, 1, profile);
        mw_sql_bind_text(statement, 2, mw_collective_name(sample->kind));
        mw_sql_bind_text(statement, 3,
                         mw_way_text(sample->kind, sample->way, way));
        (void)sqlite3_bind_int64(statement, 4, sample->ranks);
        (void)sqlite3_bind_int64(statement, 5, sample->stride);
        (void)sqlite3_bind_int64(statement, 6, sample->bytes);
        (void)sqlite3_bind_double(statement, 7, sample->seconds);
        status = mw_sql_run(sql, statement);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static mw_status save_locked(mw_store *store, const mw_machine *machine,
                             const mw_measured *measured)
{
    const mw_sql *sql = &store->sql;
    int64_t machine_row, profile_row;
    MW_TRY(save_machine(store, machine, measured, &machine_row));
    MW_TRY(replace_profile(sql, machine_row, machine->overhead_bytes, measured,
                           &profile_row));
    MW_TRY(save_kernels(sql, profile_row, measured));
    return save_collectives(sql, profile_row, measured);
}

mw_status mw_store_save_measured(mw_store *store, const mw_machine *machine,
                                 const mw_measured *measured)
{
    MW_TRY(mw_store_begin(store));
    return mw_store_end(store, save_locked(store, machine, measured));
}

mw_status mw_store_prune(mw_store *store, const char *fingerprint,
                         int64_t *n_gone)
{
    const mw_sql *sql = &store->sql;
    int64_t before, after;
    MW_TRY(mw_sql_number(sql, "SELECT count(*) FROM profile", &before));
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(sql, "DELETE FROM machine WHERE fingerprint <> ?",
                          &statement));
    mw_sql_bind_text(statement, 1, fingerprint);
    mw_status status = mw_sql_run(sql, statement);
    (void)sqlite3_finalize(statement);
    MW_TRY(status);
    MW_TRY(mw_sql_number(sql, "SELECT count(*) FROM profile", &after));
    *n_gone = before - after;
    return MW_OK;
}
