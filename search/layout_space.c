/* layout_space.c - the space of choices, and the walk that evaluates one. */
#include "search/layout_space.h"

#include <string.h>

#include "search/layout_build.h"
#include "search/problem.h"

static mw_status allocate(mw_space *space)
{
    const mw_graph *graph = space->on.graph;
    mw_arena *arena = space->arena;
    int n_ops = graph->n_ops, n_tensors = graph->n_tensors;
    space->n_steps = n_ops > 0 ? n_ops : 1;
    space->op_node = MW_NEW_ARRAY(arena, space->n_steps, int32_t);
    space->home_node = MW_NEW_ARRAY(arena, n_tensors, int32_t);
    space->node_op = MW_NEW_ARRAY(arena, n_ops + n_tensors, mw_id);
    space->node_tensor = MW_NEW_ARRAY(arena, n_ops + n_tensors, mw_id);
    space->node_class = MW_NEW_ARRAY(arena, n_ops + n_tensors, int32_t);
    space->op_link = MW_NEW_ARRAY(arena, space->n_steps + 1, int32_t);
    space->life = MW_NEW_ARRAY(arena, n_tensors, mw_life);
    return space->op_node && space->home_node && space->node_op &&
                   space->node_tensor && space->node_class && space->op_link &&
                   space->life
               ? MW_OK
               : MW_ENOMEM;
}

// A graph without ops has one step all the same.
static void set_lives(mw_space *space)
{
    if (space->on.pairs)
        memcpy(space->life, space->on.pairs->life,
               (size_t)space->on.graph->n_tensors * sizeof *space->life);
    else
        mw_lives(space->on.graph, space->life);
    for (mw_id t = 0; t < space->on.graph->n_tensors; t++) {
        mw_life *life = &space->life[t];
        if (space->on.graph->tensor[t].root == t && life->end <= life->begin)
            life->end = life->begin + 1;
    }
}

// Sums of homes are plain 64-bit sums.
static mw_status check_bytes(const mw_space *space)
{
    int64_t sum = 0;
    for (mw_id t = 0; t < space->on.graph->n_tensors; t++)
        sum = mw_add_bytes(sum, mw_tensor_bytes(&space->on.graph->tensor[t]));
    if (sum < INT64_MAX)
        return MW_OK;
    return mw_fail(space->ctx, MW_EINPUT,
                   "the tensors of '%s' have 2^63 bytes or more together",
                   space->on.graph->name);
}

static int32_t add_node(mw_space *space, mw_id op, mw_id tensor,
                        int32_t node_class)
{
    int32_t node = space->n_nodes++;
    space->node_op[node] = op;
    space->node_tensor[node] = tensor;
    space->node_class[node] = node_class;
    return node;
}

static mw_status add_ops(mw_space_builder *builder)
{
    mw_space *space = builder->space;
    for (mw_id k = 0; k < space->n_steps; k++)
        space->op_node[k] = MW_NONE;
    for (mw_id k = 0; k < space->on.graph->n_ops; k++) {
        if (mw_op_is_rename(space->on.graph, &space->on.graph->op[k]))
            continue;
        int32_t op_class;
        MW_TRY(mw_space_op_class(builder, k, &op_class));
        space->op_node[k] = add_node(space, k, MW_NONE, op_class);
    }
    return MW_OK;
}

// In which kind a value may be kept partial: an op makes it so, another takes
// it so, and it is not what the caller of the graph gets.
static mw_status find_partials(mw_space_builder *builder, uint8_t *partial)
{
    mw_space *space = builder->space;
    const mw_graph *graph = space->on.graph;
    uint8_t *taken = MW_NEW_ARRAY(space->arena, graph->n_tensors, uint8_t);
    if (!taken)
        return MW_ENOMEM;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        if (space->op_node[k] == MW_NONE)
            continue;
        const mw_op *op = &graph->op[k];
        int32_t c = space->node_class[space->op_node[k]];
        for (int i = 0; i < op->n_in; i++)
            taken[graph->tensor[op->in[i].tensor].root] |=
                builder->in_kinds[c][i];
        for (int i = 0; i < op->n_out; i++)
            partial[op->out[i].tensor] = builder->out_kinds[c][i];
    }
    if (space->on.pairs)
        mw_space_join_partials(space, partial, taken);
    for (mw_id t = 0; t < graph->n_tensors; t++)
        partial[t] &= taken[t];
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (graph->tensor[t].output)
            partial[graph->tensor[t].root] = 0;
    }
    return MW_OK;
}

static bool is_fixed(const mw_space_builder *builder, mw_id root)
{
    const mw_graph *graph = builder->space->on.graph;
    for (int i = 0; i < builder->options->n_fixes; i++) {
        if (graph->tensor[builder->options->fix[i].tensor].root == root)
            return true;
    }
    return false;
}

static mw_status add_homes(mw_space_builder *builder)
{
    mw_space *space = builder->space;
    const mw_graph *graph = space->on.graph;
    uint8_t *partial = MW_NEW_ARRAY(space->arena, graph->n_tensors, uint8_t);
    if (!partial)
        return MW_ENOMEM;
    MW_TRY(find_partials(builder, partial));
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        space->home_node[t] = MW_NONE;
        if (graph->tensor[t].root != t)
            continue;
        int kind = MW_REDUCE_MIN;
        while (kind > MW_REDUCE_NONE && !(partial[t] >> kind & 1))
            kind--;
        if (builder->options->whole && !is_fixed(builder, t))
            kind = MW_REDUCE_NONE;
        int32_t home_class;
        MW_TRY(mw_space_home_class(builder, t, (mw_reduce)kind, &home_class));
        space->home_node[t] = add_node(space, MW_NONE, t, home_class);
    }
    return MW_OK;
}

