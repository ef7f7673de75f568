/* problem.c - building a layout problem, its rows, and the judge of answers. */
#include "search/problem.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void mw_problem_init(mw_problem *problem, mw_ctx *ctx)
{
    *problem = (mw_problem){.name = "problem", .limit = MW_NO_LIMIT};
    mw_arena_init(&problem->arena, ctx);
}

void mw_problem_free(mw_problem *problem)
{
    if (problem)
        mw_arena_free(&problem->arena);
}

static mw_status check_costs(mw_problem *problem, const char *thing,
                             int32_t index, const int64_t *cost, int64_t n)
{
    if (!problem->checked)
        problem->checked = MW_NEW_ARRAY(&problem->arena, MW_PROBLEM_CHECKED,
                                        mw_problem_checked);
    if (!problem->checked)
        return MW_ENOMEM;
    mw_problem_checked *known =
        &problem->checked[((uintptr_t)cost >> 6) % MW_PROBLEM_CHECKED];
    if (known->cost == cost && known->n >= n)
        return MW_OK;
    for (int64_t i = 0; i < n; i++) {
        if (cost[i] <= -MW_INFINITE)
            return mw_fail(problem->arena.ctx, MW_EINPUT,
                           "%s %d: cost %lld is below the least allowed %lld",
                           thing, index, (long long)cost[i],
                           (long long)(1 - MW_INFINITE));
    }
    *known = (mw_problem_checked){cost, n};
    return MW_OK;
}

// A vector that can still count its items in 32 bits.
static mw_status check_room(mw_ctx *ctx, const char *things, int32_t n)
{
    if (n < INT32_MAX)
        return MW_OK;
    return mw_fail(ctx, MW_EINPUT, "the problem has more than %d %s", INT32_MAX,
                   things);
}

mw_status mw_problem_add_node(mw_problem *problem, int32_t n_strategies,
                              const int64_t *cost)
{
    mw_ctx *ctx = problem->arena.ctx;
    int32_t node = problem->n_nodes;
    MW_TRY(check_room(ctx, "nodes", node));
    if (n_strategies <= 0)
        return mw_fail(ctx, MW_EINPUT,
                       "node %d has %d strategies where 1 is the least", node,
                       n_strategies);
    MW_TRY(check_costs(problem, "node", node, cost, n_strategies));
    mw_problem_node *nodes =
        mw_arena_reserve(&problem->arena, problem->node, node,
                         &problem->cap_nodes, sizeof *nodes);
    if (!nodes)
        return MW_ENOMEM;
    problem->node = nodes;
    nodes[problem->n_nodes++] = (mw_problem_node){n_strategies, cost};
    return MW_OK;
}

static mw_status check_node(const mw_problem *problem, const char *thing,
                            int32_t index, int32_t node)
{
    if (node >= 0 && node < problem->n_nodes)
        return MW_OK;
    return mw_fail(problem->arena.ctx, MW_EINPUT,
                   "%s %d names node %d of %d nodes", thing, index, node,
                   problem->n_nodes);
}

mw_status mw_problem_add_term(mw_problem *problem, int32_t node, int64_t begin,
                              int64_t end, const int64_t *usage)
{
    mw_ctx *ctx = problem->arena.ctx;
    MW_TRY(check_room(ctx, "terms", problem->n_terms));
    MW_TRY(check_node(problem, "term", problem->n_terms, node));
    for (int32_t s = 0; s < problem->node[node].n_strategies; s++) {
        if (usage[s] < 0)
            return mw_fail(ctx, MW_EINPUT,
                           "node %d: usage %lld of strategy %d is negative",
                           node, (long long)usage[s], s);
    }
    mw_problem_term *terms =
        mw_arena_reserve(&problem->arena, problem->term, problem->n_terms,
                         &problem->cap_terms, sizeof *terms);
    if (!terms)
        return MW_ENOMEM;
    problem->term = terms;
    terms[problem->n_terms++] = (mw_problem_term){node, begin, end, usage};
    return MW_OK;
}

