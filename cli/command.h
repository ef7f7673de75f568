/*
 * command.h - a command is one file, cli/cmd_NAME.c, that exports
 *
 *     const mw_command mw_command_NAME = {...};
 *
 * Its options are a table (cli/options.h), from which parsing, `--help` and
 * the manual follow.
 */
#ifndef MW_CLI_COMMAND_H
#define MW_CLI_COMMAND_H

#include "cli/options.h"

typedef struct mw_command {
    const char *name;
    const char *brief;        /* one line, for the list of commands */
    const char *arguments;    /* "MODEL", "PLAN.json...", "" */
    int min_args, max_args;   /* positional; max_args -1: any number */
    const mw_option *options; /* up to the first without name */
    /* Names of the options whose values are files that are written, up to a
     * NULL; or NULL. Such a file is none that is read (cli/written.h). */
    const char *const *writes;
    const char *details; /* paragraphs of the help, or NULL */
    const char *example; /* command lines, one a line */
    /* Results go to standard output. The status becomes the exit status. */
    mw_status (*run)(mw_ctx *ctx, const mw_args *args);
} mw_command;

extern const mw_command *const mw_command_table[];
extern const int mw_command_count;

#endif
