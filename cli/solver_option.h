/*
 * solver_option.h - --solver, of the commands that solve layout problems.
 */
#ifndef MW_CLI_SOLVER_OPTION_H
#define MW_CLI_SOLVER_OPTION_H

#include "cli/command.h"

/* The name given, or NULL. MW_EUSAGE when the registry has none of that name;
 * what comes near it is named. */
mw_status mw_args_solver(mw_ctx *ctx, const mw_args *args,
                         const char **name) MW_MUST_CHECK;

#endif
