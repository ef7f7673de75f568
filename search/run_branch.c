/* run_branch.c - branch and bound whose every node is the pipeline.
 *
 * The strategies of one node are split in two by what they take of the memory
 * that has a price, since that is where the dual cannot decide; each half is a
 * problem of its own, reduced, bounded and fixed against the incumbent. All in
 * integers. */
#include "base/mem.h"
#include "search/net_export.h"
#include "search/reduce.h"
#include "search/staged.h"

enum { BRANCH_LABELS = 2000, MAX_BRANCHES = 20000 };

static const mw_ascent ascent = {.rounds = 60, .first = 0.05, .last = 0.001};

typedef struct branching {
    mw_run *run;
    mw_arena arena;
    mw_problem rest; /* what is left of the run's net */
    int32_t *node_of;
    int32_t node; /* of the rest: the one that is split */
    bool *high;   /* by its strategy: in the second half */
    bool open;    /* a half was not finished */
} branching;

// What a strategy takes at the net's prices, in doubles: it only guides.
static double charge_of(const mw_net *net, const double *total, int32_t node,
                        int32_t s)
{
    const mw_net_node *v = &net->node[node];
    double sum = 0;
    for (int32_t k = 0; k < v->n_terms; k++)
        sum += (double)v->term[k].usage[s] *
               (total[v->term[k].end] - total[v->term[k].begin]);
    return sum;
}

static void charge_range(const mw_net *net, const double *total, int32_t node,
                         double range[2])
{
    range[0] = range[1] = charge_of(net, total, node, 0);
    for (int32_t s = 1; s < net->node[node].n; s++) {
        double charge = charge_of(net, total, node, s);
        range[0] = charge < range[0] ? charge : range[0];
        range[1] = charge > range[1] ? charge : range[1];
    }
}

// Splits the node with the widest range of charges in the middle of it; without
// charges, the node with most strategies in two.
static mw_status choose_split(branching *b)
{
    const mw_net *net = &b->run->net;
    double *total = MW_NEW_ARRAY(&b->arena, (int64_t)net->n_rows + 1, double);
    if (!total)
        return MW_ENOMEM;
    for (int32_t r = 0; r < net->n_rows; r++)
        total[r + 1] = total[r] + (double)net->price[r];
    double widest = 0, middle = 0;
    int32_t most = 1;
    for (int32_t i = 0; i < b->rest.n_nodes; i++) {
        double range[2];
        charge_range(net, total, b->node_of[i], range);
        int32_t n = b->rest.node[i].n_strategies;
        bool better = range[1] - range[0] > widest || (widest == 0 && n > most);
        if (!better)
            continue;
        widest = range[1] - range[0];
        middle = (range[0] + range[1]) / 2;
        most = n;
        b->node = i;
    }
    b->high = MW_NEW_ARRAY(&b->arena, most, bool);
    if (!b->high)
        return MW_ENOMEM;
    for (int32_t s = 0; s < most; s++)
        b->high[s] =
            widest > 0 ? charge_of(net, total, b->node_of[b->node], s) > middle
                       : s >= most / 2;
    return MW_OK;
}

// The rest with only one half of the split strategies allowed.
static mw_status allow_half(branching *b, bool high, const int64_t **costs)
{
    mw_problem_node *v = &b->rest.node[b->node];
    int64_t *cost = MW_NEW_ARRAY(&b->arena, v->n_strategies, int64_t);
    if (!cost)
        return MW_ENOMEM;
    for (int32_t s = 0; s < v->n_strategies; s++)
        cost[s] = b->high[s] == high ? v->cost[s] : MW_INFINITE;
    *costs = v->cost;
    v->cost = cost;
    return MW_OK;
}

// Gives a better choice for the rest to the run that is branched.
static mw_status hand_up(branching *b, const mw_run *child)
{
    mw_run *run = b->run;
    int32_t *current =
        mw_mem_alloc(run->ctx, (size_t)run->net.n_nodes, sizeof *current);
    if (!current)
        return MW_ENOMEM;
    for (int32_t i = 0; i < b->rest.n_nodes; i++)
        current[b->node_of[i]] = child->incumbent.choice[i];
    mw_status status =
        mw_incumbent_offer(&run->incumbent, &run->net, current, NULL);
    mw_mem_free(current);
    return status;
}

static mw_status solve_child(mw_run *child, bool *closed)
{
    MW_TRY(mw_reduce(&child->net, MW_REDUCE_ALL));
    MW_TRY(mw_run_tighten(child, &ascent, 4));
    *closed = mw_run_proved(child);
    if (*closed || mw_run_over(child) || child->net.scale < 0)
        return MW_OK;
    MW_TRY(mw_run_search_frontier(child, BRANCH_LABELS, closed));
    return *closed ? MW_OK : mw_run_branch(child, closed);
}

// A cost that no choice of the rest may reach: one unit of the problem below
// the incumbent.
static mw_int128 cost_to_beat(const mw_run *run)
{
    mw_int128 unit = run->net.scale > 0 ? (mw_int128)1 << run->net.scale : 1;
    return mw_incumbent_upper(&run->incumbent, &run->net) - run->net.constant -
           unit + 1;
}

static mw_status solve_half(branching *b, bool high)
{
    mw_run child;
    bool closed = false;
    const int64_t *costs = NULL;
    mw_int128 beat = cost_to_beat(b->run);
    mw_solve_options options = {0};
    MW_TRY(allow_half(b, high, &costs));
    mw_status status =
        mw_run_init(&child, b->run->ctx, &b->rest, &options, &b->arena);
    child.deadline = child.net.deadline = b->run->deadline;
    child.branches = b->run->branches;
    child.incumbent.found = b->run->incumbent.found;
    child.incumbent.cost = beat;
    if (status == MW_OK)
        status = solve_child(&child, &closed);
    if (status == MW_OK && child.incumbent.found && child.incumbent.cost < beat)
        status = hand_up(b, &child);
    b->open = b->open || !closed;
    b->rest.node[b->node].cost = costs;
    mw_run_free(&child);
    return status;
}

static mw_status solve_halves(branching *b)
{
    mw_run *run = b->run;
    b->node_of = MW_NEW_ARRAY(&b->arena, run->net.n_nodes_left, int32_t);
    if (!b->node_of)
        return MW_ENOMEM;
    MW_TRY(mw_net_export(&run->net, &b->rest, b->node_of));
    MW_TRY(choose_split(b));
    for (int high = 0; high < 2 && !b->open; high++)
        MW_TRY(solve_half(b, high != 0));
    return MW_OK;
}

mw_status mw_run_branch(mw_run *run, bool *done)
{
    *done = false;
    if (!run->incumbent.found || run->net.n_nodes_left == 0)
        return MW_OK;
    bool top = run->branches == NULL;
    if (top) {
        run->own_branches = MAX_BRANCHES;
        run->branches = &run->own_branches;
    }
    if (--*run->branches < 0)
        return MW_OK;
    branching b = {.run = run};
    mw_arena_init(&b.arena, run->ctx);
    mw_problem_init(&b.rest, run->ctx);
    mw_status status = solve_halves(&b);
    mw_problem_free(&b.rest);
    mw_arena_free(&b.arena);
    *done = status == MW_OK && !b.open;
    if (*done)
        mw_run_raise(run, mw_incumbent_upper(&run->incumbent, &run->net));
    if (top)
        run->branches = NULL;
    return status;
}
