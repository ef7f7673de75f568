/* main.c - finds the command, runs it, prints what went wrong. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/near.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/progress_line.h"
#include "cli/written.h"
#include "meshwright/meshwright.h"
#include "runtime/launch.h"

/* Set by the handler; with what it keeps for itself, the only writable statics
 * of the command. */
static volatile sig_atomic_t stop_signal;
static struct timespec stopped_at;

/* The first signal asks for the best so far, a later one kills. One that comes
 * at once is the first again: `timeout` sends it to a process and to its group;
 * and the launcher of a job says the same until it is heard. */
static void on_signal(int number)
{
    enum { AT_ONCE_MS = 300 };
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (stop_signal == 0) {
        stopped_at = now;
        stop_signal = number;
        return;
    }
    if (number == MW_JOB_STOP_SIGNAL)
        return;
    int64_t after_ms = (now.tv_sec - stopped_at.tv_sec) * INT64_C(1000) +
                       (now.tv_nsec - stopped_at.tv_nsec) / 1000000;
    if (after_ms < AT_ONCE_MS)
        return;
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* A hangup that nohup had us ignore stays ignored. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction hangup = {.sa_handler = SIG_DFL};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
}

static const mw_command *find_command(const char *name)
{
    for (int i = 0; i < mw_command_count; i++)
        if (strcmp(mw_command_table[i]->name, name) == 0)
            return mw_command_table[i];
    return NULL;
}

static mw_status no_command(mw_ctx *ctx, const char *name)
{
    mw_near near;
    mw_near_init(&near, name);
    for (int i = 0; i < mw_command_count; i++)
        mw_near_try(&near, mw_command_table[i]->name);
    mw_ctx_at(ctx, "%s", name);
    if (!near.best)
        return mw_fail(ctx, MW_EUSAGE,
                       "unknown command\nsee meshwright --help");
    return mw_fail(ctx, MW_EUSAGE, "unknown command\ndid you mean '%s'?",
                   near.best);
}

static mw_status count_pos(mw_ctx *ctx, const mw_command *command,
                           const mw_args *args)
{
    if (args->n_pos >= command->min_args &&
        (command->max_args < 0 || args->n_pos <= command->max_args))
        return MW_OK;
    mw_ctx_at(ctx, "%s", command->name);
    if (args->n_pos < command->min_args)
        return mw_fail(
            ctx, MW_EUSAGE, "%lld arguments, wanted: meshwright %s %s",
            (long long)args->n_pos, command->name, command->arguments);
    return mw_fail(ctx, MW_EUSAGE, "surplus argument '%s'",
                   args->pos[command->max_args]);
}

static mw_status run_command(mw_arena *arena, const mw_command *command,
                             int argc, char *const argv[], mw_args *args)
{
    MW_TRY(mw_args_parse(arena, command->options, argc, argv, args));
    if (args->help) {
        mw_help_command(stdout, command);
        return MW_OK;
    }
    MW_TRY(count_pos(arena->ctx, command, args));
    MW_TRY(mw_written_check(arena->ctx, command, args));
    mw_progress_line line;
    mw_progress_line_init(&line, arena->ctx, args->quiet);
    mw_status status = command->run(arena->ctx, args);
    mw_progress_line_clear(&line);
    arena->ctx->progress = NULL;
    return status;
}

static mw_status help(mw_ctx *ctx, const char *name)
{
    if (name && strcmp(name, "--man") == 0) {
        mw_help_manual(stdout);
        return MW_OK;
    }
    const mw_command *about = name ? find_command(name) : NULL;
    if (name && !about)
        return no_command(ctx, name);
    if (about)
        mw_help_command(stdout, about);
    else
        mw_help_all(stdout);
    return MW_OK;
}

static mw_status run(mw_arena *arena, int argc, char *const argv[],
                     mw_args *args)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--version") == 0) {
        printf("meshwright %s\n", mw_version());
        return MW_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0)
        return help(arena->ctx, argc > 2 ? argv[2] : NULL);
    const mw_command *command = find_command(name);
    if (!command)
        return no_command(arena->ctx, name);
    return run_command(arena, command, argc - 2, argv + 2, args);
}

/* What was printed must have arrived: a full disk is a failure. */
static mw_status flush_output(mw_ctx *ctx, mw_status status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    mw_stop_forget(ctx);
    mw_ctx_at(ctx, "standard output");
    return mw_fail(ctx, MW_ERUN, "cannot be written");
}

/* Known before the rest is read, so that a wrong usage has a location too. */
static bool wants_debug(int argc, char *const argv[])
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--debug") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    /* a rank's line reaches mpirun whole, not mixed with others' */
    (void)setvbuf(stderr, NULL, _IOLBF, 0);
    catch_signals();
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    ctx.stop = &stop_signal;
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_args args = {0};
    mw_status status = flush_output(&ctx, run(&arena, argc, argv, &args));
    if (!args.quiet)
        mw_message_warnings(stderr, &ctx);
    /* what a job's ranks failed with they have told themselves */
    if (ctx.status != MW_OK)
        mw_message_error(stderr, &ctx, wants_debug(argc, argv));
    int ended = mw_stopped(&ctx) ? 128 + stop_signal : mw_status_exit(status);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
    return ended;
}
