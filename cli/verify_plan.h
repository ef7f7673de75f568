/*
 * verify_plan.h - `verify PLAN.json`: every home of a plan, after the op that
 * made it, against one processor's.
 */
#ifndef MW_CLI_VERIFY_PLAN_H
#define MW_CLI_VERIFY_PLAN_H

#include "cli/options.h"

/* Starts the plan's ranks, or is one of them. */
mw_status mw_verify_plan_file(mw_ctx *ctx, const mw_args *args) MW_MUST_CHECK;

#endif