mw_status mw_problem_add_edge(mw_problem *problem, int32_t a, int32_t b,
                              const int64_t *matrix, bool transposed)
{
    mw_ctx *ctx = problem->arena.ctx;
    int32_t edge = problem->n_edges;
    MW_TRY(check_room(ctx, "edges", edge));
    MW_TRY(check_node(problem, "edge", edge, a));
    MW_TRY(check_node(problem, "edge", edge, b));
    if (a == b)
        return mw_fail(ctx, MW_EINPUT, "edge %d joins node %d to itself", edge,
                       a);
    MW_TRY(check_costs(problem, "edge", edge, matrix,
                       (int64_t)problem->node[a].n_strategies *
                           problem->node[b].n_strategies));
    mw_problem_edge *edges =
        mw_arena_reserve(&problem->arena, problem->edge, edge,
                         &problem->cap_edges, sizeof *edges);
    if (!edges)
        return MW_ENOMEM;
    problem->edge = edges;
    edges[problem->n_edges++] = (mw_problem_edge){a, b, matrix, transposed};
    return MW_OK;
}

mw_status mw_problem_add_row(mw_problem *problem, int64_t time, int64_t limit)
{
    mw_ctx *ctx = problem->arena.ctx;
    MW_TRY(check_room(ctx, "rows", problem->n_rows));
    if (limit < 0)
        return mw_fail(ctx, MW_EINPUT,
                       "the limit at time %lld is %lld, less than 0",
                       (long long)time, (long long)limit);
    mw_problem_row *rows =
        mw_arena_reserve(&problem->arena, problem->row, problem->n_rows,
                         &problem->cap_rows, sizeof *rows);
    if (!rows)
        return MW_ENOMEM;
    problem->row = rows;
    rows[problem->n_rows++] = (mw_problem_row){time, limit};
    return MW_OK;
}

int64_t mw_problem_edge_cost(const mw_problem *problem, int32_t edge, int32_t a,
                             int32_t b)
{
    const mw_problem_edge *e = &problem->edge[edge];
    int64_t n_a = problem->node[e->a].n_strategies;
    int64_t n_b = problem->node[e->b].n_strategies;
    return e->transposed ? e->matrix[b * n_a + a] : e->matrix[a * n_b + b];
}

// A term begins (delta > 0) or ends (delta < 0); with equal times ends first.
typedef struct event {
    int64_t time;
    int64_t delta;
    bool end;
} event;

static int compare_events(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (int)y->end - (int)x->end;
}

static int compare_rows(const void *a, const void *b)
{
    const mw_problem_row *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->limit > y->limit) - (x->limit < y->limit);
}

// Both ends of every term that takes memory, by time; its usage is that of the
// choice, or 1 without one.
static event *sorted_events(const mw_problem *problem, mw_ctx *ctx,
                            const int32_t *choice, int64_t *n_events)
{
    event *events =
        mw_mem_alloc(ctx, (size_t)problem->n_terms * 2, sizeof *events);
    if (!events)
        return NULL;
    int64_t n = 0;
    for (int32_t i = 0; i < problem->n_terms; i++) {
        const mw_problem_term *term = &problem->term[i];
        if (term->begin >= term->end)
            continue;
        int64_t usage = choice ? term->usage[choice[term->node]] : 1;
        events[n++] = (event){term->begin, usage, false};
        events[n++] = (event){term->end, -usage, true};
    }
    qsort(events, (size_t)n, sizeof *events, compare_events);
    *n_events = n;
    return events;
}

// One row a time, the least limit of each; returns how many are left.
static int32_t unique_rows(mw_problem_row *rows, int32_t n)
{
    qsort(rows, (size_t)n, sizeof *rows, compare_rows);
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        if (kept == 0 || rows[kept - 1].time != rows[i].time)
            rows[kept++] = rows[i];
    }
    return kept;
}

