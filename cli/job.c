/* job.c - the command line of a job, and what its ranks say. */
#include "cli/job.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "runtime/launch.h"

enum { PATH_BYTES = 4096 };

static bool replaced(const mw_job_option extra[], const char *name)
{
    for (; extra && extra->name; extra++)
        if (strcmp(extra->name, name) == 0)
            return true;
    return false;
}

static char *option_text(mw_arena *arena, const mw_option *option,
                         const char *value)
{
    if (!option->value)
        return mw_arena_format(arena, "--%s", option->name);
    if (option->name[1] == '\0')
        return mw_arena_format(arena, "-%s%s", option->name, value);
    return mw_arena_format(arena, "--%s=%s", option->name, value);
}

// This program, the command, its options, and behind "--" its arguments.
static mw_status make_argv(mw_arena *arena, const mw_args *args,
                           const char *command, const mw_job_option extra[],
                           char ***argv)
{
    char self[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return mw_fail(arena->ctx, MW_ERUN, "/proc/self/exe cannot be read");
    self[length] = '\0';
    int64_t n_extra = 0, n = 0;
    while (extra && extra[n_extra].name)
        n_extra++;
    int64_t slots = args->n_given + args->n_pos + n_extra + 4;
    char **list = MW_NEW_ARRAY(arena, slots, char *);
    if (!list)
        return MW_ENOMEM;
    list[n++] = mw_arena_text(arena, self);
    list[n++] = mw_arena_text(arena, command);
    for (int64_t i = 0; i < args->n_given; i++)
        if (!replaced(extra, args->given[i].option->name))
            list[n++] =
                option_text(arena, args->given[i].option, args->given[i].value);
    for (int64_t i = 0; i < n_extra; i++)
        list[n++] =
            mw_arena_format(arena, "--%s=%s", extra[i].name, extra[i].value);
    list[n++] = mw_arena_text(arena, "--");
    for (int64_t i = 0; i < args->n_pos; i++)
        list[n++] = mw_arena_text(arena, args->pos[i]);
    for (int64_t i = 0; i < n; i++)
        if (!list[i])
            return MW_ENOMEM;
    *argv = list;
    return MW_OK;
}

// The status that gives this exit status.
static mw_status status_of(int exit_status)
{
    static const mw_status all[] = {
#define MW_STATUS_ROW(code, text, exit_status) code,
        MW_STATUS_TABLE(MW_STATUS_ROW)
#undef MW_STATUS_ROW
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (mw_status_exit(all[i]) == exit_status)
            return all[i];
    return MW_ERUN;
}

static mw_status run_job(mw_ctx *ctx, const mw_args *args, const char *command,
                         const mw_job_option extra[], const mw_job *spec)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_job job = *spec;
    char **argv;
    int exit_status = 0;
    mw_status status = make_argv(&arena, args, command, extra, &argv);
    job.argv = argv;
    if (status == MW_OK)
        status = mw_job_run(ctx, &job, &exit_status);
    mw_arena_free(&arena);
    return status == MW_OK ? status_of(exit_status) : status;
}

mw_status mw_cli_job(mw_ctx *ctx, const mw_args *args, const char *command,
                     int64_t ranks, const mw_job_option extra[],
                     mw_text *output)
{
    const mw_job job = {.ranks = ranks, .debug = args->debug, .output = output};
    return run_job(ctx, args, command, extra, &job);
}

mw_status mw_cli_job_saving(mw_ctx *ctx, const mw_args *args,
                            const char *command, int64_t ranks)
{
    const mw_job job = {.ranks = ranks, .debug = args->debug, .saves = true};
    return run_job(ctx, args, command, NULL, &job);
}

mw_status mw_cli_rank_open_saving(mw_ctx *ctx, mw_arena *arena, mw_team **team)
{
    struct sigaction asks;
    if (sigaction(SIGTERM, NULL, &asks) == 0)
        (void)sigaction(MW_JOB_STOP_SIGNAL, &asks, NULL);
    return mw_team_open(ctx, arena, team);
}

mw_status mw_cli_rank_open(mw_ctx *ctx, mw_arena *arena, mw_team **team)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (signal(numbers[i], SIG_DFL) == SIG_IGN)
            (void)signal(numbers[i], SIG_IGN);
    return mw_team_open(ctx, arena, team);
}

mw_status mw_cli_rank_status(mw_ctx *ctx, int rank, mw_status status)
{
    if (rank == 0)
        return status;
    mw_stop_forget(ctx);
    mw_ctx_free(ctx);
    return MW_OK;
}

void mw_cli_tell(const mw_ctx *ctx, int rank)
{
    mw_ctx told = *ctx;
    char where[MW_WHERE_MAX];
    memcpy(where, ctx->where, sizeof where);
    (void)snprintf(told.where, sizeof told.where, "rank %d%s%.400s", rank,
                   where[0] ? ": " : "", where);
    mw_message_error(stderr, &told, false);
    (void)fflush(stderr);
}
