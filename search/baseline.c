/* baseline.c - recipes as rules, from the roles that dimensions play. */
#include "search/baseline.h"

#include <string.h>

#include "search/global.h"

// What a dimension does in the graph.
typedef struct role {
    bool input, param;
    bool made;       /* a parameter brings it into a contraction's output */
    bool contracted; /* a parameter and a value contract it */
    int n_leading;   /* inputs whose first axis it is */
    int n_reduced;   /* ops that contract or reduce it */
} role;

typedef struct finder {
    mw_arena *arena;
    const mw_setting *on;
    role *role;
    uint8_t *meets;
    uint32_t mesh_axes;
} finder;

static bool has_letter(const mw_graph *graph, const mw_operand *operand, int l)
{
    for (int i = 0; i < graph->tensor[operand->tensor].rank; i++) {
        if (operand->letter[i] == l)
            return true;
    }
    return false;
}

static bool is_param(const mw_graph *graph, const mw_operand *operand)
{
    mw_id root = graph->tensor[operand->tensor].root;
    return graph->tensor[root].role == MW_ROLE_PARAM;
}

// A letter that is in some parameter, and maybe in a value, of a contraction.
static void note_letter(const mw_graph *graph, const mw_op *op, int l,
                        role *dim)
{
    bool in_param = false, in_value = false;
    bool in_output = mw_op_letter_in_output(op, l);
    bool in_input = false;
    for (int i = 0; i < op->n_in; i++) {
        bool here = has_letter(graph, &op->in[i], l);
        in_input = in_input || here;
        if (here && is_param(graph, &op->in[i]))
            in_param = true;
        else if (here)
            in_value = true;
    }
    if (in_input && !in_output)
        dim->n_reduced++;
    if (in_param && in_value && !in_output)
        dim->contracted = true;
    if (in_param && !in_value && in_output)
        dim->made = true;
}

static bool contracts(const mw_op *op)
{
    for (int l = 0; l < op->n_letters; l++) {
        if (!mw_op_letter_in_output(op, l))
            return true;
    }
    return false;
}

static void find_roles(const mw_graph *graph, role *roles)
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        bool param = tensor->role == MW_ROLE_PARAM;
        bool input = tensor->role == MW_ROLE_INPUT;
        for (int i = 0; i < tensor->rank; i++) {
            mw_id d = tensor->axis[i].dim;
            if (d == MW_NONE)
                continue;
            roles[d].param = roles[d].param || param;
            roles[d].input = roles[d].input || input;
            // A batch of 1 has no dimension, and what follows it is no batch.
            if (input && i == 0 &&
                (tensor->file_rank == 0 || tensor->file_axis[0] > 0))
                roles[d].n_leading++;
        }
    }
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        if (!contracts(op))
            continue;
        for (int l = 0; l < op->n_letters; l++) {
            if (op->letter[l].dim != MW_NONE && !op->letter[l].pinned)
                note_letter(graph, op, l, &roles[op->letter[l].dim]);
        }
    }
}

mw_status mw_rule_choices(mw_arena *arena, const mw_setting *on,
                          const uint32_t *axes, mw_choices *choices)
{
    const mw_graph *graph = on->graph;
    mw_choices made = {
        .op = MW_NEW_ARRAY(arena, graph->n_ops + 1, mw_strategy),
        .home = MW_NEW_ARRAY(arena, graph->n_tensors + 1, mw_layout),
    };
    if (!made.op || !made.home)
        return MW_ENOMEM;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        memset(made.op[k].split, MW_SPLIT_NONE, sizeof made.op[k].split);
        for (int l = 0; l < op->n_letters; l++) {
            mw_id d = op->letter[l].dim;
            for (int a = 0; a < on->mesh->n_axes; a++) {
                if (d != MW_NONE && !op->letter[l].pinned &&
                    on->mesh->axis[a].size > 1 && axes[d] >> a & 1)
                    made.op[k].split[a] = (int8_t)l;
            }
        }
    }
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[graph->tensor[t].root];
        made.home[t] = mw_layout_replicated();
        for (int i = 0; i < tensor->rank; i++) {
            mw_id d = tensor->axis[i].dim;
            for (int a = 0; a < on->mesh->n_axes; a++) {
                if (d != MW_NONE && on->mesh->axis[a].size > 1 &&
                    axes[d] >> a & 1)
                    made.home[t].role[a] = (int8_t)i;
            }
        }
    }
    *choices = made;
    return MW_OK;
}

// The input dimension to split by examples: the one that leads most inputs.
static mw_id find_batch(const finder *find)
{
    mw_id best = MW_NONE;
    for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
        const role *dim = &find->role[d];
        if (dim->input && !dim->param && dim->n_leading > 0 &&
            (best == MW_NONE || dim->n_leading > find->role[best].n_leading))
            best = d;
    }
    return best;
}

static bool meets_any(const finder *find, mw_id d, const uint8_t *chosen)
{
    int n = find->on->graph->n_dims;
    for (mw_id e = 0; e < n; e++) {
        if (chosen[e] && find->meets[(int64_t)d * n + e])
            return true;
    }
    return false;
}

