/* staged.c - the pipeline: exact reductions, a bound by messages and prices,
 * fixing against the incumbent, neighbourhoods, and a proof of the rest. */
#include "search/staged.h"

#include "search/coarse.h"
#include "search/reduce.h"

/* The first ascent: long where the rest may soon be proved, else only good
 * enough to search from. */
static const mw_ascent long_ascent = {
    .rounds = 400, .first = 0.1, .last = 0.001, .time_share = 0.05};
static const mw_ascent short_ascent = {
    .rounds = 400, .first = 0.1, .last = 0.001, .time_share = 0.05};
enum { LARGE_NODES = 1000 };

static mw_status search(mw_run *run)
{
    mw_run_report(run, "reduce");
    double begin_s = mw_clock_s();
    MW_TRY(mw_reduce(&run->net, MW_REDUCE_ALL));
    run->reduce_s = mw_clock_s() - begin_s;
    run->n_nodes_left = run->net.n_nodes_left;
    run->n_rows_left = run->net.n_rows;
    bool large = run->n_nodes_left > LARGE_NODES;
    MW_TRY(mw_run_tighten(run, large ? &short_ascent : &long_ascent,
                          large ? 1 : 4));
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

enum { FEW_CHOICES = 1000000 };

static bool has_few_choices(const mw_problem *problem)
{
    int64_t n = 1;
    for (int32_t i = 0; i < problem->n_nodes && n <= FEW_CHOICES; i++)
        n *= problem->node[i].n_strategies;
    return n <= FEW_CHOICES;
}

// What a problem without limits needs: the answer is there when it is proved.
static mw_status solve_coarse(const mw_problem *problem,
                              const mw_solve_options *options, mw_arena *arena,
                              mw_coarse_answer *answer, bool *proved)
{
    mw_coarse_options asked = {
        .deadline = mw_deadline_in(options->time_limit_s), .gap = options->gap};
    MW_TRY(mw_coarse_solve(arena, problem, &asked, answer));
    *proved = answer->infeasible;
    if (!answer->choice || !answer->bounded)
        return MW_OK;
    mw_int128 cost = answer->cost;
    double gap = (double)(cost - answer->bound) / (double)(cost > 1 ? cost : 1);
    *proved = answer->bound >= cost || gap <= options->gap;
    return MW_OK;
}

static void report_coarse(const mw_coarse_answer *answer,
                          mw_solve_result *result)
{
    result->bounded = answer->bounded;
    result->bound = answer->bound;
    result->choice = answer->choice;
    result->proof = MW_PROOF_EXACT;
    result->status = MW_SOLVE_INFEASIBLE;
    if (answer->choice)
        result->status = answer->bound >= answer->cost ? MW_SOLVE_OPTIMAL
                                                       : MW_SOLVE_FEASIBLE;
}

// What was found before the pipeline began.
static mw_status take_coarse(mw_run *r, const mw_coarse_answer *answer)
{
    r->bounded = answer->bounded;
    r->bound = answer->bound;
    if (!answer->choice)
        return MW_OK;
    return mw_incumbent_offer_choice(&r->incumbent, r->ctx, answer->choice,
                                     NULL);
}

enum { COARSE_NODES = 30 };

static mw_status run(mw_ctx *ctx, const mw_problem *problem,
                     const mw_solve_options *options, mw_arena *arena,
                     mw_solve_result *result)
{
    mw_run r;
    mw_coarse_answer coarse = {0};
    bool proved = false;
    if (mw_coarse_can(problem) && problem->n_nodes >= COARSE_NODES)
        MW_TRY(solve_coarse(problem, options, arena, &coarse, &proved));
    if (proved) {
        report_coarse(&coarse, result);
        return MW_OK;
    }
    mw_status status = mw_run_init(&r, ctx, problem, options, arena);
    if (status == MW_OK)
        status = take_coarse(&r, &coarse);
    if (status == MW_OK && options->start)
        status =
            mw_incumbent_offer_choice(&r.incumbent, ctx, options->start, NULL);
    // Costs too wide for a net are counted out in full where that can be done.
    bool count = status == MW_OK && r.net.scale < 0 && has_few_choices(problem);
    if (count)
        status =
            mw_solver_find("brute")->run(ctx, problem, options, arena, result);
    else if (status == MW_OK)
        status = search(&r);
    if (status == MW_OK && !count)
        status = report_result(&r, result);
    mw_run_free(&r);
    return status;
}

const mw_solver_def mw_solver_staged = {
    .name = "staged",
    .brief = "reduce, bound, fix, search neighbourhoods, prove the rest",
    .exact = true,
    .run = run,
};
