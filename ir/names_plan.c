/* names_plan.c - lists of atoms become flat axes, a set for each tensor and
 * for each use that an op makes of one.
 *
 * Most ops take an axis of several atoms as several axes. One that is about
 * bounds or neighbours along an axis (slice, pad, concat, gather's table,
 * convolution) takes it as one: there the atoms get a product that the op meets
 * in their place, and emission puts a reshape between. Atoms that a slice, pad
 * or concat moves as a whole stay out of it. */
#include "ir/names_state.h"

#include <string.h>

static mw_status too_many(const mw_names_state *state, mw_id t)
{
    return mw_fail(state->placed->ctx, MW_EINPUT,
                   "tensor '%s': its axes factor into more than %d dims",
                   state->placed->tensor[t].name, MW_MAX_RANK);
}

mw_status mw_names_product(mw_names_state *state, const mw_id *atom, int n,
                           mw_id *whole)
{
    if (n == 1) {
        *whole = atom[0];
        return MW_OK;
    }
    size_t bytes = (size_t)n * sizeof *atom;
    const int64_t *known = mw_map_find(&state->merged, atom, bytes);
    if (known) {
        *whole = (mw_id)*known;
        return MW_OK;
    }
    int64_t size = 1;
    for (int i = 0; i < n; i++)
        size *= state->atoms.atom[atom[i]].size;
    MW_TRY(mw_atoms_add(&state->atoms, size, whole));
    state->atoms.atom[*whole].of = atom[0];
    state->atoms.atom[*whole].how = "merge";
    return mw_map_put(&state->merged, atom, bytes, *whole);
}

// Adds an axis whose first atoms, all but `kept`, are one when `merge`.
static mw_status add_axis(mw_names_state *state, mw_id t, mw_factors list,
                          bool merge, int kept, mw_flat *flat)
{
    mw_id atom[MW_MAX_FACTORS];
    int n = mw_atoms_expand(&state->atoms, list, atom);
    if (merge && n - kept > 1) {
        mw_id whole;
        MW_TRY(mw_names_product(state, atom, n - kept, &whole));
        memmove(atom + 1, atom + n - kept, (size_t)kept * sizeof *atom);
        atom[0] = whole;
        n = kept + 1;
    }
    if (flat->rank + n > MW_MAX_RANK)
        return too_many(state, t);
    flat->first[flat->n_axes] = (int8_t)flat->rank;
    flat->count[flat->n_axes++] = (int8_t)n;
    for (int i = 0; i < n; i++)
        flat->atom[flat->rank++] = atom[i];
    return MW_OK;
}

static mw_status plan_tensor(mw_names_state *state, mw_id t)
{
    mw_names_tensor *tensor = &state->tensor[t];
    if (!tensor->axis)
        return MW_OK;
    for (int a = 0; a < state->placed->tensor[t].rank; a++)
        MW_TRY(add_axis(state, t, tensor->axis[a], false, 0, &tensor->flat));
    return MW_OK;
}

/* Which axes of an op are taken as one. */
typedef struct wholes {
    bool letter[MW_MAX_LETTERS];
    int axis; /* of a slice, pad or concat; or MW_NONE */
    int kept; /* trailing atoms of it that are moved as a whole */
} wholes;

static mw_status move_wholes(mw_names_state *state, mw_id id, wholes *w)
{
    const mw_op *op = &state->placed->op[id];
    mw_factors *const *met = state->op[id].met;
    mw_factors *list = MW_NEW_ARRAY(state->arena, op->n_in + 1, mw_factors);
    if (!list)
        return MW_ENOMEM;
    int axis = mw_names_axis(state->placed, op), n = 0;
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (state->placed->tensor[t].axis[axis].size != 0)
            list[n++] = met[i][axis];
    }
    mw_factors out = met[op->n_in][axis];
    list[n++] = out;
    if (op->n_in == 1 && n == 2 && mw_atoms_equal(&state->atoms, list[0], out))
        return MW_OK;
    mw_id atom[MW_MAX_FACTORS];
    mw_factors about = op->n_in > 1 ? out : list[0];
    int most = mw_atoms_expand(&state->atoms, about, atom) - 1;
    w->axis = axis;
    w->kept = mw_names_suffix(state, op, list, n, most);
    return MW_OK;
}

