/*
 * help.h - help texts, from the commands' own tables.
 */
#ifndef MW_CLI_HELP_H
#define MW_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* The list of commands. */
void mw_help_all(FILE *file);

/* Usage, options and an example of one. */
void mw_help_command(FILE *file, const mw_command *command);

/* The same of every command, as part of a manual page. */
void mw_help_manual(FILE *file);

/* Text that roff takes as it is: no escapes, no requests. */
void mw_help_roff(FILE *file, const char *text);

#endif
