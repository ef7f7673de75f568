/* random_graph.c - ops drawn one by one over a pool of values. */
#include "tests/random_graph.h"

#include <stdio.h>

#include "tests/test.h"

enum { N_DIMS = 4, MAX_VALUES = 16 };

typedef struct pool {
    mw_graph *graph;
    uint64_t *state;
    mw_id value[MAX_VALUES];
    int used[MAX_VALUES];
    int n, n_made;
} value_pool;

static int draw(value_pool *pool, int n)
{
    return (int)(mw_test_random(pool->state) % (uint64_t)n);
}

static mw_status add_tensor(value_pool *pool, mw_role role, int rank,
                            const mw_id dim[], mw_id *id)
{
    char name[16];
    (void)snprintf(name, sizeof name, "t%d", pool->graph->n_tensors);
    mw_tensor tensor = {
        .name = name, .dtype = MW_F32, .role = role, .rank = rank};
    tensor.producer = MW_NONE;
    for (int i = 0; i < rank; i++)
        tensor.axis[i] = (mw_axis){dim[i], pool->graph->dim[dim[i]].size, NULL};
    return mw_graph_tensor(pool->graph, &tensor, id);
}

static mw_status add_op(value_pool *pool, const char *def, int n_in,
                        const mw_id in[], int rank, const mw_id dim[])
{
    mw_id out, op;
    MW_TRY(add_tensor(pool, MW_ROLE_VALUE, rank, dim, &out));
    mw_op_spec spec = {
        .def = def, .n_in = n_in, .n_out = 1, .in = in, .out = &out};
    MW_TRY(mw_graph_bind(pool->graph, &spec, &op));
    pool->value[pool->n++] = out;
    pool->n_made++;
    return MW_OK;
}

static mw_id take(value_pool *pool, int i)
{
    pool->used[i]++;
    return pool->value[i];
}

// The index of a value of at least this rank, the youngest first.
static int find(const value_pool *pool, int rank, int skip)
{
    for (int i = pool->n - 1; i >= 0; i--) {
        if (pool->graph->tensor[pool->value[i]].rank >= rank && skip-- == 0)
            return i;
    }
    return MW_NONE;
}

// value[.., b] x param[b, c] -> [.., c], c in no axis of the value.
static mw_status add_contraction(value_pool *pool)
{
    int i = find(pool, 1, draw(pool, 2));
    if (i == MW_NONE)
        i = find(pool, 1, 0);
    const mw_tensor *x = &pool->graph->tensor[pool->value[i]];
    mw_id dim[MW_MAX_RANK], in[2], new_dim = draw(pool, N_DIMS);
    int rank = x->rank;
    for (bool clash = true; clash;
         new_dim = clash ? (new_dim + 1) % N_DIMS : new_dim) {
        clash = false;
        for (int j = 0; j < rank; j++)
            clash = clash || x->axis[j].dim == new_dim;
    }
    for (int j = 0; j < rank; j++)
        dim[j] = x->axis[j].dim;
    mw_id sides[2] = {dim[rank - 1], new_dim};
    in[0] = take(pool, i);
    MW_TRY(add_tensor(pool, MW_ROLE_PARAM, 2, sides, &in[1]));
    dim[rank - 1] = new_dim;
    return add_op(pool, "einsum", 2, in, rank, dim);
}

static mw_status add_reduction(value_pool *pool)
{
    int i = find(pool, 1, 0);
    const mw_tensor *x = &pool->graph->tensor[pool->value[i]];
    int gone = draw(pool, x->rank), rank = 0;
    mw_id dim[MW_MAX_RANK], in = take(pool, i);
    for (int j = 0; j < x->rank; j++) {
        if (j != gone)
            dim[rank++] = x->axis[j].dim;
    }
    return add_op(pool, draw(pool, 2) ? "reduce_sum" : "reduce_max", 1, &in,
                  rank, dim);
}

