/* verify_plan.c - loads like a run, steps op by op. */
#include "cli/verify_plan.h"

#include <stdio.h>

#include "cli/job.h"
#include "cli/rank.h"
#include "cli/verify_report.h"
#include "runtime/launch.h"
#include "runtime/load.h"

/* One rank's work. */
typedef struct work {
    mw_arena *arena;
    const mw_args *args;
    mw_team *team;
    mw_load load;
    mw_exec exec;
    mw_verify_run verify;
} work;

static mw_status prepare(work *w, mw_verify_wishes *wish)
{
    mw_ctx *ctx = w->arena->ctx;
    int size = mw_team_size(w->team);
    MW_TRY(mw_verify_wishes_read(ctx, w->args, size, wish));
    MW_TRY(mw_load_plan(w->arena, w->args->pos[0], &w->load));
    MW_TRY(mw_rank_of_plan(ctx, &w->load.file, w->team));
    MW_TRY(mw_load_model(w->arena, w->team, wish->seed, &w->load));
    MW_TRY(mw_rank_values(w->args, &w->load.values));
    mw_kernels_start(wish->threads);
    MW_TRY(mw_verify_open(w->arena, w->team, &w->load.values, wish->threads,
                          &w->verify));
    w->verify.tolerance = wish->tolerance;
    return MW_OK;
}

static mw_status print(const mw_args *args, const mw_verify_totals *totals,
                       const mw_verify_report *report)
{
    if (args->format != MW_OUTPUT_TABLE)
        return mw_verify_print(report->ctx, args->format, "plan", totals,
                               report);
    printf("%lld ops, %lld blocks compared, %lld differ, largest error %.3g of "
           "what is tolerated\n",
           (long long)report->n_ops, (long long)totals->n_blocks,
           (long long)totals->n_differ, totals->worst);
    for (const mw_verify_note *n = report->difference; n; n = n->next)
        printf("  different: %s\n", n->text);
    return MW_OK;
}

static mw_status verify(work *w)
{
    mw_verify_wishes wish;
    mw_verify_totals totals;
    mw_ctx *ctx = w->arena->ctx;
    mw_status status = prepare(w, &wish);
    MW_TRY(mw_team_agree(w->team, status));
    status =
        mw_exec_open(w->arena, &w->load.plan, w->team, wish.threads, &w->exec);
    MW_TRY(mw_team_agree(w->team, status));
    status = mw_verify_plan(&w->verify, &w->load.values, &w->exec);
    MW_TRY(mw_rank_step(ctx, w->team, status));
    MW_TRY(mw_verify_sum(w->team, &w->verify.report, &totals));
    if (mw_team_rank(w->team) == 0)
        MW_TRY(print(w->args, &totals, &w->verify.report));
    return mw_verify_judge(w->team, &w->verify.report);
}

static mw_status be_rank(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    work w = {.arena = &arena, .args = args};
    mw_status status = mw_cli_rank_open(ctx, &arena, &w.team);
    int rank = 0;
    if (status == MW_OK) {
        rank = mw_team_rank(w.team);
        status = verify(&w);
    }
    mw_exec_close(&w.exec);
    mw_team_close(w.team);
    mw_load_close(&w.load);
    mw_arena_free(&arena);
    return mw_cli_rank_status(ctx, rank, status);
}

mw_status mw_verify_plan_file(mw_ctx *ctx, const mw_args *args)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return be_rank(ctx, args);
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_plan_file file = {0};
    mw_status status = mw_plan_read(ctx, &arena, args->pos[0], &file);
    ranks = status == MW_OK ? mw_mesh_ranks(&file.mesh) : 1;
    mw_arena_free(&arena);
    MW_TRY(status);
    if (ranks == 1)
        return be_rank(ctx, args);
    return mw_cli_job(ctx, args, "verify", ranks, NULL, NULL);
}
