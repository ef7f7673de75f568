/* random_problem.c - small random layout problems. */
#include "tests/random_problem.h"

#include "tests/test.h"

static int below(uint64_t *state, int n)
{
    return (int)(mw_test_random(state) % (uint64_t)n);
}

static int64_t *random_vector(mw_problem *problem, int64_t n, int64_t unit,
                              int most, uint64_t *state)
{
    int64_t *vector = MW_NEW_ARRAY(&problem->arena, n, int64_t);
    for (int64_t i = 0; vector && i < n; i++)
        vector[i] = unit * below(state, most);
    return vector;
}

// Forbids some entries: all but a function of the row, all but a bijection, or
// some here and there.
static void forbid_some(int64_t *matrix, int n_a, int n_b, uint64_t *state)
{
    int kind = below(state, 4);
    int shift = below(state, n_b);
    for (int i = 0; i < n_a; i++) {
        int kept = kind == 0 ? below(state, n_b) : (i + shift) % n_b;
        for (int j = 0; j < n_b; j++) {
            if (kind < 2 ? j != kept : below(state, 4) == 0)
                matrix[i * n_b + j] = MW_INFINITE + below(state, 3);
        }
    }
}

// Makes a matrix the sum of a part by row and a part by column.
static void make_separable(int64_t *matrix, int n_a, int n_b)
{
    for (int i = 1; i < n_a; i++) {
        for (int j = 1; j < n_b; j++)
            matrix[i * n_b + j] = matrix[i * n_b] + matrix[j] - matrix[0];
    }
}

static mw_status add_nodes(mw_problem *problem, const mw_random_shape *shape,
                           uint64_t *state)
{
    int n = 1 + below(state, shape->max_nodes);
    for (int i = 0; i < n; i++) {
        int k = 1 + below(state, shape->max_strategies);
        int64_t *cost = random_vector(problem, k, shape->unit, 10, state);
        if (!cost)
            return MW_ENOMEM;
        if (shape->forbidden && below(state, 6) == 0)
            cost[below(state, k)] = MW_INFINITE;
        MW_TRY(mw_problem_add_node(problem, k, cost));
    }
    return MW_OK;
}

static mw_status add_edges(mw_problem *problem, const mw_random_shape *shape,
                           uint64_t *state)
{
    int n = problem->n_nodes < 2 ? 0 : below(state, shape->max_edges + 1);
    for (int i = 0; i < n; i++) {
        int a = below(state, problem->n_nodes);
        int b = below(state, problem->n_nodes);
        if (a == b)
            continue;
        int n_a = problem->node[a].n_strategies;
        int n_b = problem->node[b].n_strategies;
        int64_t *matrix =
            random_vector(problem, (int64_t)n_a * n_b, shape->unit, 10, state);
        if (!matrix)
            return MW_ENOMEM;
        if (below(state, 5) == 0)
            make_separable(matrix, n_a, n_b);
        if (shape->forbidden && below(state, 2) == 0)
            forbid_some(matrix, n_a, n_b, state);
        bool transposed = below(state, 2) == 0;
        MW_TRY(mw_problem_add_edge(problem, transposed ? b : a,
                                   transposed ? a : b, matrix, transposed));
    }
    return MW_OK;
}

static mw_status add_memory(mw_problem *problem, uint64_t *state)
{
    int n = below(state, 2 * problem->n_nodes + 1);
    for (int i = 0; i < n; i++) {
        int node = below(state, problem->n_nodes);
        int begin = below(state, 8), length = below(state, 6);
        int64_t *usage = random_vector(
            problem, problem->node[node].n_strategies, 1, 8, state);
        if (!usage)
            return MW_ENOMEM;
        MW_TRY(
            mw_problem_add_term(problem, node, begin, begin + length, usage));
    }
    if (below(state, 4) != 0)
        problem->limit = below(state, 4 * problem->n_nodes + 1);
    if (below(state, 3) == 0)
        MW_TRY(mw_problem_add_row(problem, below(state, 10),
                                  below(state, 3 * problem->n_nodes + 1)));
    return MW_OK;
}

mw_status mw_random_problem(mw_problem *problem, const mw_random_shape *shape,
                            uint64_t *state)
{
    MW_TRY(add_nodes(problem, shape, state));
    MW_TRY(add_edges(problem, shape, state));
    return shape->memory ? add_memory(problem, state) : MW_OK;
}
