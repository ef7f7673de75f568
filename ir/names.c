/* names.c - the names pass: a positional graph in, a named one out.
 *
 * The steps are in names_state.h; docs/design/names.md says why they are these.
 * Time is linear in the ops, but for the sorting of the tie and the square of
 * the dimensions that the table of interferences has. */
#include "ir/names.h"

#include <string.h>

#include "ir/names_state.h"

static mw_status find_slices(mw_names_state *state)
{
    const mw_graph *placed = state->placed;
    for (mw_id t = 0; t < placed->n_tensors; t++)
        state->tensor[t].slices = MW_NONE;
    for (mw_id id = placed->n_ops - 1; id >= 0; id--) {
        if (!mw_names_is(&placed->op[id], "slice"))
            continue;
        mw_id *first = &state->tensor[placed->op[id].in[0].tensor].slices;
        state->next_slice[id] = *first;
        *first = id;
    }
    return MW_OK;
}

static mw_status init(mw_names_state *state)
{
    const mw_graph *placed = state->placed;
    mw_atoms_init(&state->atoms, state->arena);
    state->tensor =
        MW_NEW_ARRAY(state->arena, placed->n_tensors + 1, mw_names_tensor);
    state->op = MW_NEW_ARRAY(state->arena, placed->n_ops + 1, mw_names_op);
    state->next_slice = MW_NEW_ARRAY(state->arena, placed->n_ops + 1, mw_id);
    if (!state->tensor || !state->op || !state->next_slice)
        return MW_ENOMEM;
    MW_TRY(find_slices(state));
    return mw_names_order(state);
}

static mw_status bind_all(mw_names_state *state)
{
    MW_TRY(mw_names_inputs(state));
    for (int k = 0; k < state->n_order; k++)
        MW_TRY(mw_names_bind_op(state, state->order[k]));
    for (mw_id t = 0; t < state->placed->n_tensors; t++)
        if (state->placed->tensor[t].output)
            MW_TRY(mw_names_meet(state, t));
    return MW_OK;
}

static void interfere(mw_graph *graph, const mw_id *dim, int n)
{
    size_t n_dims = (size_t)graph->n_dims;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (i != k && dim[i] != MW_NONE && dim[k] != MW_NONE)
                graph->interferes[(size_t)dim[i] * n_dims + (size_t)dim[k]] = 1;
}

// Dimensions meet in a tensor or among the letters that an op may split.
static mw_status find_interferences(mw_graph *graph)
{
    size_t n_dims = (size_t)graph->n_dims;
    graph->interferes = mw_arena_alloc(graph->arena, n_dims + 1, n_dims);
    if (!graph->interferes)
        return MW_ENOMEM;
    mw_id dim[MW_MAX_LETTERS];
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        for (int a = 0; a < tensor->rank; a++)
            dim[a] = tensor->axis[a].dim;
        interfere(graph, dim, tensor->rank);
    }
    for (mw_id id = 0; id < graph->n_ops; id++) {
        const mw_op *op = &graph->op[id];
        for (int l = 0; l < op->n_letters; l++)
            dim[l] = op->letter[l].pinned ? MW_NONE : op->letter[l].dim;
        interfere(graph, dim, op->n_letters);
    }
    return MW_OK;
}

// The symbol of an input's axis that has size 1, if it is the first such.
static const char *lone_symbol(const mw_graph *placed, mw_id t, int a)
{
    const mw_axis *axis = &placed->tensor[t].axis[a];
    if (axis->size != 1 || !mw_names_symbol(axis))
        return NULL;
    for (mw_id u = 0; u <= t; u++) {
        const mw_tensor *tensor = &placed->tensor[u];
        int rank = u < t ? tensor->rank : a;
        for (int b = 0; tensor->role == MW_ROLE_INPUT && b < rank; b++) {
            const mw_axis *other = &tensor->axis[b];
            if (other->size == 1 && other->symbol &&
                strcmp(other->symbol, axis->symbol) == 0)
                return NULL;
        }
    }
    return axis->symbol;
}

static mw_status add_condition(mw_graph *graph, int64_t *cap, const char *text)
{
    const char **grown =
        mw_arena_reserve(graph->arena, graph->condition, graph->n_conditions,
                         cap, sizeof *grown);
    char *copy = mw_arena_text(graph->arena, text);
    if (!grown || !copy)
        return MW_ENOMEM;
    graph->condition = grown;
    grown[graph->n_conditions++] = copy;
    return MW_OK;
}

// A plan made at size 1 says nothing of other sizes.
static mw_status note_sizes_of_one(mw_names_state *state)
{
    const mw_graph *placed = state->placed;
    mw_graph *named = state->named;
    int64_t cap = 0;
    for (int i = 0; i < placed->n_conditions; i++)
        MW_TRY(add_condition(named, &cap, placed->condition[i]));
    for (mw_id t = 0; t < placed->n_tensors; t++) {
        const mw_tensor *tensor = &placed->tensor[t];
        for (int a = 0; tensor->role == MW_ROLE_INPUT && a < tensor->rank;
             a++) {
            const char *symbol = lone_symbol(placed, t, a);
            if (!symbol)
                continue;
            mw_warn(named->ctx,
                    "input '%s': '%s' has size 1, so nothing is split along "
                    "it; set its size to plan for more",
                    tensor->name, symbol);
            const char *text = mw_arena_format(named->arena, "%s = 1", symbol);
            MW_TRY(text ? add_condition(named, &cap, text) : MW_ENOMEM);
        }
    }
    return MW_OK;
}

static mw_status run(mw_names_state *state, const mw_rename_option *rename,
                     int n_renames)
{
    MW_TRY(init(state));
    MW_TRY(bind_all(state));
    MW_TRY(mw_names_tie(state));
    MW_TRY(mw_names_plan(state));
    MW_TRY(mw_names_label(state, rename, n_renames));
    MW_TRY(mw_names_emit(state));
    MW_TRY(note_sizes_of_one(state));
    return find_interferences(state->named);
}

mw_status mw_names(const mw_graph *placed, const mw_rename_option *rename,
                   int n_renames, mw_graph *named)
{
    mw_arena scratch;
    mw_arena_init(&scratch, named->ctx);
    named->named = true;
    mw_names_state state = {
        .placed = placed, .named = named, .arena = &scratch};
    mw_status status = run(&state, rename, n_renames);
    mw_arena_free(&scratch);
    return status;
}
