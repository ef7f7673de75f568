/*
 * store.h - measured figures, models, plans and runs, kept in SQLite.
 *
 * The only SQL of the project. WAL, foreign keys, STRICT tables, migrations by
 * PRAGMA user_version, one transaction a public call, so that a process killed
 * in the middle leaves the old content. A fingerprint of hardware and software
 * keys every measured row: figures of another machine, another rank count or
 * another version of the measuring routine are never taken for these.
 */
#ifndef MW_DB_STORE_H
#define MW_DB_STORE_H

#include "profiles/measured.h"

enum { MW_STORE_VERSION = 1 };

typedef struct mw_store mw_store;

typedef enum mw_store_mode {
    MW_STORE_READ, /* the file must be there; works in a read-only folder */
    MW_STORE_WRITE /* made when absent, migrated when old */
} mw_store_mode;

/* MW_EINPUT: no such file, not a store, or made by a newer meshwright;
 * MW_ERUN: the file or folder cannot be written. The path is named. */
mw_status mw_store_open(mw_ctx *ctx, const char *path, mw_store_mode mode,
                        mw_store **store) MW_MUST_CHECK;

/* Accepts NULL. */
void mw_store_close(mw_store *store);

/* Replaces what is stored of the same fingerprint, ranks and threads. */
mw_status mw_store_save_measured(mw_store *store, const mw_machine *machine,
                                 const mw_measured *measured) MW_MUST_CHECK;

/* The machine with its figures for this fingerprint, ranks and threads.
 * MW_EINPUT says what is stored instead and how to measure. threads 0: any. */
mw_status mw_store_load_measured(mw_store *store, mw_arena *arena,
                                 const char *fingerprint, int64_t ranks,
                                 int threads,
                                 mw_machine *machine) MW_MUST_CHECK;

/* One line of `db list`. */
typedef struct mw_store_entry {
    const char *fingerprint, *machine, *taken;
    int64_t ranks, threads, n_kernels, n_collectives;
} mw_store_entry;

mw_status mw_store_list(mw_store *store, mw_arena *arena,
                        mw_store_entry **entry, int *n) MW_MUST_CHECK;

typedef struct mw_store_info {
    int64_t version, n_machines, n_profiles, n_kernels, n_collectives;
    int64_t n_models, n_plans, n_runs, file_bytes;
} mw_store_info;

mw_status mw_store_info_of(mw_store *store, mw_store_info *info) MW_MUST_CHECK;

/* SQLite's integrity and foreign key checks. MW_EDIFFERS names the first
 * fault. */
mw_status mw_store_check(mw_store *store) MW_MUST_CHECK;

/* Removes figures whose fingerprint is not this one. Returns how many profiles
 * went. */
mw_status mw_store_prune(mw_store *store, const char *fingerprint,
                         int64_t *n_gone) MW_MUST_CHECK;

/* What ran: a plan's digest and its measured figures beside the planned. */
typedef struct mw_store_run {
    const char *model, *model_sha256, *plan_digest, *fingerprint;
    int64_t ranks, bytes_sent, peak_bytes;
    double planned_s, measured_s;
} mw_store_run;

mw_status mw_store_add_run(mw_store *store,
                           const mw_store_run *run) MW_MUST_CHECK;

#endif
