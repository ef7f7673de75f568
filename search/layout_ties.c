/* layout_ties.c - dimensions as nodes. */
#include "search/layout_ties.h"

#include "search/global.h"

static mw_status allocate(mw_space_ties *ties)
{
    const mw_space *space = ties->space;
    mw_arena *arena = ties->arena;
    int n_axes = __builtin_popcount(space->mesh_axes);
    ties->n_subsets = 1 << n_axes;
    int64_t n = ties->n_subsets;
    ties->dim = MW_NEW_ARRAY(arena, space->on.graph->n_dims + 1, mw_id);
    ties->of_dim = MW_NEW_ARRAY(arena, space->on.graph->n_dims + 1, int32_t);
    ties->subset = MW_NEW_ARRAY(arena, n, uint32_t);
    ties->zero = MW_NEW_ARRAY(arena, n, int64_t);
    ties->apart = MW_NEW_ARRAY(arena, n * n, int64_t);
    ties->op_tie = MW_NEW_ARRAY(arena, space->n_op_classes + 1, int64_t **);
    ties->op_whole = MW_NEW_ARRAY(arena, space->n_op_classes + 1, int64_t *);
    ties->home_tie = MW_NEW_ARRAY(arena, space->n_home_classes + 1, int64_t **);
    ties->home_whole =
        MW_NEW_ARRAY(arena, space->n_home_classes + 1, int64_t *);
    return ties->dim && ties->of_dim && ties->subset && ties->zero &&
                   ties->apart && ties->op_tie && ties->op_whole &&
                   ties->home_tie && ties->home_whole
               ? MW_OK
               : MW_ENOMEM;
}

// Subset i of the long mesh axes, as a set of mesh axes.
static uint32_t spread(uint32_t mesh_axes, int32_t i)
{
    uint32_t axes = 0;
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (!(mesh_axes >> a & 1))
            continue;
        axes |= (uint32_t)(i & 1) << a;
        i >>= 1;
    }
    return axes;
}

mw_status mw_space_ties_init(mw_space_ties *ties, const mw_space *space,
                             mw_arena *arena)
{
    const mw_graph *graph = space->on.graph;
    *ties = (mw_space_ties){.space = space, .arena = arena};
    MW_TRY(allocate(ties));
    MW_TRY(mw_global_interference(arena, graph, &ties->meets));
    for (mw_id d = 0; d < graph->n_dims; d++)
        ties->of_dim[d] = MW_NONE;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        for (int i = 0; i < graph->tensor[t].rank; i++) {
            mw_id d = graph->tensor[t].axis[i].dim;
            if (d == MW_NONE || ties->of_dim[d] != MW_NONE)
                continue;
            ties->of_dim[d] = ties->n_dims;
            ties->dim[ties->n_dims++] = d;
        }
    }
    for (int32_t i = 0; i < ties->n_subsets; i++)
        ties->subset[i] = spread(space->mesh_axes, i);
    for (int32_t i = 0; i < ties->n_subsets; i++) {
        for (int32_t j = 0; j < ties->n_subsets; j++)
            ties->apart[(int64_t)i * ties->n_subsets + j] =
                ties->subset[i] & ties->subset[j] ? MW_INFINITE : 0;
    }
    return MW_OK;
}

// The j-th letter of an op or axis of a home, as a state splits it.
static uint32_t split_of(const mw_space *space, int32_t node, int32_t s, int j)
{
    int32_t c = space->node_class[node];
    uint32_t axes = 0;
    for (int a = 0; a < MW_MAX_MESH; a++) {
        int8_t role = space->node_op[node] != MW_NONE
                          ? space->op_class[c].strategy[s].split[a]
                          : space->home_class[c].layout[s].role[a];
        if (role == j)
            axes |= UINT32_C(1) << a;
    }
    return axes;
}

// A strategy or layout that has or passes on partial sums.
static bool is_partial(const mw_space *space, int32_t node, int32_t s)
{
    int32_t c = space->node_class[node];
    if (space->node_op[node] == MW_NONE)
        return mw_layout_is_partial(&space->home_class[c].layout[s]);
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (space->op_class[c].strategy[s].split[a] <= MW_SPLIT_PARTIAL)
            return true;
    }
    return false;
}

