/*
 * verify_plan.h - `verify PLAN.json`: every home of a plan, after the op that
 * made it, against one processor's.
 */
#ifndef MW_CLI_VERIFY_PLAN_H
#define MW_CLI_VERIFY_PLAN_H

#include "cli/options.h"
#include "runtime/values.h"

/* The options that verify has for values; MW_EUSAGE and MW_EINPUT as of
 * runtime/values.h. */
mw_status mw_verify_values(const mw_args *args,
                           mw_values *values) MW_MUST_CHECK;

/* Starts the plan's ranks, or is one of them. */
mw_status mw_verify_plan_file(mw_ctx *ctx, const mw_args *args) MW_MUST_CHECK;

#endif