mw_status mw_problem_rows(const mw_problem *problem, mw_arena *arena,
                          mw_problem_row **rows, int32_t *n_rows)
{
    int64_t n_events = 0;
    event *events = sorted_events(problem, arena->ctx, NULL, &n_events);
    if (!events)
        return MW_ENOMEM;
    mw_problem_row *all = MW_NEW_ARRAY(
        arena, (int64_t)problem->n_rows + problem->n_terms, mw_problem_row);
    if (!all) {
        mw_mem_free(events);
        return MW_ENOMEM;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < problem->n_rows; i++) {
        mw_problem_row row = problem->row[i];
        if (row.limit > problem->limit)
            row.limit = problem->limit;
        all[n++] = row;
    }
    // A set is maximal where the last event was a begin and the next an end.
    for (int64_t i = 0; i + 1 < n_events && problem->limit < MW_NO_LIMIT; i++) {
        if (!events[i].end && events[i + 1].end)
            all[n++] = (mw_problem_row){events[i].time, problem->limit};
    }
    mw_mem_free(events);
    *n_rows = unique_rows(all, n);
    *rows = all;
    return MW_OK;
}

int32_t mw_problem_row_at(const mw_problem_row *row, int32_t n, int64_t time)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (row[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Walks the rows and the events together; at each row all events up to its time
// have happened.
static void worst_row(const mw_problem_row *rows, int32_t n_rows,
                      const event *events, int64_t n_events,
                      mw_evaluation *evaluation)
{
    mw_int128 usage = 0;
    int64_t next = 0;
    for (int32_t i = 0; i < n_rows; i++) {
        while (next < n_events && events[next].time <= rows[i].time)
            usage += events[next++].delta;
        mw_int128 excess = usage - rows[i].limit;
        if (excess > evaluation->excess) {
            evaluation->excess = excess;
            evaluation->time = rows[i].time;
        }
    }
}

static mw_status evaluate_rows(const mw_problem *problem, mw_ctx *ctx,
                               const int32_t *choice, mw_evaluation *evaluation)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_problem_row *rows = NULL;
    int32_t n_rows = 0;
    int64_t n_events = 0;
    event *events = NULL;
    mw_status status = mw_problem_rows(problem, &arena, &rows, &n_rows);
    if (status == MW_OK) {
        events = sorted_events(problem, ctx, choice, &n_events);
        status = events ? MW_OK : MW_ENOMEM;
    }
    if (status == MW_OK)
        worst_row(rows, n_rows, events, n_events, evaluation);
    mw_mem_free(events);
    mw_arena_free(&arena);
    return status;
}

static void add_cost(mw_evaluation *evaluation, int64_t cost)
{
    if (cost >= MW_INFINITE)
        evaluation->forbidden = true;
    else
        evaluation->cost += cost;
}

mw_status mw_problem_evaluate(const mw_problem *problem, mw_ctx *ctx,
                              const int32_t *choice, mw_evaluation *evaluation)
{
    mw_evaluation found = {0};
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        if (choice[i] < 0 || choice[i] >= problem->node[i].n_strategies)
            return mw_fail(ctx, MW_EINPUT,
                           "node %d: strategy %d of %d is chosen", i, choice[i],
                           problem->node[i].n_strategies);
        add_cost(&found, problem->node[i].cost[choice[i]]);
    }
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *edge = &problem->edge[i];
        add_cost(&found, mw_problem_edge_cost(problem, i, choice[edge->a],
                                              choice[edge->b]));
    }
    MW_TRY(evaluate_rows(problem, ctx, choice, &found));
    *evaluation = found;
    return MW_OK;
}

char *mw_int128_text(mw_int128 value, char *text)
{
    char digits[41];
    int n = 0;
    mw_int128 rest = value;
    do {
        int digit = (int)(rest % 10);
        digits[n++] = (char)('0' + (digit < 0 ? -digit : digit));
        rest /= 10;
    } while (rest != 0);
    char *end = text;
    if (value < 0)
        *end++ = '-';
    while (n > 0)
        *end++ = digits[--n];
    *end = '\0';
    return text;
}