static mw_status add_tie(mw_space_ties *ties, mw_problem *problem, int32_t node,
                         int j, int64_t **matrix, int32_t dim_node)
{
    const mw_space *space = ties->space;
    int32_t n = mw_space_states(space, node);
    if (!*matrix) {
        int64_t *made =
            MW_NEW_ARRAY(ties->arena, (int64_t)n * ties->n_subsets, int64_t);
        if (!made)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++) {
            for (int32_t i = 0; i < ties->n_subsets; i++)
                made[(int64_t)s * ties->n_subsets + i] =
                    split_of(space, node, s, j) == ties->subset[i]
                        ? 0
                        : MW_INFINITE;
        }
        *matrix = made;
    }
    return mw_problem_add_edge(problem, node, dim_node, *matrix, false);
}

static mw_status add_whole(mw_space_ties *ties, mw_problem *problem,
                           int32_t node, int64_t **matrix, int32_t whole)
{
    int32_t n = mw_space_states(ties->space, node);
    if (!*matrix) {
        *matrix = MW_NEW_ARRAY(ties->arena, n, int64_t);
        if (!*matrix)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++)
            (*matrix)[s] = is_partial(ties->space, node, s) ? MW_INFINITE : 0;
    }
    return mw_problem_add_edge(problem, node, whole, *matrix, false);
}

// Ties of one op or home to its dimensions and to the node that forbids
// partial sums.
static mw_status add_node_ties(mw_space_ties *ties, mw_problem *problem,
                               int32_t node, int32_t first)
{
    const mw_space *space = ties->space;
    const mw_graph *graph = space->on.graph;
    mw_id k = space->node_op[node];
    int32_t c = space->node_class[node];
    if (k == MW_NONE && space->home_class[c].fixed)
        return MW_OK;
    int64_t ***all = k == MW_NONE ? &ties->home_tie[c] : &ties->op_tie[c];
    int n = k == MW_NONE ? graph->tensor[space->node_tensor[node]].rank
                         : graph->op[k].n_letters;
    if (!*all)
        *all = MW_NEW_ARRAY(ties->arena, n + 1, int64_t *);
    if (!*all)
        return MW_ENOMEM;
    for (int j = 0; j < n; j++) {
        const mw_letter *letter = k == MW_NONE ? NULL : &graph->op[k].letter[j];
        mw_id d = letter ? letter->dim
                         : graph->tensor[space->node_tensor[node]].axis[j].dim;
        if (d == MW_NONE || (letter && letter->pinned) ||
            ties->of_dim[d] == MW_NONE)
            continue;
        MW_TRY(add_tie(ties, problem, node, j, &(*all)[j],
                       first + ties->of_dim[d]));
    }
    int64_t **whole = k == MW_NONE ? &ties->home_whole[c] : &ties->op_whole[c];
    return add_whole(ties, problem, node, whole, first + ties->n_dims);
}

mw_status mw_space_ties_add(mw_space_ties *ties, mw_problem *problem)
{
    int32_t first = problem->n_nodes;
    int n = ties->space->on.graph->n_dims;
    for (int i = 0; i < ties->n_dims; i++)
        MW_TRY(mw_problem_add_node(problem, ties->n_subsets, ties->zero));
    MW_TRY(mw_problem_add_node(problem, 1, ties->zero));
    for (int i = 0; i < ties->n_dims; i++) {
        for (int j = 0; j < i; j++) {
            if (ties->meets[(int64_t)ties->dim[i] * n + ties->dim[j]])
                MW_TRY(mw_problem_add_edge(problem, first + i, first + j,
                                           ties->apart, false));
        }
    }
    for (int32_t i = 0; i < ties->space->n_nodes; i++)
        MW_TRY(add_node_ties(ties, problem, i, first));
    return MW_OK;
}

void mw_space_ties_complete(const mw_space_ties *ties, const int32_t *state,
                            int32_t *tie_state)
{
    const mw_space *space = ties->space;
    for (int i = 0; i <= ties->n_dims; i++)
        tie_state[i] = 0;
    for (int32_t node = 0; node < space->n_nodes; node++) {
        mw_id t = space->node_tensor[node];
        if (t == MW_NONE || space->home_class[space->node_class[node]].fixed)
            continue;
        const mw_tensor *tensor = &space->on.graph->tensor[t];
        for (int j = 0; j < tensor->rank; j++) {
            if (tensor->axis[j].dim == MW_NONE)
                continue;
            uint32_t axes = split_of(space, node, state[node], j);
            for (int32_t i = 0; i < ties->n_subsets; i++) {
                if (ties->subset[i] == axes)
                    tie_state[ties->of_dim[tensor->axis[j].dim]] = i;
            }
        }
    }
}
