/* sampling.c - lists of kernels and collectives to measure. */
#include "profiles/sampling.h"

#include <string.h>

#include "base/map.h"
#include "ir/scalar.h"
#include "profiles/measured.h"

/* Matrix products: batch, m, n, k. From what attention and thin slices need
 * to what fills a core's caches. */
static const int64_t products[][4] = {
    {1, 16, 16, 16},     {1, 64, 64, 64},     {1, 16, 256, 256},
    {1, 256, 16, 256},   {1, 256, 256, 16},   {1, 256, 256, 256},
    {1, 1024, 256, 256}, {1, 256, 1024, 256}, {1, 256, 256, 1024},
    {1, 16, 1024, 1024}, {1, 1024, 1024, 16}, {1, 1024, 1024, 256},
    {1, 768, 768, 768},  {16, 16, 16, 16},    {16, 64, 64, 16},
    {16, 64, 64, 64},    {64, 128, 128, 32},  {16, 256, 256, 64},
};

/* Elements of the operands of everything else. */
static const int64_t sizes[] = {256, 16384, 262144};

enum { N_SIZES = sizeof sizes / sizeof sizes[0], ROW = 64 };

static mw_status input(mw_graph *graph, mw_dtype dtype, int rank,
                       const int64_t size[], mw_id *id)
{
    char name[32];
    size_t at = 0;
    name[at++] = 'x';
    for (int n = graph->n_tensors; n > 0; n /= 10)
        name[at++] = (char)('0' + n % 10);
    name[at] = '\0';
    mw_tensor tensor = {.name = name,
                        .dtype = dtype,
                        .role = MW_ROLE_INPUT,
                        .rank = rank,
                        .producer = MW_NONE};
    for (int a = 0; a < rank; a++)
        tensor.axis[a] = (mw_axis){.dim = MW_NONE, .size = size[a]};
    return mw_graph_tensor(graph, &tensor, id);
}

static mw_status place(mw_graph *graph, const char *def, int n_in,
                       const mw_id in[], const mw_attr *attr, int n_attr)
{
    mw_id out;
    char name[32] = "y";
    size_t at = 1;
    for (int n = graph->n_tensors; n > 0; n /= 10)
        name[at++] = (char)('0' + n % 10);
    const char *const names[] = {name};
    const mw_op_spec spec = {.def = def,
                             .n_in = n_in,
                             .n_out = 1,
                             .in = in,
                             .out_names = names,
                             .n_attr = n_attr,
                             .attr = attr};
    return mw_graph_place(graph, &spec, &out);
}

static mw_status add_products(mw_graph *graph)
{
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        const int64_t *p = products[i];
        mw_id in[2];
        MW_TRY(input(graph, MW_F32, 3, (int64_t[]){p[0], p[1], p[3]}, &in[0]));
        MW_TRY(input(graph, MW_F32, 3, (int64_t[]){p[0], p[3], p[2]}, &in[1]));
        const mw_attr spec = {
            .name = "spec", .kind = MW_ATTR_TEXT, .text = "abc,acd->abd"};
        MW_TRY(place(graph, "einsum", 2, in, &spec, 1));
    }
    return MW_OK;
}

/* The element type that an input of a map must have: floats, unless the op
 * takes only integers, or only truth values. */
static mw_dtype map_input(const mw_op_def *def, int i)
{
    const mw_scalar *scalar = def->scalar;
    if (!scalar)
        return i == 0 && strcmp(def->name, "where") == 0 ? MW_BOOL : MW_F32;
    if (scalar->f || scalar->test_f)
        return MW_F32;
    return scalar->i || scalar->u ? MW_U32 : MW_BOOL;
}

/* Whether the op's attributes, if it must have any, are the dtype it gives. */
static bool takes_dtype_alone(const mw_op_def *def, bool *takes)
{
    *takes = false;
    for (const mw_attr_rule *r = def->attrs; r && r->name; r++) {
        if (r->optional || !((int)r->stage & MW_ATTR_PLACED))
            continue;
        if (strcmp(r->name, "to") != 0)
            return false;
        *takes = true;
    }
    return true;
}

static mw_status add_map(mw_graph *graph, const mw_op_def *def, int64_t size)
{
    mw_id in[MW_MAX_RANK];
    const int64_t shape[] = {size / ROW, ROW};
    bool typed;
    if (!takes_dtype_alone(def, &typed))
        return MW_OK;
    for (int i = 0; i < def->min_in; i++)
        MW_TRY(input(graph, map_input(def, i), 2, shape, &in[i]));
    const mw_attr to = {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = MW_I32};
    return place(graph, def->name, def->min_in, in, &to, typed ? 1 : 0);
}

static mw_status add_reduce(mw_graph *graph, const mw_op_def *def, int64_t size)
{
    for (int64_t axis = 0; axis < 2; axis++) {
        mw_id in;
        MW_TRY(input(graph, MW_F32, 2, (int64_t[]){size / ROW, ROW}, &in));
        const mw_attr axes = {
            .name = "axes", .kind = MW_ATTR_INTS, .n = 1, .i = &axis};
        MW_TRY(place(graph, def->name, 1, &in, &axes, 1));
    }
    return MW_OK;
}

