/* net_init.c - making a net from a problem: scale, copies, rows. */
#include <string.h>

#include "base/mem.h"
#include "search/net.h"

enum { SCALE_MAX = 20 };

// The least cost that is allowed, or 0 when none is: it goes to the constant.
static int64_t least_cost(const int64_t *cost, int64_t n)
{
    int64_t least = MW_INFINITE;
    for (int64_t i = 0; i < n; i++)
        least = cost[i] < least ? cost[i] : least;
    return least < MW_INFINITE ? least : 0;
}

static int64_t range_of(const int64_t *cost, int64_t n)
{
    int64_t least = least_cost(cost, n), most = least;
    for (int64_t i = 0; i < n; i++) {
        if (cost[i] < MW_INFINITE && cost[i] > most)
            most = cost[i];
    }
    return most - least;
}

static int64_t matrix_size(const mw_problem *problem, int32_t edge)
{
    const mw_problem_edge *e = &problem->edge[edge];
    return (int64_t)problem->node[e->a].n_strategies *
           problem->node[e->b].n_strategies;
}

// The largest scale with which the ranges of all costs together stay finite.
static int scale_of(const mw_problem *problem)
{
    mw_int128 sum = 1;
    for (int32_t i = 0; i < problem->n_nodes; i++)
        sum += range_of(problem->node[i].cost, problem->node[i].n_strategies);
    for (int32_t i = 0; i < problem->n_edges; i++)
        sum += range_of(problem->edge[i].matrix, matrix_size(problem, i));
    int scale = SCALE_MAX;
    while ((scale >= 0 ? sum << scale : sum >> -scale) >= MW_NET_FINITE / 4)
        scale--;
    return scale;
}

// A cost's distance to the least, scaled.
static int64_t scaled_cost(const mw_net *net, int64_t cost, int64_t least)
{
    if (cost >= MW_INFINITE)
        return MW_NET_INFINITE;
    if (net->scale >= 0)
        return (cost - least) * (INT64_C(1) << net->scale);
    return (cost - least) >> -net->scale; /* rounds down */
}

// A scaled copy, without the least cost, which goes to the constant.
static int64_t *scaled_costs(mw_net *net, const int64_t *cost, int64_t n)
{
    int64_t least = least_cost(cost, n);
    int64_t *scaled = mw_mem_alloc(net->ctx, (size_t)n, sizeof *scaled);
    for (int64_t i = 0; scaled && i < n; i++)
        scaled[i] = scaled_cost(net, cost[i], least);
    net->constant += net->scale >= 0
                         ? (mw_int128)least * (INT64_C(1) << net->scale)
                         : least >> -net->scale;
    return scaled;
}

static mw_status add_nodes(mw_net *net)
{
    const mw_problem *problem = net->problem;
    int64_t n_strategies = 0;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        mw_net_node *v = &net->node[i];
        int32_t n = problem->node[i].n_strategies;
        net->first_strategy[i] = n_strategies;
        n_strategies += n;
        v->cost = scaled_costs(net, problem->node[i].cost, n);
        v->strategy = mw_mem_alloc(net->ctx, (size_t)n, sizeof *v->strategy);
        if (!v->cost || !v->strategy)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++)
            v->strategy[s] = s;
        v->n = n;
        mw_net_touch(net, i);
    }
    net->heir = mw_mem_alloc(net->ctx, (size_t)n_strategies, sizeof *net->heir);
    if (!net->heir)
        return MW_ENOMEM;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        for (int32_t s = 0; s < net->node[i].n; s++)
            net->heir[net->first_strategy[i] + s] = s;
    }
    return MW_OK;
}

static mw_status add_edges(mw_net *net)
{
    const mw_problem *problem = net->problem;
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *edge = &problem->edge[i];
        int64_t *matrix =
            scaled_costs(net, edge->matrix, matrix_size(problem, i));
        if (!matrix)
            return MW_ENOMEM;
        int32_t row = edge->transposed ? edge->b : edge->a;
        int32_t column = edge->transposed ? edge->a : edge->b;
        MW_TRY(mw_net_join(net, row, column, matrix));
    }
    return MW_OK;
}

static int64_t largest_limit(const mw_problem_row *rows, int32_t n)
{
    int64_t most = 0;
    for (int32_t r = 0; r < n; r++)
        most = rows[r].limit > most ? rows[r].limit : most;
    return most;
}

// A strategy that alone overruns each limit of its rows is forbidden, so that
// no usage is larger than a limit.
static mw_status add_term(mw_net *net, const mw_problem_term *term,
                          int32_t begin, int32_t end, int64_t most)
{
    mw_net_node *v = &net->node[term->node];
    int64_t *usage = mw_mem_alloc(net->ctx, (size_t)v->n, sizeof *usage);
    if (!usage)
        return MW_ENOMEM;
    for (int32_t s = 0; s < v->n; s++) {
        usage[s] = term->usage[s];
        if (usage[s] > most && begin < end) {
            v->cost[s] = MW_NET_INFINITE;
            usage[s] = most;
        }
    }
    return mw_net_load(net, term->node, begin, end, usage);
}