// Adds candidates that meet none chosen, those first that fewest ops reduce:
// each such op will need an all-reduce. contracted: dimensions that a
// parameter also contracts; else those that are only made.
static int choose(const finder *find, bool contracted, uint8_t *chosen)
{
    int n = 0;
    for (;;) {
        mw_id best = MW_NONE;
        for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
            const role *dim = &find->role[d];
            if (chosen[d] || dim->input || !dim->made ||
                dim->contracted != contracted || meets_any(find, d, chosen))
                continue;
            if (best == MW_NONE || dim->n_reduced < find->role[best].n_reduced)
                best = d;
        }
        if (best == MW_NONE)
            return n;
        chosen[best] = 1;
        n++;
    }
}

static mw_status find_tensor_dims(const finder *find, uint8_t **chosen, int *n)
{
    uint8_t *made =
        MW_NEW_ARRAY(find->arena, find->on->graph->n_dims + 1, uint8_t);
    if (!made)
        return MW_ENOMEM;
    *n = choose(find, true, made);
    if (*n > 0)
        *n += choose(find, false, made);
    *chosen = made;
    return MW_OK;
}

// The first dimension that its axes do not divide, or MW_NONE.
static mw_id uneven(const mw_setting *on, const uint32_t *axes)
{
    for (mw_id d = 0; d < on->graph->n_dims; d++) {
        int64_t parts = mw_mesh_group_size(on->mesh, axes[d]);
        if (axes[d] && on->graph->dim[d].size % parts != 0)
            return d;
    }
    return MW_NONE;
}

static mw_status set_rule(const finder *find, const uint32_t *axes, bool even,
                          mw_baseline *made)
{
    mw_id bad = even ? uneven(find->on, axes) : MW_NONE;
    if (bad == MW_NONE)
        return mw_rule_choices(find->arena, find->on, axes, &made->choices);
    const mw_dim *dim = &find->on->graph->dim[bad];
    made->reason = mw_arena_format(
        find->arena, "%s (%lld) is not divisible by %lld", dim->name,
        (long long)dim->size,
        (long long)mw_mesh_group_size(find->on->mesh, axes[bad]));
    return made->reason ? MW_OK : MW_ENOMEM;
}

// One recipe: batch over `data` axes, tensor dimensions over `tensor` axes.
static mw_status add_recipe(const finder *find, mw_id batch,
                            const uint8_t *chosen, const uint32_t split[2],
                            bool even, mw_baseline *made)
{
    int n = find->on->graph->n_dims;
    uint32_t *axes = MW_NEW_ARRAY(find->arena, n + 1, uint32_t);
    if (!axes)
        return MW_ENOMEM;
    if (split[0])
        axes[batch] = split[0];
    for (mw_id d = 0; split[1] && d < n; d++) {
        if (chosen[d])
            axes[d] = split[1];
    }
    return set_rule(find, axes, even, made);
}

static const char no_batch[] =
    "no dimension leads an input that no parameter has";
static const char no_tensor[] =
    "no dimension that one parameter makes and another contracts";
static const char one_axis[] = "the mesh has one axis";

static mw_status init_finder(finder *find)
{
    const mw_graph *graph = find->on->graph;
    find->role = MW_NEW_ARRAY(find->arena, graph->n_dims + 1, role);
    if (!find->role)
        return MW_ENOMEM;
    find_roles(graph, find->role);
    for (int a = 0; a < find->on->mesh->n_axes; a++) {
        if (find->on->mesh->axis[a].size > 1)
            find->mesh_axes |= UINT32_C(1) << a;
    }
    return mw_global_interference(find->arena, graph, &find->meets);
}

mw_status mw_baselines(mw_arena *arena, const mw_setting *on, bool even,
                       mw_baseline **baseline, int *n)
{
    enum { REPLICATED, DATA, TENSOR, BOTH, N };
    static const char *const name[N] = {MW_BASELINE_ALONE, "data_parallel",
                                        "tensor_parallel", "data_tensor"};
    finder find = {.arena = arena, .on = on};
    MW_TRY(init_finder(&find));
    mw_baseline *made = MW_NEW_ARRAY(arena, N, mw_baseline);
    uint8_t *chosen;
    int n_chosen;
    if (!made)
        return MW_ENOMEM;
    MW_TRY(find_tensor_dims(&find, &chosen, &n_chosen));
    mw_id batch = find_batch(&find);
    uint32_t all = find.mesh_axes, last = 0;
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (all >> a & 1)
            last = UINT32_C(1) << a;
    }
    const uint32_t split[N][2] = {
        {0, 0}, {all, 0}, {0, all}, {all & ~last, last}};
    for (int i = 0; i < N; i++) {
        made[i].name = name[i];
        if (split[i][0] && batch == MW_NONE)
            made[i].reason = no_batch;
        else if (split[i][1] && n_chosen == 0)
            made[i].reason = no_tensor;
        else if (i == BOTH && all == last)
            made[i].reason = one_axis;
        else
            MW_TRY(add_recipe(&find, batch, chosen, split[i], even, &made[i]));
    }
    *baseline = made;
    *n = N;
    return MW_OK;
}
