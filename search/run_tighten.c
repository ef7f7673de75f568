/* run_tighten.c - the dual, what it fixes, and the reductions that follow,
 * again and again. */
#include "base/mem.h"
#include "search/dual.h"
#include "search/reduce.h"
#include "search/staged.h"

/* What an ascent of the dual must gain of the range for another. */
static const double LEAST_GAIN = 0.02;

static int64_t count_strategies(const mw_net *net)
{
    int64_t n = 0;
    for (int32_t i = 0; i < net->n_nodes; i++)
        n += net->node[i].n;
    return n;
}

// Everything that is left is one choice.
static mw_status settle_empty(mw_run *run)
{
    if (run->net.infeasible || run->net.n_nodes_left > 0)
        return MW_OK;
    MW_TRY(mw_incumbent_offer(&run->incumbent, &run->net, run->incumbent.trial,
                              NULL));
    mw_run_raise(run, run->net.constant);
    return MW_OK;
}

// The last decoded choice, for a search that has nothing better to start from.
static mw_status keep_guess(mw_run *run, const mw_dual *dual)
{
    int32_t *current =
        mw_mem_alloc(run->ctx, (size_t)run->net.n_nodes, sizeof *current);
    if (!current)
        return MW_ENOMEM;
    for (int32_t i = 0; i < dual->n_nodes; i++)
        current[dual->node[i].node] = dual->choice[i];
    mw_net_expand(&run->net, current, run->guess);
    mw_mem_free(current);
    return MW_OK;
}

// With costs rounded down the incumbent's is no limit for what is left.
static mw_int128 fixing_limit(const mw_run *run)
{
    if (run->net.scale < 0)
        return run->net.constant + MW_NET_FINITE;
    return mw_incumbent_upper(&run->incumbent, &run->net);
}

// Prices that have settled in a bad place leave it when long steps begin anew:
// again, while that brings the bound clearly nearer to the incumbent.
static mw_status improve(mw_run *run, mw_dual *dual, const mw_ascent *plan,
                         int cycles)
{
    for (int cycle = 0; cycle < cycles; cycle++) {
        mw_int128 before = dual->best;
        bool first = !dual->has_best;
        MW_TRY(mw_dual_improve(dual, plan, &run->deadline, &run->incumbent));
        if (run->incumbent.found &&
            mw_net_bound(&run->net, dual->best) >= run->incumbent.cost)
            return MW_OK;
        double range = (double)(mw_incumbent_upper(&run->incumbent, &run->net) -
                                dual->best);
        if (!first && (double)(dual->best - before) < LEAST_GAIN * range)
            return MW_OK;
        if (run->net.n_rows == 0 || mw_net_late(&run->net))
            return MW_OK;
    }
    return MW_OK;
}

static mw_status bound_and_fix(mw_run *run, const mw_ascent *plan, int cycles,
                               int64_t *n_fixed)
{
    mw_dual dual;
    mw_status status = mw_dual_init(&dual, &run->net);
    if (status == MW_OK)
        status = improve(run, &dual, plan, cycles);
    if (status == MW_OK && !run->incumbent.found)
        status = keep_guess(run, &dual);
    if (status == MW_OK)
        status = mw_dual_fix(&dual, fixing_limit(run), n_fixed);
    if (status == MW_OK && dual.has_best)
        mw_run_raise(run, dual.best);
    mw_dual_free(&dual);
    return status;
}

mw_status mw_run_tighten(mw_run *run, const mw_ascent *plan, int cycles)
{
    for (int pass = 0;; pass++) {
        int64_t n = count_strategies(&run->net), n_fixed = 0;
        MW_TRY(settle_empty(run));
        if (mw_run_over(run))
            return MW_OK;
        MW_TRY(bound_and_fix(run, plan, pass == 0 ? cycles : 1, &n_fixed));
        mw_run_report(run, "bound");
        if (mw_run_over(run))
            return MW_OK;
        MW_TRY(mw_reduce(&run->net, MW_REDUCE_ALL));
        int64_t left = count_strategies(&run->net);
        if (left == 0 || left * 100 > n * 99)
            return settle_empty(run);
    }
}
