/* split_plans.c - chooses strategies by number, and homes that follow. */
#include "tests/split_plans.h"

#include <string.h>

enum { OWN_STEP = 7 };

mw_status split_plans_open(mw_arena *arena, const mw_graph *graph,
                           const mw_mesh *mesh, split_plans *plans)
{
    *plans = (split_plans){.arena = arena,
                           .graph = graph,
                           .mesh = mesh,
                           .n_mixed = 1,
                           .machine = fake_machine_of(2)};
    plans->strategy = MW_NEW_ARRAY(arena, graph->n_ops, mw_strategy *);
    plans->n_strategies = MW_NEW_ARRAY(arena, graph->n_ops, int);
    plans->choices.op = MW_NEW_ARRAY(arena, graph->n_ops, mw_strategy);
    plans->choices.home = MW_NEW_ARRAY(arena, graph->n_tensors, mw_layout);
    if (!plans->strategy || !plans->n_strategies || !plans->choices.op ||
        !plans->choices.home)
        return MW_ENOMEM;
    plans->costs = fake_costs(&plans->machine);
    for (mw_id k = 0; k < graph->n_ops; k++) {
        int n_split;
        if (mw_op_is_rename(graph, &graph->op[k]))
            continue;
        MW_TRY(mw_op_strategies(arena, graph, &graph->op[k], mesh,
                                &plans->strategy[k], &plans->n_strategies[k],
                                &n_split));
        if (plans->n_strategies[k] > plans->n_mixed)
            plans->n_mixed = plans->n_strategies[k];
    }
    plans->n_plans =
        plans->n_mixed + (mw_mesh_ranks(mesh) > 1 ? graph->n_dims : 0);
    return mw_resharder_open(arena->ctx, arena, mesh, &plans->costs,
                             &plans->resharder);
}

// What has the root's buffer may be a result under another name.
static bool is_result(const mw_graph *graph, mw_id root)
{
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].root == root && graph->tensor[t].output)
            return true;
    return false;
}

static void keep_natural(split_plans *plans, mw_id tensor, mw_layout natural)
{
    const mw_graph *graph = plans->graph;
    mw_layout home = mw_layout_canonical(plans->mesh, &natural);
    if (mw_layout_is_partial(&home) && is_result(graph, tensor))
        return;
    if (!mw_home_refusal(plans->mesh, &graph->tensor[tensor], &home))
        plans->choices.home[tensor] = home;
}

// Results stay as they come out; what comes from outside lies as its first use
// takes it.
static void choose_homes(split_plans *plans)
{
    const mw_graph *graph = plans->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        plans->choices.home[t] = mw_layout_replicated();
    for (mw_id k = graph->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &graph->op[k];
        const mw_strategy *s = &plans->choices.op[k];
        if (mw_op_is_rename(graph, op))
            continue;
        for (int i = 0; i < op->n_out; i++)
            keep_natural(plans, op->out[i].tensor,
                         mw_strategy_output(op, s, i));
        for (int i = 0; i < op->n_in; i++)
            if (graph->tensor[op->in[i].tensor].producer == MW_NONE)
                keep_natural(plans, op->in[i].tensor,
                             mw_strategy_input(op, s, i));
    }
}

static bool splits_dim(const mw_op *op, int letter, mw_id dim)
{
    return !op->letter[letter].pinned && op->letter[letter].dim == dim;
}

// The dimension on the first longer axis, the next one on the second, as far
// as the op can.
static mw_strategy by_dim(const split_plans *plans, const mw_op *op, mw_id dim)
{
    const mw_mesh *mesh = plans->mesh;
    mw_strategy s;
    int n_longer = 0;
    memset(s.split, MW_SPLIT_NONE, sizeof s.split);
    for (int a = 0; a < mesh->n_axes; a++) {
        if (mesh->axis[a].size <= 1)
            continue;
        mw_id wanted = (dim + n_longer++) % plans->graph->n_dims;
        for (int l = 0; l < op->n_letters; l++)
            if (splits_dim(op, l, wanted))
                s.split[a] = (int8_t)l;
        if (mw_strategy_refusal(plans->graph, op, mesh, &s))
            s.split[a] = MW_SPLIT_NONE;
    }
    return s;
}

mw_status split_plans_make(split_plans *plans, mw_arena *arena, int64_t i,
                           mw_plan *plan)
{
    const mw_graph *graph = plans->graph;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        if (mw_op_is_rename(graph, &graph->op[k]))
            continue;
        if (i < plans->n_mixed)
            plans->choices.op[k] =
                plans->strategy[k][(i + OWN_STEP * k) % plans->n_strategies[k]];
        else
            plans->choices.op[k] =
                by_dim(plans, &graph->op[k], (mw_id)(i - plans->n_mixed));
    }
    choose_homes(plans);
    return mw_plan_build(arena, graph, plans->resharder, &plans->costs,
                         &plans->choices, true, plan);
}
