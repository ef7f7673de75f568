/* incumbent.c - believes only mw_problem_evaluate(). */
#include "search/incumbent.h"

#include <string.h>

#include "base/mem.h"

mw_status mw_incumbent_init(mw_incumbent *incumbent, mw_ctx *ctx,
                            const mw_problem *problem)
{
    size_t n = (size_t)problem->n_nodes;
    *incumbent = (mw_incumbent){.problem = problem};
    incumbent->choice = mw_mem_alloc(ctx, n, sizeof *incumbent->choice);
    incumbent->trial = mw_mem_alloc(ctx, n, sizeof *incumbent->trial);
    return incumbent->choice && incumbent->trial ? MW_OK : MW_ENOMEM;
}

void mw_incumbent_free(mw_incumbent *incumbent)
{
    mw_mem_free(incumbent->choice);
    mw_mem_free(incumbent->trial);
    *incumbent = (mw_incumbent){0};
}

mw_status mw_incumbent_offer_choice(mw_incumbent *incumbent, mw_ctx *ctx,
                                    const int32_t *choice, bool *better)
{
    mw_evaluation found;
    MW_TRY(mw_problem_evaluate(incumbent->problem, ctx, choice, &found));
    bool take = !found.forbidden && found.excess <= 0 &&
                (!incumbent->found || found.cost < incumbent->cost);
    if (better)
        *better = take;
    if (!take)
        return MW_OK;
    incumbent->found = true;
    incumbent->cost = found.cost;
    memcpy(incumbent->choice, choice,
           (size_t)incumbent->problem->n_nodes * sizeof *choice);
    return MW_OK;
}

mw_status mw_incumbent_offer(mw_incumbent *incumbent, const mw_net *net,
                             const int32_t *current, bool *better)
{
    if (better)
        *better = false;
    mw_int128 cost = mw_net_cost(net, current);
    if (cost - net->constant >= MW_NET_INFINITE / 2 ||
        (incumbent->found && cost >= mw_incumbent_upper(incumbent, net)))
        return MW_OK;
    mw_net_expand(net, current, incumbent->trial);
    return mw_incumbent_offer_choice(incumbent, net->ctx, incumbent->trial,
                                     better);
}

mw_int128 mw_incumbent_upper(const mw_incumbent *incumbent, const mw_net *net)
{
    if (incumbent->found)
        return mw_net_scaled(net, incumbent->cost);
    return net->constant + MW_NET_FINITE;
}
