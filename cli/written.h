/*
 * written.h - a file that a command would write is none that it reads, and
 * none that another of its options writes.
 */
#ifndef MW_CLI_WRITTEN_H
#define MW_CLI_WRITTEN_H

#include "cli/command.h"

/* MW_EUSAGE names the option, the file, and what else has it. */
mw_status mw_written_check(mw_ctx *ctx, const mw_command *command,
                           const mw_args *args) MW_MUST_CHECK;

#endif
