/* shell.c - runs a command line through sh with its output in files. */
#include "tests/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/file.h"
#include "tests/test.h"

bool mw_shell_run(mw_arena *arena, const char *line, mw_shell *result)
{
    size_t size;
    const char *folder = mw_scratch_path();
    char *out = mw_arena_format(arena, "%s/shell.out", folder);
    char *err = mw_arena_format(arena, "%s/shell.err", folder);
    char *full = mw_arena_format(
        arena, "S=%s; meshwright() { %s \"$@\"; }; { %s\n} >%s 2>%s </dev/null",
        folder, mw_command_path(), line, out, err);
    if (!CHECK(out && err && full, "%s: no memory", line))
        return false;
    int status = system(full); /* NOLINT(cert-env33-c): a test */
    result->exit_status =
        WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return CHECK(status != -1 &&
                     mw_file_read(arena, out, &result->out, &size) == MW_OK &&
                     mw_file_read(arena, err, &result->err, &size) == MW_OK,
                 "%s: %s", line, arena->ctx->message);
}
