/* names_emit.c - writes the named graph: ops in the order of the file, views
 * where an op meets a tensor under other dimensions than its own. */
#include "ir/names_state.h"

#include <string.h>

/* An op as its `lower` rule sees it: operands are tensors of their own, so that
 * two uses of one tensor can have different flat axes. */
typedef struct lone_op {
    mw_graph graph; /* the placed one with these tensors */
    mw_op op;
    mw_id *named;
    struct mw_axis_map *map;
} lone_op;

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
    if (op->n_in != 1 || op->in[0].window ||
        (strcmp(op->def->family, "move") != 0 &&
         strcmp(op->def->family, "reduce") != 0))
        return false;
    return mw_names_same_flat(&state->op[id].in[0], &state->op[id].out[0]);
}

static void add_operand(const mw_names_state *state, lone_op *lone,
                        mw_operand *use, mw_id named, const mw_flat *flat)
{
    mw_id t = lone->graph.n_tensors++;
    lone->graph.tensor[t] = state->placed->tensor[use->tensor];
    use->tensor = t;
    lone->named[t] = named;
    for (int a = 0; a < flat->n_axes; a++) {
        lone->map[t].first[a] = flat->first[a];
        lone->map[t].count[a] = flat->count[a];
    }
}

static mw_status init_lone(mw_names_state *state, mw_id id, const mw_id in[],
                           const mw_id out[], lone_op *lone)
{
    const mw_names_op *own = &state->op[id];
    int n_in = state->placed->op[id].n_in, n_out = state->placed->op[id].n_out;
    int n = n_in + n_out;
    *lone = (lone_op){.graph = *state->placed, .op = state->placed->op[id]};
    mw_operand *use = MW_NEW_ARRAY(state->arena, n, mw_operand);
    lone->graph.tensor = MW_NEW_ARRAY(state->arena, n, mw_tensor);
    lone->graph.n_tensors = 0;
    lone->named = MW_NEW_ARRAY(state->arena, n, mw_id);
    lone->map = MW_NEW_ARRAY(state->arena, n, struct mw_axis_map);
    if (!use || !lone->graph.tensor || !lone->named || !lone->map)
        return MW_ENOMEM;
    memcpy(use, lone->op.in, (size_t)n_in * sizeof *use);
    memcpy(use + n_in, lone->op.out, (size_t)n_out * sizeof *use);
    lone->op.in = use;
    lone->op.out = use + n_in;
    for (int i = 0; i < n_in; i++)
        add_operand(state, lone, &lone->op.in[i], in[i], &own->in[i]);
    for (int o = 0; o < n_out; o++)
        add_operand(state, lone, &lone->op.out[o], out[o], &own->out[o]);
    return MW_OK;
}

static mw_status lower(mw_names_state *state, mw_id id, mw_op_spec *spec)
{
    const mw_op_def *def = state->placed->op[id].def;
    lone_op lone;
    if (!def->lower)
        return MW_OK;
    MW_TRY(init_lone(state, id, spec->in, spec->out, &lone));
    return def->lower(state->named, &lone.graph, &lone.op,
                      &(mw_lowering){.arena = state->arena,
                                     .named = lone.named,
                                     .map = lone.map},
                      spec);
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

static mw_status emit_plain(mw_names_state *state, mw_id id, mw_id out[])
{
    const mw_op *op = &state->placed->op[id];
    const mw_names_op *own = &state->op[id];
    mw_id *in = MW_NEW_ARRAY(state->arena, op->n_in + 1, mw_id);
    if (!in)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_names_view(state, op->in[i].tensor, &own->in[i], &in[i]));
    for (int o = 0; o < op->n_out; o++)
        MW_TRY(emit_result(state, id, o, &out[o]));
    mw_op_spec spec = {.def = op->def->name,
                       .name = op->name,
                       .n_in = op->n_in,
                       .n_out = op->n_out,
                       .in = in,
                       .out = out};
    MW_TRY(lower(state, id, &spec));
    mw_id added;
    return mw_graph_bind(state->named, &spec, &added);
}

static mw_status emit_op(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    if (is_view(state, id)) {
        const mw_names_tensor *in = &state->tensor[op->in[0].tensor];
        return emit_link(state, in->named, &in->flat, op->out[0].tensor);
    }
    mw_id *out = MW_NEW_ARRAY(state->arena, op->n_out + 1, mw_id);
    if (!out)
        return MW_ENOMEM;
    MW_TRY(emit_plain(state, id, out));
    for (int o = 0; o < op->n_out; o++) {
        mw_id t = op->out[o].tensor;
        const mw_flat *flat = &state->op[id].out[o];
        if (!mw_names_same_flat(flat, &state->tensor[t].flat))
            MW_TRY(emit_link(state, out[o], flat, t));
    }
    return MW_OK;
}

mw_status mw_names_emit(mw_names_state *state)
{
    mw_map_init(&state->views, state->arena);
    MW_TRY(emit_stored(state));
    for (mw_id id = 0; id < state->placed->n_ops; id++)
        if (state->op[id].letter)
            MW_TRY(emit_op(state, id));
    return MW_OK;
}
