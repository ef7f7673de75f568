/* names_emit.c - writes the named graph: ops in the order of the file, views
 * where an op meets a tensor under other dimensions than its own. */
#include "ir/names_state.h"

#include <string.h>

/* What ops' `lower` rules are told, by placed tensor. */
typedef struct emission {
    mw_names_state *state;
    mw_id *named;
    struct mw_axis_map *map;
} emission;

// Inputs in any case, parameters and constants that something uses.
static mw_status emit_stored(mw_names_state *state)
{
    for (mw_id t = 0; t < state->placed->n_tensors; t++) {
        const mw_tensor *tensor = &state->placed->tensor[t];
        mw_names_tensor *own = &state->tensor[t];
        if (tensor->role != MW_ROLE_VALUE && own->axis)
            MW_TRY(mw_names_tensor_add(state, t, tensor->name, &own->flat,
                                       &own->named));
    }
    return MW_OK;
}

static mw_status emit_tensor(mw_names_state *state, mw_id t)
{
    return mw_names_tensor_add(state, t, state->placed->tensor[t].name,
                               &state->tensor[t].flat, &state->tensor[t].named);
}

static mw_status emit_link(mw_names_state *state, mw_id source,
                           const mw_flat *from, mw_id t)
{
    return mw_names_link(state, source, from, t, state->placed->tensor[t].name,
                         &state->tensor[t].flat, &state->tensor[t].named);
}

// The op leaves every element where it is.
static bool is_view(const mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    if (mw_names_is(op, "reshape"))
        return true;
    if (op->n_in != 1 || (strcmp(op->def->family, "move") != 0 &&
                          strcmp(op->def->family, "reduce") != 0))
        return false;
    return mw_names_same_flat(&state->op[id].in[0], &state->op[id].out[0]);
}

static void set_map(emission *e, mw_id t, mw_id named, const mw_flat *flat)
{
    e->named[t] = named;
    for (int a = 0; a < flat->n_axes; a++) {
        e->map[t].first[a] = flat->first[a];
        e->map[t].count[a] = flat->count[a];
    }
}

// The tensor that the op writes: the output, or one that the output is a
// reshape of.
static mw_status emit_result(mw_names_state *state, mw_id id, int o,
                             mw_id *result)
{
    mw_id t = state->placed->op[id].out[o].tensor;
    const mw_flat *flat = &state->op[id].out[o];
    if (mw_names_same_flat(flat, &state->tensor[t].flat)) {
        MW_TRY(emit_tensor(state, t));
        *result = state->tensor[t].named;
        return MW_OK;
    }
    const char *name = mw_names_tensor_name(state, t, "flat");
    return name ? mw_names_tensor_add(state, t, name, flat, result) : MW_ENOMEM;
}

static mw_status emit_plain(emission *e, mw_id id)
{
    mw_names_state *state = e->state;
    const mw_op *op = &state->placed->op[id];
    const mw_names_op *own = &state->op[id];
    mw_id *in = MW_NEW_ARRAY(state->arena, op->n_in + 1, mw_id);
    mw_id *out = MW_NEW_ARRAY(state->arena, op->n_out + 1, mw_id);
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_names_view(state, op->in[i].tensor, &own->in[i], &in[i]));
    for (int o = 0; o < op->n_out; o++) {
        MW_TRY(emit_result(state, id, o, &out[o]));
        set_map(e, op->out[o].tensor, out[o], &own->out[o]);
    }
    for (int i = op->n_in - 1; i >= 0; i--)
        set_map(e, op->in[i].tensor, in[i], &own->in[i]);
    mw_op_spec spec = {.def = op->def->name,
                       .name = op->name,
                       .n_in = op->n_in,
                       .n_out = op->n_out,
                       .in = in,
                       .out = out};
    if (op->def->lower)
        MW_TRY(op->def->lower(state->named, state->placed, op,
                              &(mw_lowering){.arena = state->arena,
                                             .named = e->named,
                                             .map = e->map},
                              &spec));
    mw_id added;
    return mw_graph_bind(state->named, &spec, &added);
}

static mw_status emit_op(emission *e, mw_id id)
{
    mw_names_state *state = e->state;
    const mw_op *op = &state->placed->op[id];
    if (is_view(state, id)) {
        const mw_names_tensor *in = &state->tensor[op->in[0].tensor];
        return emit_link(state, in->named, &in->flat, op->out[0].tensor);
    }
    MW_TRY(emit_plain(e, id));
    for (int o = 0; o < op->n_out; o++) {
        mw_id t = op->out[o].tensor, result = e->named[t];
        if (mw_names_same_flat(&state->op[id].out[o], &state->tensor[t].flat))
            continue;
        MW_TRY(emit_link(state, result, &state->op[id].out[o], t));
    }
    return MW_OK;
}

mw_status mw_names_emit(mw_names_state *state)
{
    int n = state->placed->n_tensors;
    emission e = {.state = state,
                  .named = MW_NEW_ARRAY(state->arena, n + 1, mw_id),
                  .map = MW_NEW_ARRAY(state->arena, n + 1, struct mw_axis_map)};
    if (!e.named || !e.map)
        return MW_ENOMEM;
    mw_map_init(&state->views, state->arena);
    MW_TRY(emit_stored(state));
    for (mw_id id = 0; id < state->placed->n_ops; id++)
        if (state->op[id].letter)
            MW_TRY(emit_op(&e, id));
    return MW_OK;
}
