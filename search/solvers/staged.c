/* staged.c - the pipeline: exact reductions, a bound by messages and prices,
 * fixing against the incumbent, neighbourhoods, and a proof of the rest. */
#include "search/staged.h"

#include "search/reduce.h"

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

enum { FIRST_ROUNDS = 400 };
static const double FIRST_FACTOR = 0.1;

static mw_status search(mw_run *run)
{
    mw_run_report(run, "reduce");
    double begin_s = mw_clock_s();
    MW_TRY(mw_reduce(&run->net, MW_REDUCE_ALL));
    run->reduce_s = mw_clock_s() - begin_s;
    run->n_nodes_left = run->net.n_nodes_left;
    run->n_rows_left = run->net.n_rows;
    MW_TRY(mw_run_tighten(run, FIRST_ROUNDS, FIRST_FACTOR));
    bool done = false;
    if (!mw_run_over(run))
        MW_TRY(mw_run_finish(run, &done));
    if (done || mw_run_over(run))
        return MW_OK;
    return mw_run_improve(run);
}

static mw_status report_result(mw_run *run, mw_solve_result *result)
{
    bool proved = mw_run_proved(run);
    result->n_nodes_left = run->n_nodes_left;
    result->n_rows_left = run->n_rows_left;
    result->reduce_s = run->reduce_s;
    result->bounded = run->bounded;
    result->bound = run->bound;
    if (run->incumbent.found) {
        result->status = proved ? MW_SOLVE_OPTIMAL : MW_SOLVE_FEASIBLE;
        int32_t n = run->problem->n_nodes;
        result->choice = MW_NEW_ARRAY(run->arena, n, int32_t);
        if (!result->choice)
            return MW_ENOMEM;
        for (int32_t i = 0; i < n; i++)
            result->choice[i] = run->incumbent.choice[i];
    } else {
        result->status =
            run->net.infeasible ? MW_SOLVE_INFEASIBLE : MW_SOLVE_UNKNOWN;
    }
    result->proof = run->bounded || proved ? run->proof : MW_PROOF_NONE;
    return MW_OK;
}

static mw_status run(mw_ctx *ctx, const mw_problem *problem,
                     const mw_solve_options *options, mw_arena *arena,
                     mw_solve_result *result)
{
    mw_run r = {.ctx = ctx,
                .problem = problem,
                .options = options,
                .arena = arena,
                .begin_s = mw_clock_s(),
                .deadline = mw_deadline_in(options->time_limit_s),
                .proof = MW_PROOF_EXACT,
                .random = options->seed};
    mw_status status = mw_incumbent_init(&r.incumbent, ctx, problem);
    if (status == MW_OK)
        status = mw_net_init(&r.net, ctx, problem);
    r.net.deadline = r.deadline;
    r.guess = MW_NEW_ARRAY(arena, problem->n_nodes, int32_t);
    if (status == MW_OK && !r.guess)
        status = MW_ENOMEM;
    if (status == MW_OK && options->start)
        status =
            mw_incumbent_offer_choice(&r.incumbent, ctx, options->start, NULL);
    if (status == MW_OK)
        status = search(&r);
    if (status == MW_OK)
        status = report_result(&r, result);
    mw_net_free(&r.net);
    mw_incumbent_free(&r.incumbent);
    return status;
}

const mw_solver_def mw_solver_staged = {
    .name = "staged",
    .brief = "reduce, bound, fix, search neighbourhoods, prove the rest",
    .exact = true,
    .run = run,
};
