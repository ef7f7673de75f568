/* rank.c - a rank's checks, its values, and its failures. */
#include "cli/rank.h"

#include "cli/job.h"
#include "runtime/launch.h"

mw_status mw_rank_look(mw_ctx *ctx, const char *path, int64_t *ranks,
                       int64_t *threads)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_plan_file file = {0};
    mw_status status = mw_plan_read(ctx, &arena, path, &file);
    if (status == MW_OK) {
        *ranks = mw_mesh_ranks(&file.mesh);
        *threads = file.info.threads;
    }
    mw_arena_free(&arena);
    return status;
}

mw_status mw_rank_of_plan(mw_ctx *ctx, const mw_plan_file *file,
                          const mw_team *team)
{
    int64_t ranks = mw_mesh_ranks(&file->mesh);
    if (ranks == mw_team_size(team))
        return MW_OK;
    mw_ctx_at(ctx, "%s", file->name);
    return mw_fail(ctx, MW_EUSAGE,
                   "the plan is for %lld ranks where mpirun started %d",
                   (long long)ranks, mw_team_size(team));
}

mw_status mw_rank_of_mesh(mw_ctx *ctx, const mw_mesh *mesh, const mw_team *team)
{
    int64_t ranks = mw_mesh_ranks(mesh);
    if (ranks == mw_team_size(team))
        return MW_OK;
    mw_ctx_at(ctx, "--mesh");
    return mw_fail(ctx, MW_EUSAGE, "has %lld ranks where mpirun started %d",
                   (long long)ranks, mw_team_size(team));
}

mw_status mw_rank_threads_read(mw_ctx *ctx, const mw_args *args,
                               int64_t planned, int64_t ranks,
                               mw_rank_threads *threads)
{
    static const int64_t range[2] = {1, MW_JOB_THREADS_MAX};
    int64_t local = mw_job_local(ranks), cores = mw_job_cores();
    int64_t usual = planned ? planned : mw_job_threads(local);
    MW_TRY(mw_args_int(ctx, args, "threads", range, usual, &threads->each));
    if (threads->each > range[1])
        return mw_fail(ctx, MW_EINPUT,
                       "the plan's threads are %lld, wanted at most %lld",
                       (long long)threads->each, (long long)range[1]);
    threads->oversubscribed = mw_job_crowded(threads->each, local);
    if (!mw_args_has(args, "threads") || mw_args_has(args, "oversubscribe") ||
        !threads->oversubscribed)
        return MW_OK;
    mw_ctx_at(ctx, "--threads");
    return mw_fail(ctx, MW_EUSAGE,
                   "%lld threads of %lld ranks are more than %lld cores\n"
                   "--oversubscribe allows it",
                   (long long)threads->each, (long long)local,
                   (long long)cores);
}

mw_status mw_rank_values(const mw_args *args, mw_values *values)
{
    for (int64_t i = 0; i < mw_args_count(args, "input"); i++)
        MW_TRY(mw_values_input(values, mw_args_item(args, "input", i)));
    const char *weights = mw_args_text(args, "weights");
    if (weights)
        MW_TRY(mw_values_weights(values, weights));
    return mw_values_check(values);
}

mw_status mw_rank_step(mw_ctx *ctx, mw_team *team, mw_status status)
{
    if (status != MW_OK && mw_team_size(team) > 1) {
        mw_cli_tell(ctx, mw_team_rank(team));
        mw_team_abort(team, mw_status_exit(MW_ERUN));
    }
    return status;
}