// A map of the last value, once with itself renamed by nothing: two uses.
static mw_status add_map(value_pool *pool, const char *def, int n_in)
{
    int i = pool->n - 1;
    const mw_tensor *x = &pool->graph->tensor[pool->value[i]];
    mw_id dim[MW_MAX_RANK], in[2] = {take(pool, i), pool->value[i]};
    int rank = x->rank;
    for (int j = 0; j < rank; j++)
        dim[j] = x->axis[j].dim;
    for (int k = 0; n_in == 2 && k < pool->n - 1; k++) {
        const mw_tensor *y = &pool->graph->tensor[pool->value[k]];
        bool same = y->rank == rank;
        for (int j = 0; same && j < rank; j++)
            same = y->axis[j].dim == dim[j];
        if (same)
            in[1] = take(pool, k);
    }
    return add_op(pool, def, n_in, in, rank, dim);
}

static mw_status add_random(value_pool *pool)
{
    switch (draw(pool, 5)) {
    case 0:
        return add_contraction(pool);
    case 1:
        return add_reduction(pool);
    case 2:
        return add_map(pool, "relu", 1);
    case 3:
        return add_map(pool, "add", 2);
    default:
        return add_map(pool, "mul", 2);
    }
}

mw_status mw_random_graph(mw_graph *graph, int n_ops, uint64_t *state)
{
    static const int64_t size[] = {50, 61, 77, 90, 121, 13};
    value_pool pool = {.graph = graph, .state = state};
    for (int d = 0; d < N_DIMS; d++) {
        char name[8];
        mw_id id;
        (void)snprintf(name, sizeof name, "d%d", d);
        mw_dim dim = {
            .name = name, .size = size[draw(&pool, 6)], .of = MW_NONE};
        MW_TRY(mw_graph_dim(graph, &dim, &id));
    }
    mw_id first[2] = {0, 1};
    MW_TRY(add_tensor(&pool, MW_ROLE_INPUT, 1 + draw(&pool, 2), first,
                      &pool.value[0]));
    pool.n = 1;
    MW_TRY(add_contraction(&pool));
    MW_TRY(add_map(&pool, "relu", 1));
    MW_TRY(add_map(&pool, "add", 2));
    while (pool.n_made < n_ops - 1)
        MW_TRY(add_random(&pool));
    MW_TRY(add_reduction(&pool));
    for (int i = 0; i < pool.n; i++) {
        if (pool.used[i] == 0)
            graph->tensor[pool.value[i]].output = true;
    }
    return MW_OK;
}

static int64_t op_ps(const mw_costs *costs, const mw_graph *graph,
                     const mw_op *op, const int64_t extent[MW_MAX_LETTERS],
                     mw_source *source)
{
    (void)costs;
    (void)graph;
    int64_t points = 1;
    for (int i = 0; i < op->n_letters; i++)
        points *= extent[i];
    *source = MW_SOURCE_MACHINE;
    return 1000 + 17 * points;
}

static int64_t step_ps(const mw_costs *costs, const mw_mesh *mesh,
                       mw_collective kind, uint32_t axes, int64_t bytes,
                       int64_t peers, mw_way *way)
{
    (void)costs;
    (void)way;
    int64_t p = mw_mesh_group_size(mesh, axes);
    int64_t rate = axes & 1 ? 5 : 2, latency = axes & 1 ? 400 : 150;
    switch (kind) {
    case MW_ALL_REDUCE:
        return 2 * (p - 1) * latency + 2 * bytes * (p - 1) * rate / p;
    case MW_EXCHANGE:
        return peers * latency + bytes * rate;
    case MW_SLICE:
    case MW_MASK:
        return 0;
    default:
        return (p - 1) * latency + bytes * (p - 1) * rate / p;
    }
}

mw_costs mw_random_costs(void)
{
    return (mw_costs){.op_ps = op_ps, .step_ps = step_ps};
}