static mw_status find_wholes(mw_names_state *state, mw_id id, wholes *w)
{
    const mw_op *op = &state->placed->op[id];
    *w = (wholes){.axis = MW_NONE};
    if (mw_names_is(op, "slice") || mw_names_is(op, "pad") ||
        mw_names_is(op, "concat"))
        return move_wholes(state, id, w);
    const mw_attr *strides = mw_op_attr(op, "strides");
    for (int i = 0; strides && i < op->n_in; i++) {
        int rank = state->placed->tensor[op->in[i].tensor].rank;
        for (int a = rank - strides->n; a < rank; a++)
            if (op->in[i].letter[a] != MW_NONE)
                w->letter[op->in[i].letter[a]] = true;
    }
    for (int l = 0; l < op->n_letters; l++)
        w->letter[l] =
            w->letter[l] || op->letter[l].pinned || op->letter[l].whole;
    return MW_OK;
}

static mw_status plan_use(mw_names_state *state, const mw_operand *use,
                          const mw_factors *met, const wholes *w, mw_flat *flat)
{
    const mw_tensor *tensor = &state->placed->tensor[use->tensor];
    for (int a = 0; a < tensor->rank; a++) {
        int letter = use->letter[a];
        bool about = a == w->axis, window = use->window >> a & 1;
        bool merge =
            about || window || (letter != MW_NONE && w->letter[letter]);
        // An axis of extent 0 or 1 shares no atoms.
        int kept =
            about && met[a].n > 0 && tensor->axis[a].size != 0 ? w->kept : 0;
        MW_TRY(add_axis(state, use->tensor, met[a], merge, kept, flat));
    }
    return MW_OK;
}

// Makes the atoms that the way between needs while names are still to come.
static mw_status plan_link(mw_names_state *state, const mw_flat *from,
                           const mw_flat *to)
{
    mw_flat step[MW_MAX_STEPS];
    int n;
    return mw_names_steps(state, from, to, step, &n);
}

static mw_status plan_op(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    mw_names_op *own = &state->op[id];
    own->in = MW_NEW_ARRAY(state->arena, op->n_in + 1, mw_flat);
    own->out = MW_NEW_ARRAY(state->arena, op->n_out + 1, mw_flat);
    if (!own->in || !own->out)
        return MW_ENOMEM;
    if (mw_names_is(op, "reshape")) {
        own->in[0] = state->tensor[op->in[0].tensor].flat;
        own->out[0] = state->tensor[op->out[0].tensor].flat;
        return plan_link(state, &own->in[0], &own->out[0]);
    }
    wholes w;
    MW_TRY(find_wholes(state, id, &w));
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(plan_use(state, &op->in[i], own->met[i], &w, &own->in[i]));
    for (int o = 0; o < op->n_out; o++)
        MW_TRY(plan_use(state, &op->out[o], own->met[op->n_in + o], &w,
                        &own->out[o]));
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(plan_link(state, &state->tensor[op->in[i].tensor].flat,
                         &own->in[i]));
    for (int o = 0; o < op->n_out; o++)
        MW_TRY(plan_link(state, &own->out[o],
                         &state->tensor[op->out[o].tensor].flat));
    return MW_OK;
}

mw_status mw_names_plan(mw_names_state *state)
{
    mw_map_init(&state->merged, state->arena);
    for (mw_id t = 0; t < state->placed->n_tensors; t++)
        MW_TRY(plan_tensor(state, t));
    for (mw_id id = 0; id < state->placed->n_ops; id++)
        if (state->op[id].letter)
            MW_TRY(plan_op(state, id));
    return MW_OK;
}
