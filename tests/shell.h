/*
 * shell.h - runs a command line and keeps what it printed.
 */
#ifndef MW_TESTS_SHELL_H
#define MW_TESTS_SHELL_H

#include "base/arena.h"

typedef struct mw_shell {
    int exit_status; /* 128 + n when signal n ended it */
    char *out, *err; /* standard output and error, in the arena */
} mw_shell;

/* "meshwright" as the first word stands for the built command; $S for the
 * scratch folder. Counts a failed CHECK and returns false when the command
 * could not be started. */
bool mw_shell_run(mw_arena *arena, const char *line, mw_shell *result);

#endif