mw_status mw_space_build(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                         const mw_space_options *options, mw_space *space)
{
    mw_space made = {.ctx = ctx, .arena = arena, .on = *on};
    mw_space_builder builder = {
        .space = &made,
        .options = options,
        .key = {.arena = arena},
        .ops = {.arena = arena},
        .homes = {.arena = arena},
        .links = {.arena = arena},
        .pairs = {.arena = arena},
    };
    for (int a = 0; a < on->mesh->n_axes; a++) {
        if (on->mesh->axis[a].size > 1)
            made.mesh_axes |= UINT32_C(1) << a;
    }
    MW_TRY(check_bytes(&made));
    MW_TRY(allocate(&made));
    set_lives(&made);
    MW_TRY(add_ops(&builder));
    if (on->pairs)
        MW_TRY(mw_space_mark_optional(&builder));
    MW_TRY(add_homes(&builder));
    if (on->pairs)
        MW_TRY(mw_space_extend_pairs(&builder));
    for (mw_id k = 0; k < on->graph->n_ops; k++) {
        made.op_link[k] = made.n_links;
        if (made.op_node[k] != MW_NONE && !mw_space_over(&builder))
            MW_TRY(mw_space_add_links(&builder, k));
    }
    made.op_link[made.n_steps] = made.n_links;
    *space = made;
    return MW_OK;
}

int32_t mw_space_states(const mw_space *space, int32_t node)
{
    int32_t c = space->node_class[node];
    return space->node_op[node] != MW_NONE ? space->op_class[c].n
                                           : space->home_class[c].n;
}

int32_t mw_space_find_strategy(const mw_space *space, int32_t node,
                               const mw_strategy *strategy)
{
    const mw_op_class *c = &space->op_class[space->node_class[node]];
    for (int32_t s = 0; s < c->n; s++) {
        if (memcmp(&c->strategy[s], strategy, sizeof *strategy) == 0)
            return s;
    }
    return MW_NONE;
}

int32_t mw_space_find_layout(const mw_space *space, int32_t node,
                             const mw_layout *layout)
{
    const mw_home_class *c = &space->home_class[space->node_class[node]];
    for (int32_t h = 0; h < c->n; h++) {
        if (mw_layout_equal(&c->layout[h], layout))
            return h;
    }
    return MW_NONE;
}

// An op with its links: time, and what its step needs besides homes.
static int64_t step_of(const mw_space *space, const int32_t *state, mw_id k,
                       mw_space_figures *figures)
{
    int32_t node = space->op_node[k], s = state[node];
    const mw_op_class *ops = &space->op_class[space->node_class[node]];
    int64_t bytes = ops->memory_bytes[s];
    figures->time_ps += ops->time_ps[s];
    for (int32_t i = space->op_link[k]; i < space->op_link[k + 1]; i++) {
        const mw_link *link = &space->link[i];
        const mw_link_class *c = &space->link_class[link->link_class];
        int32_t h = state[space->home_node[link->tensor]];
        int64_t cell = (int64_t)c->row[s] * c->n_homes + h;
        if (c->time_ps[cell] >= MW_INFINITE)
            figures->forbidden = true;
        else
            figures->time_ps += c->time_ps[cell];
        bytes = mw_add_bytes(bytes, c->memory_bytes[cell]);
    }
    return bytes;
}

// Bytes of homes by step: differences where they come and go, then sums.
static void sum_homes(const mw_space *space, const int32_t *state,
                      int64_t *live)
{
    int n_steps = space->n_steps;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        mw_id t = space->node_tensor[i];
        if (t == MW_NONE)
            continue;
        int64_t bytes = space->home_class[space->node_class[i]].bytes[state[i]];
        if (space->life[t].begin < n_steps)
            live[space->life[t].begin] += bytes;
        if (space->life[t].end < n_steps)
            live[space->life[t].end] -= bytes;
    }
    for (mw_id k = 1; k < n_steps; k++)
        live[k] += live[k - 1];
}

void mw_space_evaluate(const mw_space *space, const int32_t *state,
                       int64_t *live, mw_space_figures *figures)
{
    int n_steps = space->n_steps;
    *figures = (mw_space_figures){.peak_step = MW_NONE};
    for (mw_id k = 0; live && k < n_steps; k++)
        live[k] = 0;
    if (live)
        sum_homes(space, state, live);
    for (mw_id k = 0; k < n_steps; k++) {
        int64_t bytes = 0;
        if (space->op_node[k] != MW_NONE)
            bytes = step_of(space, state, k, figures);
        if (!live)
            continue;
        live[k] = mw_add_bytes(live[k], bytes);
        if (figures->peak_step == MW_NONE || live[k] > figures->peak_bytes) {
            figures->peak_bytes = live[k];
            figures->peak_step = k;
        }
    }
}

mw_status mw_space_choices(const mw_space *space, mw_arena *arena,
                           const int32_t *state, mw_choices *choices)
{
    const mw_graph *graph = space->on.graph;
    mw_choices made = {
        .op = MW_NEW_ARRAY(arena, graph->n_ops + 1, mw_strategy),
        .home = MW_NEW_ARRAY(arena, graph->n_tensors + 1, mw_layout),
    };
    if (!made.op || !made.home)
        return MW_ENOMEM;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        memset(made.op[k].split, MW_SPLIT_NONE, sizeof made.op[k].split);
        int32_t node = space->op_node[k];
        if (node != MW_NONE)
            made.op[k] =
                space->op_class[space->node_class[node]].strategy[state[node]];
    }
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        int32_t node = space->home_node[graph->tensor[t].root];
        made.home[t] =
            space->home_class[space->node_class[node]].layout[state[node]];
    }
    *choices = made;
    return MW_OK;
}
