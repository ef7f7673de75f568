/*
 * verify_report.h - what verifying found, summed over ranks, printed by a rank
 * and put together over meshes.
 */
#ifndef MW_CLI_VERIFY_REPORT_H
#define MW_CLI_VERIFY_REPORT_H

#include "base/json.h"
#include "cli/options.h"
#include "runtime/verify.h"

/* What was asked for, in numbers. */
typedef struct mw_verify_wishes {
    uint64_t seed;
    int threads;
    mw_tolerance tolerance;
} mw_verify_wishes;

mw_status mw_verify_wishes_read(mw_ctx *ctx, const mw_args *args, int ranks,
                                mw_verify_wishes *wish) MW_MUST_CHECK;

/* Over all ranks. */
typedef struct mw_verify_totals {
    int64_t n_blocks, n_differ;
    double worst;
} mw_verify_totals;

/* Collective. */
mw_status mw_verify_sum(mw_team *team, const mw_verify_report *report,
                        mw_verify_totals *totals) MW_MUST_CHECK;

/* A row, with a head and the refusals; or an object. */
mw_status mw_verify_print(mw_ctx *ctx, mw_output format, const char *mesh,
                          const mw_verify_totals *totals,
                          const mw_verify_report *report) MW_MUST_CHECK;

/* MW_EDIFFERS with the first difference of the first rank that has one.
 * Collective. */
mw_status mw_verify_judge(mw_team *team,
                          const mw_verify_report *report) MW_MUST_CHECK;

/* Rows of several meshes, from the objects that ranks printed. */
typedef struct mw_verify_table {
    mw_ctx *ctx;
    mw_output format;
    mw_arena arena;
    mw_text text;
    mw_json_out out;
    int n_rows;
    int64_t n_checked, n_offered, n_refused;
} mw_verify_table;

void mw_verify_table_init(mw_verify_table *table, mw_ctx *ctx,
                          mw_output format);
mw_status mw_verify_table_add(mw_verify_table *table,
                              const char *json) MW_MUST_CHECK;
/* Prints the sum. */
mw_status mw_verify_table_end(mw_verify_table *table) MW_MUST_CHECK;
void mw_verify_table_free(mw_verify_table *table);

#endif
