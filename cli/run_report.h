/*
 * run_report.h - what a run gave beside what the plan said.
 */
#ifndef MW_CLI_RUN_REPORT_H
#define MW_CLI_RUN_REPORT_H

#include "cli/options.h"
#include "ir/plan_file.h"
#include "runtime/outcome.h"

typedef struct mw_run_report {
    const mw_plan_file *file;
    const mw_outcome *outcome;
    int ranks;
    int64_t threads; /* of each rank */
    bool oversubscribed;
    bool yields;   /* waiting ranks give up their core */
    bool expected; /* outputs were compared */
    mw_comparison compared;
} mw_run_report;

mw_status mw_run_print(mw_ctx *ctx, mw_output format,
                       const mw_run_report *report) MW_MUST_CHECK;

/* MW_EDIFFERS names the first of: outputs, a rank's bytes, the most bytes, a
 * collective's, the arena. */
mw_status mw_run_judge(mw_ctx *ctx, const mw_run_report *report) MW_MUST_CHECK;

#endif
