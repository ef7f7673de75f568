/* baseline_zero.c - from each update to what it reads: the letter of the
 * parameter's longest axis splits the update and the homes of its states, then
 * the gradient's, back through the maps that made it. */
#include "search/baseline_zero.h"

enum { STATES = 1, GRADIENTS = 2, PARAMETERS = 3 };

typedef struct sharer {
    const mw_setting *on;
    int stage;
    uint32_t mesh_axes;
    bool even;
    mw_choices *choices;
    mw_id *shared; /* by root: the dimension that splits it, or MW_NONE */
} sharer;

// The root that an op's output overwrites, or MW_NONE.
static mw_id updated(const mw_graph *graph, const mw_op *op, int i)
{
    mw_id t = op->out[i].tensor, root = graph->tensor[t].root;
    return root != t && mw_role_persists(graph->tensor[root].role) ? root
                                                                   : MW_NONE;
}

static bool updates_parameter(const mw_graph *graph, const mw_op *op)
{
    for (int i = 0; i < op->n_out; i++) {
        mw_id root = updated(graph, op, i);
        if (root != MW_NONE && graph->tensor[root].role == MW_ROLE_PARAM)
            return true;
    }
    return false;
}

bool mw_zero_applies(const mw_graph *graph)
{
    for (mw_id k = 0; k < graph->n_ops; k++) {
        if (updates_parameter(graph, &graph->op[k]))
            return true;
    }
    return false;
}

// The longest axis of a tensor that may be split, or MW_NONE.
static int longest_axis(const sharer *s, const mw_tensor *tensor)
{
    int64_t parts = mw_mesh_group_size(s->on->mesh, s->mesh_axes);
    int best = MW_NONE;
    for (int i = 0; i < tensor->rank; i++) {
        const mw_axis *axis = &tensor->axis[i];
        if (axis->dim == MW_NONE || (s->even && axis->size % parts != 0))
            continue;
        if (best == MW_NONE || axis->size > tensor->axis[best].size)
            best = i;
    }
    return best;
}

static bool split_op(const sharer *s, const mw_op *op, mw_id dim,
                     mw_strategy *strategy)
{
    for (int l = 0; l < op->n_letters; l++) {
        if (op->letter[l].dim != dim || op->letter[l].pinned)
            continue;
        for (int a = 0; a < MW_MAX_MESH; a++) {
            if (s->mesh_axes >> a & 1)
                strategy->split[a] = (int8_t)l;
        }
        return true;
    }
    return false;
}

static void split_home(const sharer *s, mw_id root, mw_id dim)
{
    const mw_tensor *tensor = &s->on->graph->tensor[root];
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->axis[i].dim != dim)
            continue;
        s->shared[root] = dim;
        for (int a = 0; a < MW_MAX_MESH; a++) {
            if (s->mesh_axes >> a & 1)
                s->choices->home[root].role[a] = (int8_t)i;
        }
    }
}

// Homes of what an op reads: states and gradients, as the stage says.
static void share_inputs(const sharer *s, const mw_op *op, mw_id dim)
{
    const mw_graph *graph = s->on->graph;
    for (int i = 0; i < op->n_in; i++) {
        mw_id root = graph->tensor[op->in[i].tensor].root;
        mw_role role = graph->tensor[root].role;
        if ((role == MW_ROLE_STATE && s->stage >= STATES) ||
            (role == MW_ROLE_VALUE && s->stage >= GRADIENTS) ||
            (role == MW_ROLE_PARAM && s->stage >= PARAMETERS))
            split_home(s, root, dim);
    }
}

static void share_update(const sharer *s, mw_id k)
{
    const mw_graph *graph = s->on->graph;
    const mw_op *op = &graph->op[k];
    mw_id dim = MW_NONE;
    for (int i = 0; i < op->n_out && dim == MW_NONE; i++) {
        mw_id root = updated(graph, op, i);
        if (root == MW_NONE)
            continue;
        const mw_tensor *tensor = &graph->tensor[root];
        int axis = longest_axis(s, tensor);
        if (axis != MW_NONE)
            dim = tensor->axis[axis].dim;
    }
    if (dim != MW_NONE && split_op(s, op, dim, &s->choices->op[k]))
        share_inputs(s, op, dim);
}

// A map: every letter is in its results, so that a split of it is local.
static bool is_map(const mw_op *op)
{
    for (int l = 0; l < op->n_letters; l++) {
        if (!mw_op_letter_in_output(op, l))
            return false;
    }
    return true;
}

static bool splits_nothing(const mw_strategy *strategy)
{
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (strategy->split[a] != MW_SPLIT_NONE)
            return false;
    }
    return true;
}

// What makes a shared gradient of others is shared like it.
static void share_back(const sharer *s, mw_id k)
{
    const mw_graph *graph = s->on->graph;
    const mw_op *op = &graph->op[k];
    mw_id dim = MW_NONE;
    for (int i = 0; i < op->n_out; i++) {
        mw_id root = graph->tensor[op->out[i].tensor].root;
        if (graph->tensor[root].role == MW_ROLE_VALUE &&
            s->shared[root] != MW_NONE)
            dim = s->shared[root];
    }
    if (dim != MW_NONE && is_map(op) && splits_nothing(&s->choices->op[k]) &&
        split_op(s, op, dim, &s->choices->op[k]))
        share_inputs(s, op, dim);
}

mw_status mw_zero_share(mw_arena *arena, const mw_setting *on, int stage,
                        uint32_t mesh_axes, bool even, mw_choices *choices)
{
    const mw_graph *graph = on->graph;
    sharer s = {.on = on,
                .stage = stage,
                .mesh_axes = mesh_axes,
                .even = even,
                .choices = choices};
    s.shared = MW_NEW_ARRAY(arena, graph->n_tensors + 1, mw_id);
    if (!s.shared)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        s.shared[t] = MW_NONE;
    for (mw_id k = graph->n_ops - 1; k >= 0; k--) {
        share_update(&s, k);
        share_back(&s, k);
    }
    return MW_OK;
}
