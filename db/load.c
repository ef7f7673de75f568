/* load.c - measured figures as a cost model wants them, and lists of them. */
#include <stdio.h>
#include <string.h>

#include "db/store_private.h"

/* The newest profile of these ranks, of these threads when not 0. */
typedef struct found_profile {
    int64_t id, overhead_bytes; /* id 0: none */
    char *json;                 /* of the machine */
} found_profile;

static mw_status find_profile(const mw_sql *sql, mw_arena *arena,
                              const char *fingerprint, mw_measured *measured,
                              int threads, found_profile *found)
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(
        sql,
        "SELECT profile.id, threads, taken, description, overhead_bytes"
        " FROM profile"
        " JOIN machine ON machine.id = machine_id"
        " WHERE fingerprint = ?1 AND ranks = ?2"
        " AND (?3 = 0 OR threads = ?3)"
        " ORDER BY taken DESC, profile.id DESC LIMIT 1",
        &statement));
    mw_sql_bind_text(statement, 1, fingerprint);
    (void)sqlite3_bind_int64(statement, 2, measured->ranks);
    (void)sqlite3_bind_int64(statement, 3, threads);
    bool row;
    mw_status status = mw_sql_step(sql, statement, &row);
    *found = (found_profile){0};
    if (status == MW_OK && row) {
        found->id = sqlite3_column_int64(statement, 0);
        found->overhead_bytes = sqlite3_column_int64(statement, 4);
        measured->threads = sqlite3_column_int(statement, 1);
        measured->taken = mw_sql_text(arena, statement, 2);
        found->json = mw_sql_text(arena, statement, 3);
        if (!measured->taken || !found->json)
            status = MW_ENOMEM;
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* Says what there is instead of what was asked for. */
static mw_status nothing_for(mw_store *store, const char *fingerprint,
                             int64_t ranks, int threads)
{
    const mw_sql *sql = &store->sql;
    mw_store_entry *entry;
    int n;
    MW_TRY(mw_store_list(store, &store->arena, &entry, &n));
    const mw_store_entry *same = NULL;
    for (int i = 0; i < n; i++)
        if (strcmp(entry[i].fingerprint, fingerprint) == 0)
            same = &entry[i];
    mw_ctx_at(sql->ctx, "%s", sql->path);
    char wanted[32] = "";
    if (threads > 0)
        (void)snprintf(wanted, sizeof wanted, " of %d", threads);
    if (same)
        return mw_fail(sql->ctx, MW_EINPUT,
                       "measured on this machine with %lld ranks of %lld "
                       "threads, wanted %lld%s\n"
                       "`meshwright profile --mesh SPEC --db %s` measures it",
                       (long long)same->ranks, (long long)same->threads,
                       (long long)ranks, wanted, sql->path);
    if (n > 0)
        return mw_fail(sql->ctx, MW_EINPUT,
                       "measured on another machine or with other versions:\n"
                       "stored: %s\nhere:   %s\n"
                       "`meshwright profile --mesh SPEC --db %s` measures this "
                       "one",
                       entry[0].fingerprint, fingerprint, sql->path);
    return mw_fail(sql->ctx, MW_EINPUT,
                   "nothing is measured yet\n"
                   "`meshwright profile --mesh SPEC --db %s` measures this "
                   "machine",
                   sql->path);
}

static mw_status bad_row(const mw_sql *sql, const char *table,
                         const char *column, const char *found)
{
    mw_ctx_at(sql->ctx, "%s", sql->path);
    return mw_fail(sql->ctx, MW_EINPUT, "table %s: %s is '%s', unknown here",
                   table, column, found);
}

static mw_status add_kernel(const mw_sql *sql, mw_arena *arena,
                            sqlite3_stmt *statement, mw_measured *measured,
                            int64_t *cap)
{
    mw_kernel_sample sample = {0};
    sample.op = mw_sql_text(arena, statement, 0);
    sample.key = mw_sql_text(arena, statement, 2);
    const char *dtype = (const char *)sqlite3_column_text(statement, 1);
    if (!sample.op || !sample.key)
        return MW_ENOMEM;
    if (!dtype || !mw_dtype_by_name(dtype, &sample.dtype))
        return bad_row(sql, "kernel_profile", "dtype", dtype ? dtype : "");
    sample.flops = sqlite3_column_double(statement, 3);
    sample.bytes = sqlite3_column_double(statement, 4);
    for (int d = 0; d < 4; d++)
        sample.gemm[d] = sqlite3_column_int64(statement, 5 + d);
    sample.seconds = sqlite3_column_double(statement, 9);
    measured->kernel = mw_arena_reserve(
        arena, measured->kernel, measured->n_kernels, cap, sizeof sample);
    if (!measured->kernel)
        return MW_ENOMEM;
    measured->kernel[measured->n_kernels++] = sample;
    return MW_OK;
}

static mw_status add_collective(const mw_sql *sql, mw_arena *arena,
                                sqlite3_stmt *statement, mw_measured *measured,
                                int64_t *cap)
{
    mw_collective_sample sample = {0};
    const char *kind = (const char *)sqlite3_column_text(statement, 0);
    if (!kind || !mw_collective_by_name(kind, &sample.kind))
        return bad_row(sql, "collective_profile", "kind", kind ? kind : "");
    const char *way = (const char *)sqlite3_column_text(statement, 1);
    if (!way || !mw_way_parse(sample.kind, way, &sample.way))
        return bad_row(sql, "collective_profile", "algorithm", way ? way : "");
    sample.ranks = sqlite3_column_int64(statement, 2);
    sample.stride = sqlite3_column_int64(statement, 3);
    sample.bytes = sqlite3_column_int64(statement, 4);
    sample.seconds = sqlite3_column_double(statement, 5);
    measured->collective =
        mw_arena_reserve(arena, measured->collective, measured->n_collectives,
                         cap, sizeof sample);
    if (!measured->collective)
        return MW_ENOMEM;
    measured->collective[measured->n_collectives++] = sample;
    return MW_OK;
}

static const char *const kernels_of =
    "SELECT op, dtype, key, flops, bytes, gemm_batch, gemm_m, gemm_n, gemm_k,"
    " time_s FROM kernel_profile WHERE profile_id = ? ORDER BY id";
static const char *const collectives_of =
    "SELECT kind, algorithm, ranks, stride, bytes, time_s"
    " FROM collective_profile WHERE profile_id = ? ORDER BY id";

static mw_status load_rows(const mw_sql *sql, mw_arena *arena, const char *text,
                           int64_t profile, mw_measured *measured,
                           mw_status (*add)(const mw_sql *, mw_arena *,
                                            sqlite3_stmt *, mw_measured *,
                                            int64_t *))
{
    sqlite3_stmt *statement;
    MW_TRY(mw_sql_prepare(sql, text, &statement));
    (void)sqlite3_bind_int64(statement, 1, profile);
    int64_t cap = 0;
    bool row;
    mw_status status = mw_sql_step(sql, statement, &row);
    while (status == MW_OK && row) {
        status = add(sql, arena, statement, measured, &cap);
        if (status == MW_OK)
            status = mw_sql_step(sql, statement, &row);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

mw_status mw_store_load_measured(mw_store *store, mw_arena *arena,
                                 const char *fingerprint, int64_t ranks,
                                 int threads, mw_machine *machine)
{
    const mw_sql *sql = &store->sql;
    mw_measured *measured = MW_NEW(arena, mw_measured);
    if (!measured)
        return MW_ENOMEM;
    measured->ranks = ranks;
    measured->fingerprint = mw_arena_text(arena, fingerprint);
    if (!measured->fingerprint)
        return MW_ENOMEM;
    found_profile found;
    MW_TRY(find_profile(sql, arena, fingerprint, measured, threads, &found));
    if (found.id == 0)
        return nothing_for(store, fingerprint, ranks, threads);
    MW_TRY(load_rows(sql, arena, kernels_of, found.id, measured, add_kernel));
    MW_TRY(load_rows(sql, arena, collectives_of, found.id, measured,
                     add_collective));
    mw_measured_sort(measured);
    MW_TRY(mw_machine_parse(sql->ctx, arena, sql->path, found.json, machine));
    machine->overhead_bytes = found.overhead_bytes;
    machine->measured = measured;
    return MW_OK;
}

static mw_status read_entry(mw_arena *arena, sqlite3_stmt *statement,
                            mw_store_entry *entry)
{
    *entry =
        (mw_store_entry){.fingerprint = mw_sql_text(arena, statement, 0),
                         .machine = mw_sql_text(arena, statement, 1),
                         .taken = mw_sql_text(arena, statement, 2),
                         .ranks = sqlite3_column_int64(statement, 3),
                         .threads = sqlite3_column_int64(statement, 4),
                         .n_kernels = sqlite3_column_int64(statement, 5),
                         .n_collectives = sqlite3_column_int64(statement, 6)};
    if (entry->fingerprint && entry->machine && entry->taken)
        return MW_OK;
    return MW_ENOMEM;
}

mw_status mw_store_list(mw_store *store, mw_arena *arena,
                        mw_store_entry **entry, int *n)
{
    const mw_sql *sql = &store->sql;
    sqlite3_stmt *statement;
    MW_TRY(
        mw_sql_prepare(sql,
                       "SELECT fingerprint, name, taken, ranks, threads,"
                       " (SELECT count(*) FROM kernel_profile"
                       "   WHERE profile_id = profile.id),"
                       " (SELECT count(*) FROM collective_profile"
                       "   WHERE profile_id = profile.id)"
                       " FROM profile JOIN machine ON machine.id = machine_id"
                       " ORDER BY profile.id",
                       &statement));
    mw_store_entry *list = NULL;
    int64_t count = 0, cap = 0;
    bool row;
    mw_status status = mw_sql_step(sql, statement, &row);
    while (status == MW_OK && row) {
        list = mw_arena_reserve(arena, list, count, &cap, sizeof *list);
        status =
            list ? read_entry(arena, statement, &list[count++]) : MW_ENOMEM;
        if (status == MW_OK)
            status = mw_sql_step(sql, statement, &row);
    }
    (void)sqlite3_finalize(statement);
    MW_TRY(status);
    *entry = list;
    *n = (int)count;
    return MW_OK;
}
