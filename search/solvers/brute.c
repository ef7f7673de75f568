/* brute.c - every choice in turn: slow, obvious, the reference of the tests. */
#include <string.h>

#include "base/mem.h"
#include "search/solver.h"

typedef struct brute {
    mw_ctx *ctx;
    const mw_problem *problem;
    const mw_problem_row *row;
    int32_t n_rows;
    mw_int128 *usage; /* of the nodes chosen so far, by row */
    int32_t *choice, *best;
    mw_int128 best_cost;
    bool found, stopped;
    int64_t n_leaves;
} brute;

static void add_usage(brute *b, int32_t node, int64_t sign)
{
    for (int32_t i = 0; i < b->problem->n_terms; i++) {
        const mw_problem_term *term = &b->problem->term[i];
        if (term->node != node)
            continue;
        int64_t usage = term->usage[b->choice[node]];
        for (int32_t r = 0; r < b->n_rows; r++) {
            if (term->begin <= b->row[r].time && b->row[r].time < term->end)
                b->usage[r] += (mw_int128)usage * sign;
        }
    }
}

// Cost of the node and of its edges to earlier nodes; false when forbidden.
static bool node_cost(const brute *b, int32_t node, mw_int128 *cost)
{
    int64_t own = b->problem->node[node].cost[b->choice[node]];
    mw_int128 sum = own;
    bool allowed = own < MW_INFINITE;
    for (int32_t i = 0; allowed && i < b->problem->n_edges; i++) {
        const mw_problem_edge *edge = &b->problem->edge[i];
        int32_t last = edge->a > edge->b ? edge->a : edge->b;
        if (last != node)
            continue;
        int64_t c = mw_problem_edge_cost(b->problem, i, b->choice[edge->a],
                                         b->choice[edge->b]);
        allowed = c < MW_INFINITE;
        sum += c;
    }
    *cost = sum;
    return allowed;
}

static void leaf(brute *b, mw_int128 cost)
{
    if (++b->n_leaves % 4096 == 0 && mw_stopped(b->ctx))
        b->stopped = true;
    if (b->found && cost >= b->best_cost)
        return;
    for (int32_t r = 0; r < b->n_rows; r++) {
        if (b->usage[r] > b->row[r].limit)
            return;
    }
    b->found = true;
    b->best_cost = cost;
    if (b->problem->n_nodes)
        memcpy(b->best, b->choice,
               (size_t)b->problem->n_nodes * sizeof *b->best);
}

static void visit(brute *b, int32_t node, mw_int128 cost)
{
    if (node == b->problem->n_nodes) {
        leaf(b, cost);
        return;
    }
    for (int32_t s = 0; s < b->problem->node[node].n_strategies; s++) {
        mw_int128 more = 0;
        b->choice[node] = s;
        if (b->stopped || !node_cost(b, node, &more))
            continue;
        add_usage(b, node, 1);
        visit(b, node + 1, cost + more);
        b->choice[node] = s;
        add_usage(b, node, -1);
    }
}

static mw_status run(mw_ctx *ctx, const mw_problem *problem,
                     const mw_solve_options *options, mw_arena *arena,
                     mw_solve_result *result)
{
    (void)options;
    mw_problem_row *rows = NULL;
    brute b = {.ctx = ctx, .problem = problem};
    MW_TRY(mw_problem_rows(problem, arena, &rows, &b.n_rows));
    b.row = rows;
    b.usage = MW_NEW_ARRAY(arena, b.n_rows, mw_int128);
    b.choice = MW_NEW_ARRAY(arena, problem->n_nodes, int32_t);
    b.best = MW_NEW_ARRAY(arena, problem->n_nodes, int32_t);
    if (!b.usage || !b.choice || !b.best)
        return MW_ENOMEM;
    visit(&b, 0, 0);
    result->choice = b.best;
    result->proof = b.stopped ? MW_PROOF_NONE : MW_PROOF_EXACT;
    if (b.found)
        result->status = b.stopped ? MW_SOLVE_FEASIBLE : MW_SOLVE_OPTIMAL;
    else
        result->status = b.stopped ? MW_SOLVE_UNKNOWN : MW_SOLVE_INFEASIBLE;
    return MW_OK;
}

const mw_solver_def mw_solver_brute = {
    .name = "brute",
    .brief = "every choice in turn; for small problems and tests",
    .exact = true,
    .run = run,
};