static mw_status check_usages(mw_net *net, int64_t limit)
{
    mw_int128 sum = (mw_int128)limit * ((mw_int128)net->problem->n_terms + 1);
    if (sum < (mw_int128)INT64_MAX / 2)
        return MW_OK;
    return mw_fail(net->ctx, MW_EINPUT,
                   "%d usages under a limit of %lld do not fit in 64 bits",
                   net->problem->n_terms, (long long)limit);
}

// Rows that even the largest usages together cannot overrun are left out.
static mw_status binding_rows(const mw_problem *problem, mw_arena *arena,
                              mw_problem_row **rows, int32_t *n_rows)
{
    int32_t n = 0, kept = 0;
    mw_problem_row *all = NULL;
    MW_TRY(mw_problem_rows(problem, arena, &all, &n));
    mw_int128 sum = 0;
    for (int32_t i = 0; i < problem->n_terms; i++) {
        const mw_problem_term *term = &problem->term[i];
        int64_t most = 0;
        for (int32_t s = 0; s < problem->node[term->node].n_strategies; s++)
            most = term->usage[s] > most ? term->usage[s] : most;
        sum += most;
    }
    for (int32_t r = 0; r < n; r++) {
        if (all[r].limit < sum)
            all[kept++] = all[r];
    }
    *rows = all;
    *n_rows = kept;
    return MW_OK;
}

// A price of 1 costs about 2^-20 of the costs' range on the whole of a limit.
static int price_shift(int64_t limit)
{
    int shift = 0;
    while (shift < 40 && (limit >> shift) > 32)
        shift++;
    return shift;
}

static mw_status add_rows(mw_net *net, mw_arena *arena)
{
    const mw_problem *problem = net->problem;
    mw_problem_row *rows = NULL;
    int32_t n = 0;
    MW_TRY(binding_rows(problem, arena, &rows, &n));
    int64_t most = largest_limit(rows, n);
    net->price_shift = price_shift(most);
    MW_TRY(check_usages(net, most));
    size_t room = (size_t)n + 1;
    net->slack = mw_mem_alloc(net->ctx, room, sizeof *net->slack);
    net->pending = mw_mem_alloc(net->ctx, room, sizeof *net->pending);
    net->price = mw_mem_alloc(net->ctx, room, sizeof *net->price);
    net->kept_before = mw_mem_alloc(net->ctx, room, sizeof *net->kept_before);
    if (!net->slack || !net->pending || !net->price || !net->kept_before)
        return MW_ENOMEM;
    net->n_rows = n;
    for (int32_t r = 0; r < n; r++)
        net->slack[r] = rows[r].limit;
    for (int32_t i = 0; i < problem->n_terms; i++) {
        const mw_problem_term *term = &problem->term[i];
        if (term->begin >= term->end)
            continue;
        MW_TRY(add_term(net, term, mw_problem_row_at(rows, n, term->begin),
                        mw_problem_row_at(rows, n, term->end), most));
    }
    mw_net_settle_rows(net);
    return MW_OK;
}

static mw_status fill(mw_net *net)
{
    size_t n = (size_t)net->n_nodes;
    net->node = mw_mem_alloc(net->ctx, n, sizeof *net->node);
    net->queue = mw_mem_alloc(net->ctx, n, sizeof *net->queue);
    net->first_strategy =
        mw_mem_alloc(net->ctx, n, sizeof *net->first_strategy);
    if (!net->node || !net->queue || !net->first_strategy)
        return MW_ENOMEM;
    MW_TRY(add_nodes(net));
    MW_TRY(add_edges(net));
    mw_arena arena;
    mw_arena_init(&arena, net->ctx);
    mw_status status = add_rows(net, &arena);
    mw_arena_free(&arena);
    return status;
}

mw_status mw_net_init(mw_net *net, mw_ctx *ctx, const mw_problem *problem)
{
    *net = (mw_net){.ctx = ctx,
                    .problem = problem,
                    .n_nodes = problem->n_nodes,
                    .n_nodes_left = problem->n_nodes,
                    .scale = scale_of(problem)};
    return fill(net);
}

void mw_net_free(mw_net *net)
{
    if (!net)
        return;
    for (int32_t i = 0; net->node && i < net->n_nodes; i++)
        mw_net_node_free(&net->node[i]);
    for (int32_t i = 0; i < net->n_edges; i++)
        mw_mem_free(net->edge[i].matrix);
    for (int32_t i = 0; i < net->n_records; i++) {
        mw_mem_free(net->record[i].best);
        mw_mem_free(net->record[i].strategy[0]);
        mw_mem_free(net->record[i].strategy[1]);
    }
    mw_mem_free(net->node);
    mw_mem_free(net->edge);
    mw_mem_free(net->record);
    mw_mem_free(net->queue);
    mw_mem_free(net->first_strategy);
    mw_mem_free(net->heir);
    mw_mem_free(net->slack);
    mw_mem_free(net->pending);
    mw_mem_free(net->price);
    mw_mem_free(net->kept_before);
    *net = (mw_net){0};
}