#define INTS(key, ...)                                                         \
    {                                                                          \
        .name = (key), .kind = MW_ATTR_INTS,                                   \
        .n = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),               \
        .i = (int64_t[])                                                       \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }
#define INT(key, value)                                                        \
    {                                                                          \
        .name = (key), .kind = MW_ATTR_INT, .n = 1, .i = (int64_t[])           \
        {                                                                      \
            value                                                              \
        }                                                                      \
    }

static mw_status add_moves_of_data(mw_graph *graph, int64_t size)
{
    const int64_t rows = size / ROW;
    mw_id in[2];
    MW_TRY(input(graph, MW_F32, 2, (int64_t[]){rows, ROW}, &in[0]));
    const mw_attr perm[] = {INTS("perm", 1, 0)};
    MW_TRY(place(graph, "transpose", 1, in, perm, 1));
    const mw_attr slice[] = {INT("axis", 0), INT("start", 0), INT("step", 1),
                             INT("count", rows / 2)};
    MW_TRY(place(graph, "slice", 1, in, slice, 4));
    const mw_attr pad[] = {INT("axis", 0),
                           INT("before", 1),
                           INT("after", 1),
                           {.name = "value", .kind = MW_ATTR_FLOAT}};
    MW_TRY(place(graph, "pad", 1, in, pad, 4));
    const mw_attr concat[] = {INT("axis", 0)};
    in[1] = in[0];
    MW_TRY(place(graph, "concat", 2, in, concat, 1));
    const mw_attr reshape[] = {INTS("shape", ROW / 4, rows * 4)};
    MW_TRY(place(graph, "reshape", 1, in, reshape, 1));
    const mw_attr wide[] = {INTS("shape", 4, rows, ROW)};
    MW_TRY(place(graph, "broadcast", 1, in, wide, 1));
    MW_TRY(input(graph, MW_I64, 1, (int64_t[]){rows}, &in[1]));
    const mw_attr gather[] = {INT("axis", 0)};
    return place(graph, "gather", 2, in, gather, 1);
}

/* Images of `channels` channels, 3x3 windows. */
static mw_status add_conv(mw_graph *graph, int64_t channels, int64_t side)
{
    mw_id in[2];
    MW_TRY(
        input(graph, MW_F32, 4, (int64_t[]){1, channels, side, side}, &in[0]));
    MW_TRY(
        input(graph, MW_F32, 4, (int64_t[]){channels, channels, 3, 3}, &in[1]));
    const mw_attr attr[] = {INTS("strides", 1, 1), INTS("dilations", 1, 1),
                            INTS("pads_begin", 1, 1), INTS("pads_end", 1, 1),
                            INT("group", 1)};
    return place(graph, "conv", 2, in, attr, 5);
}

static mw_status add_by_family(mw_graph *graph, int64_t size)
{
    for (int i = 0; i < mw_op_count; i++) {
        const mw_op_def *def = mw_op_table[i];
        if (strcmp(def->family, "map") == 0)
            MW_TRY(add_map(graph, def, size));
        else if (strcmp(def->family, "reduce") == 0)
            MW_TRY(add_reduce(graph, def, size));
    }
    return add_moves_of_data(graph, size);
}

static mw_status add_op(mw_sampling *sampling, mw_id id, const int64_t extent[])
{
    sampling->op =
        mw_arena_reserve(sampling->arena, sampling->op, sampling->n_ops,
                         &sampling->cap_ops, sizeof sampling->op[0]);
    if (!sampling->op)
        return MW_ENOMEM;
    mw_sampling_op *added = &sampling->op[sampling->n_ops++];
    added->op = id;
    memcpy(added->extent, extent, sizeof added->extent);
    return MW_OK;
}

mw_status mw_sampling_quick(mw_arena *arena, mw_graph *graph,
                            mw_sampling *sampling)
{
    MW_TRY(mw_graph_init(graph, arena, "quick"));
    MW_TRY(add_products(graph));
    for (int i = 0; i < N_SIZES; i++)
        MW_TRY(add_by_family(graph, sizes[i]));
    MW_TRY(add_conv(graph, 16, 32));
    MW_TRY(add_conv(graph, 64, 32));
    *sampling = (mw_sampling){.arena = arena, .graph = graph};
    for (int i = 0; i < graph->n_ops; i++) {
        int64_t extent[MW_MAX_LETTERS] = {0};
        for (int l = 0; l < graph->op[i].n_letters; l++)
            extent[l] = graph->op[i].letter[l].size;
        MW_TRY(add_op(sampling, i, extent));
    }
    return MW_OK;
}

