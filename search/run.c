/* run.c - what a run of the pipeline holds, and when it is over. */
#include "search/staged.h"

mw_status mw_run_init(mw_run *run, mw_ctx *ctx, const mw_problem *problem,
                      const mw_solve_options *options, mw_arena *arena)
{
    *run = (mw_run){.ctx = ctx,
                    .problem = problem,
                    .options = options,
                    .arena = arena,
                    .begin_s = mw_clock_s(),
                    .deadline = mw_deadline_in(options->time_limit_s),
                    .proof = MW_PROOF_EXACT};
    run->guess = MW_NEW_ARRAY(arena, problem->n_nodes, int32_t);
    if (!run->guess)
        return MW_ENOMEM;
    MW_TRY(mw_incumbent_init(&run->incumbent, ctx, problem));
    MW_TRY(mw_net_init(&run->net, ctx, problem));
    run->net.deadline = run->deadline;
    return MW_OK;
}

void mw_run_free(mw_run *run)
{
    mw_net_free(&run->net);
    mw_incumbent_free(&run->incumbent);
}

bool mw_run_proved(const mw_run *run)
{
    return run->net.infeasible || (run->incumbent.found && run->bounded &&
                                   run->bound >= run->incumbent.cost);
}

bool mw_run_over(const mw_run *run)
{
    if (mw_run_proved(run) || mw_stopped(run->ctx) ||
        mw_deadline_over(&run->deadline))
        return true;
    if (!run->incumbent.found || !run->bounded || run->options->gap <= 0)
        return false;
    mw_int128 cost = run->incumbent.cost;
    double gap = (double)(cost - run->bound) / (double)(cost > 1 ? cost : 1);
    return gap <= run->options->gap;
}

void mw_run_raise(mw_run *run, mw_int128 bound)
{
    mw_int128 value = mw_net_bound(&run->net, bound);
    if (!run->bounded || value > run->bound)
        run->bound = value;
    run->bounded = true;
    if (run->incumbent.found && run->bound > run->incumbent.cost)
        run->bound = run->incumbent.cost;
}

void mw_run_report(mw_run *run, const char *phase)
{
    if (!run->options->progress)
        return;
    mw_solve_progress progress = {.time_s = mw_clock_s() - run->begin_s,
                                  .objective = run->incumbent.cost,
                                  .bound = run->bound,
                                  .feasible = run->incumbent.found,
                                  .phase = phase};
    run->options->progress(run->options->user, &progress);
}