static bool computable(const mw_graph *graph, const mw_op *op)
{
    for (int i = 0; i < op->n_in; i++)
        if (!mw_dtype_executable(graph->tensor[op->in[i].tensor].dtype))
            return false;
    for (int i = 0; i < op->n_out; i++)
        if (!mw_dtype_executable(graph->tensor[op->out[i].tensor].dtype))
            return false;
    return !op->def->opaque;
}

/* Adds the extents of one op on the rank that has most, under each strategy,
 * unless the same key is there already. */
static mw_status add_strategies(mw_sampling *sampling, const mw_mesh *mesh,
                                mw_id id, mw_map *seen)
{
    static const int64_t first[MW_MAX_MESH] = {0};
    const mw_op *op = &sampling->graph->op[id];
    mw_strategy *strategy;
    int n, n_split;
    MW_TRY(mw_op_strategies(sampling->arena, sampling->graph, op, mesh,
                            &strategy, &n, &n_split));
    for (int s = 0; s < n; s++) {
        int64_t extent[MW_MAX_LETTERS] = {0};
        for (int l = 0; l < op->n_letters; l++)
            extent[l] =
                mw_strategy_block(mesh, op, &strategy[s], l, first).size;
        mw_kernel_sample sample;
        MW_TRY(mw_kernel_sample_of(sampling->arena, sampling->graph, op, extent,
                                   &sample));
        if (!sample.key[0])
            continue;
        char *key = mw_arena_format(sampling->arena, "%s %s %s", sample.op,
                                    mw_dtype_name(sample.dtype), sample.key);
        if (!key)
            return MW_ENOMEM;
        if (mw_map_find_text(seen, key))
            continue;
        MW_TRY(mw_map_put_text(seen, key, id));
        MW_TRY(add_op(sampling, id, extent));
    }
    return MW_OK;
}

mw_status mw_sampling_model(mw_arena *arena, const mw_graph *graph,
                            const mw_mesh *mesh, mw_sampling *sampling)
{
    *sampling = (mw_sampling){.arena = arena, .graph = graph};
    mw_map seen;
    mw_map_init(&seen, arena);
    for (int i = 0; i < graph->n_ops; i++)
        if (computable(graph, &graph->op[i]))
            MW_TRY(add_strategies(sampling, mesh, i, &seen));
    return MW_OK;
}

static mw_status add_move(mw_sampling *sampling, mw_sampling_move move)
{
    sampling->move =
        mw_arena_reserve(sampling->arena, sampling->move, sampling->n_moves,
                         &sampling->cap_moves, sizeof sampling->move[0]);
    if (!sampling->move)
        return MW_ENOMEM;
    sampling->move[sampling->n_moves++] = move;
    return MW_OK;
}

// Of several sizes, unless a group of so many cannot run it so.
static mw_status add_sizes(mw_sampling *sampling, int64_t ranks,
                           mw_sampling_move move)
{
    static const int64_t bytes[] = {1 << 10, 32 << 10, 1 << 20, 4 << 20};
    if (mw_way_refusal(move.kind, move.way, ranks))
        return MW_OK;
    for (size_t b = 0; b < sizeof bytes / sizeof bytes[0]; b++) {
        move.bytes = bytes[b];
        MW_TRY(add_move(sampling, move));
    }
    return MW_OK;
}

// A collective over these axes, each way. Of two ranks halves are a ring.
static mw_status add_ways(mw_sampling *sampling, const mw_mesh *mesh,
                          mw_sampling_move move, bool hosts)
{
    int64_t ranks = mw_mesh_group_size(mesh, move.axes);
    MW_TRY(add_sizes(sampling, ranks, move));
    move.way.algorithm = MW_DIRECT;
    MW_TRY(add_sizes(sampling, ranks, move));
    move.way.algorithm = MW_HALVING;
    if (ranks > 2)
        MW_TRY(add_sizes(sampling, ranks, move));
    move.way.algorithm = MW_HIERARCHICAL;
    for (uint16_t inner = 2; hosts && inner < ranks; inner++) {
        move.way.inner = inner;
        MW_TRY(add_sizes(sampling, ranks, move));
    }
    return MW_OK;
}

mw_status mw_sampling_moves(mw_arena *arena, const mw_mesh *mesh, bool hosts,
                            mw_sampling *sampling)
{
    static const mw_collective kinds[] = {MW_ALL_GATHER, MW_REDUCE_SCATTER,
                                          MW_ALL_REDUCE, MW_ALL_TO_ALL};
    uint32_t all = 0, asked[MW_MAX_MESH + 1];
    int n = 0;
    sampling->arena = arena;
    for (int a = 0; a < mesh->n_axes; a++)
        if (mesh->axis[a].size > 1) {
            asked[n++] = 1U << a;
            all |= 1U << a;
        }
    if (n > 1)
        asked[n++] = all;
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            MW_TRY(add_ways(
                sampling, mesh,
                (mw_sampling_move){.kind = kinds[k], .axes = asked[i]}, hosts));
    return MW_OK;
}
