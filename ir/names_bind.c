/* names_bind.c - one pass over the ops: letters get atoms.
 *
 * The first operand axis that carries a letter gives it its atoms; the others
 * are made the same where interference allows. Where it does not, nothing is
 * noted: the op keeps the letter's atoms, the tensor its own, and the plan sees
 * that they differ. Letters of one op are different atoms: a second one gets
 * an alias, the same one in every layer. */
#include "ir/names_state.h"

#include <stdio.h>
#include <string.h>

typedef struct binding {
    const mw_op *op;
    mw_factors letter[MW_MAX_LETTERS];
    bool bound[MW_MAX_LETTERS];
    mw_id used[MW_MAX_LETTERS * MW_MAX_FACTORS]; /* atoms of bound letters */
    int n_used;
} binding;

const char *mw_names_symbol(const mw_axis *axis)
{
    const char *symbol = axis->symbol;
    if (!symbol || strspn(symbol, "-?0123456789 ") == strlen(symbol))
        return NULL;
    return symbol;
}

static bool holds(const mw_id *atom, int n, mw_id wanted)
{
    for (int i = 0; i < n; i++)
        if (atom[i] == wanted)
            return true;
    return false;
}

// The atom of a symbol and size; an alias of it when the tensor has it already.
static mw_status symbol_atom(mw_names_state *state, mw_map *symbols,
                             const mw_axis *axis, const mw_id *used, int n_used,
                             mw_id *atom)
{
    const char *symbol = mw_names_symbol(axis);
    if (!symbol)
        return mw_atoms_add(&state->atoms, axis->size, atom);
    const char *key =
        mw_arena_format(state->arena, "%s=%lld", symbol, (long long)axis->size);
    if (!key)
        return MW_ENOMEM;
    const int64_t *known = mw_map_find_text(symbols, key);
    if (known && holds(used, n_used, (mw_id)*known))
        return mw_atoms_alias(&state->atoms, (mw_id)*known, used, n_used, atom);
    if (known) {
        *atom = (mw_id)*known;
        return MW_OK;
    }
    MW_TRY(mw_atoms_add(&state->atoms, axis->size, atom));
    state->atoms.atom[*atom].symbol = symbol;
    return mw_map_put_text(symbols, key, *atom);
}

static mw_status new_axes(mw_names_state *state, mw_id t)
{
    int rank = state->placed->tensor[t].rank;
    state->tensor[t].axis =
        MW_NEW_ARRAY(state->arena, rank > 0 ? rank : 1, mw_factors);
    return state->tensor[t].axis ? MW_OK : MW_ENOMEM;
}

static mw_status bind_input(mw_names_state *state, mw_map *symbols, mw_id t)
{
    const mw_tensor *tensor = &state->placed->tensor[t];
    mw_id used[MW_MAX_RANK];
    int n_used = 0;
    MW_TRY(new_axes(state, t));
    for (int a = 0; a < tensor->rank; a++) {
        mw_id atom = MW_NONE;
        bool one = tensor->axis[a].size == 1;
        if (!one)
            MW_TRY(symbol_atom(state, symbols, &tensor->axis[a], used, n_used,
                               &atom));
        MW_TRY(mw_atoms_list(&state->atoms, &atom, !one,
                             &state->tensor[t].axis[a]));
        if (!one)
            used[n_used++] = atom;
    }
    return mw_atoms_lists_apart(&state->atoms, state->tensor[t].axis,
                                tensor->rank);
}

// Inputs, but for weights, which wait for their op as parameters do.
static bool binds_first(const mw_tensor *tensor)
{
    bool waits = tensor->weight;
    for (int a = 0; a < tensor->rank && waits; a++)
        waits = !tensor->axis[a].symbol;
    return tensor->role == MW_ROLE_INPUT && !waits;
}

mw_status mw_names_inputs(mw_names_state *state)
{
    mw_map symbols;
    mw_map_init(&symbols, state->arena);
    for (mw_id t = 0; t < state->placed->n_tensors; t++)
        if (binds_first(&state->placed->tensor[t]))
            MW_TRY(bind_input(state, &symbols, t));
    return MW_OK;
}

mw_status mw_names_meet(mw_names_state *state, mw_id t)
{
    if (state->tensor[t].axis)
        return MW_OK;
    const mw_tensor *tensor = &state->placed->tensor[t];
    MW_TRY(new_axes(state, t));
    for (int a = 0; a < tensor->rank; a++)
        MW_TRY(mw_atoms_fresh(&state->atoms, tensor->axis[a].size,
                              &state->tensor[t].axis[a]));
    state->tensor[t].param = mw_tensor_is_weight(tensor);
    return mw_atoms_lists_apart(&state->atoms, state->tensor[t].axis,
                                tensor->rank);
}

// Gives a letter a list's atoms, aliases where other letters have them.
static mw_status take(mw_names_state *state, binding *bind, int letter,
                      mw_factors list)
{
    mw_id own[MW_MAX_FACTORS], *used = bind->used;
    int n = mw_atoms_expand(&state->atoms, list, own);
    for (int i = 0; i < n; i++) {
        if (holds(used, bind->n_used, own[i]))
            MW_TRY(mw_atoms_alias(&state->atoms, own[i], used, bind->n_used,
                                  &own[i]));
        for (int u = 0; u < bind->n_used; u++)
            MW_TRY(mw_atoms_keep_apart(&state->atoms, own[i], used[u]));
        used[bind->n_used++] = own[i];
    }
    bind->bound[letter] = true;
    return mw_atoms_list(&state->atoms, own, n, &bind->letter[letter]);
}

// A letter takes part in an axis unless the axis is a window; windows of
// convolutions keep their class where the extent does not change.
static bool carries(const mw_names_state *state, const mw_op *op, int i, int a)
{
    const mw_operand *in = &op->in[i];
    if (in->letter[a] == MW_NONE)
        return false;
    if (!(in->window >> a & 1))
        return true;
    return op->def->same_dim && !op->letter[in->letter[a]].pinned &&
           state->placed->tensor[in->tensor].axis[a].size ==
               op->letter[in->letter[a]].size;
}

static void refresh_used(mw_names_state *state, binding *bind)
{
    bind->n_used = 0;
    for (int l = 0; l < bind->op->n_letters; l++)
        if (bind->bound[l])
            bind->n_used += mw_atoms_expand(&state->atoms, bind->letter[l],
                                            bind->used + bind->n_used);
}

static mw_status bind_operand(mw_names_state *state, binding *bind, int i)
{
    const mw_operand *in = &bind->op->in[i];
    int rank = state->placed->tensor[in->tensor].rank;
    for (int a = 0; a < rank; a++) {
        if (!carries(state, bind->op, i, a))
            continue;
        int letter = in->letter[a];
        mw_factors list = state->tensor[in->tensor].axis[a];
        if (!bind->bound[letter]) {
            MW_TRY(take(state, bind, letter, list));
            continue;
        }
        bool same;
        MW_TRY(
            mw_atoms_unify(&state->atoms, bind->letter[letter], list, &same));
        refresh_used(state, bind);
    }
    return MW_OK;
}

// The only atom of the first input axis that is a window of a letter.
static mw_id window_atom(const mw_names_state *state, const mw_op *op,
                         int letter)
{
    for (int i = 0; i < op->n_in; i++) {
        const mw_operand *in = &op->in[i];
        int rank = state->placed->tensor[in->tensor].rank;
        for (int a = 0; a < rank; a++) {
            mw_id atom[MW_MAX_FACTORS];
            if (in->letter[a] == letter && (in->window >> a & 1) &&
                mw_atoms_expand(&state->atoms,
                                state->tensor[in->tensor].axis[a], atom) == 1)
                return atom[0];
        }
    }
    return MW_NONE;
}

static mw_status fresh_letter(mw_names_state *state, binding *bind, int letter)
{
    mw_factors list;
    MW_TRY(mw_atoms_fresh(&state->atoms, bind->op->letter[letter].size, &list));
    mw_id of = window_atom(state, bind->op, letter);
    if (list.n == 1 && of != MW_NONE) {
        state->atoms.atom[list.atom[0]].of = of;
        state->atoms.atom[list.atom[0]].how = bind->op->def->name;
    }
    return take(state, bind, letter, list);
}

static bool moves_blocks(const mw_op *op)
{
    return mw_names_is(op, "slice") || mw_names_is(op, "concat") ||
           mw_names_is(op, "pad");
}

static mw_status bind_output(mw_names_state *state, binding *bind, int o)
{
    const mw_operand *out = &bind->op->out[o];
    mw_names_tensor *tensor = &state->tensor[out->tensor];
    int rank = state->placed->tensor[out->tensor].rank;
    MW_TRY(new_axes(state, out->tensor));
    for (int a = 0; a < rank; a++) {
        int letter = out->letter[a];
        if (letter == MW_NONE)
            continue;
        if (!bind->bound[letter] && moves_blocks(bind->op)) {
            mw_factors list;
            MW_TRY(mw_names_moved(state, bind->op, &list));
            MW_TRY(take(state, bind, letter, list));
        } else if (!bind->bound[letter]) {
            MW_TRY(fresh_letter(state, bind, letter));
        }
        tensor->axis[a] = bind->letter[letter];
    }
    return mw_atoms_lists_apart(&state->atoms, tensor->axis, rank);
}

// The list of an axis that the op sees through a window: the tensor's, with
// aliases for atoms of letters that it is no window of, or the op could not
// tell by name which is meant.
static mw_status window_list(mw_names_state *state, binding *bind, int letter,
                             mw_factors *list)
{
    mw_id own[MW_MAX_FACTORS], through[MW_MAX_FACTORS];
    int n = mw_atoms_expand(&state->atoms, *list, own);
    int n_through =
        mw_atoms_expand(&state->atoms, bind->letter[letter], through);
    for (int i = 0; i < n; i++) {
        if (holds(through, n_through, own[i]))
            continue;
        if (holds(bind->used, bind->n_used, own[i]))
            MW_TRY(mw_atoms_alias(&state->atoms, own[i], bind->used,
                                  bind->n_used, &own[i]));
        for (int u = 0; u < bind->n_used; u++)
            MW_TRY(mw_atoms_keep_apart(&state->atoms, own[i], bind->used[u]));
    }
    return mw_atoms_list(&state->atoms, own, n, list);
}

// The axes of an operand as the op meets them.
static mw_status meet_axes(mw_names_state *state, binding *bind,
                           const mw_operand *use, mw_factors **met)
{
    int rank = state->placed->tensor[use->tensor].rank;
    mw_factors *list =
        MW_NEW_ARRAY(state->arena, rank > 0 ? rank : 1, mw_factors);
    if (!list)
        return MW_ENOMEM;
    refresh_used(state, bind);
    for (int a = 0; a < rank; a++) {
        int letter = use->letter[a];
        list[a] = state->tensor[use->tensor].axis[a];
        if (letter == MW_NONE)
            continue;
        if (use->window >> a & 1)
            MW_TRY(window_list(state, bind, letter, &list[a]));
        else
            list[a] = bind->letter[letter];
    }
    *met = list;
    return mw_atoms_lists_apart(&state->atoms, list, rank);
}

static mw_status meet_operands(mw_names_state *state, binding *bind, mw_id id)
{
    const mw_op *op = bind->op;
    int n = op->n_in + op->n_out;
    mw_factors **met = MW_NEW_ARRAY(state->arena, n, mw_factors *);
    if (!met)
        return MW_ENOMEM;
    state->op[id].met = met;
    for (int i = 0; i < n; i++)
        MW_TRY(meet_axes(state, bind,
                         i < op->n_in ? &op->in[i] : &op->out[i - op->n_in],
                         &met[i]));
    return MW_OK;
}

// A reshape meets its operands as they are.
static mw_status bind_reshape(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    mw_factors **met = MW_NEW_ARRAY(state->arena, 2, mw_factors *);
    if (!met)
        return MW_ENOMEM;
    MW_TRY(new_axes(state, op->out[0].tensor));
    met[0] = state->tensor[op->in[0].tensor].axis;
    met[1] = state->tensor[op->out[0].tensor].axis;
    state->op[id].met = met;
    return mw_names_reshape(state, id);
}

// So does an op that nobody knows; what it makes has dimensions of its own.
static mw_status bind_opaque(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    mw_id made = op->out[0].tensor;
    const mw_tensor *tensor = &state->placed->tensor[made];
    mw_factors **met = MW_NEW_ARRAY(state->arena, op->n_in + 1, mw_factors *);
    if (!met)
        return MW_ENOMEM;
    MW_TRY(new_axes(state, made));
    for (int a = 0; a < tensor->rank; a++)
        MW_TRY(mw_atoms_fresh(&state->atoms, tensor->axis[a].size,
                              &state->tensor[made].axis[a]));
    for (int i = 0; i < op->n_in; i++)
        met[i] = state->tensor[op->in[i].tensor].axis;
    met[op->n_in] = state->tensor[made].axis;
    state->op[id].met = met;
    return mw_atoms_lists_apart(&state->atoms, state->tensor[made].axis,
                                tensor->rank);
}

// Elements of parameters, only moved about.
static bool moves_params(const mw_names_state *state, const mw_op *op)
{
    if (strcmp(op->def->family, "move") != 0)
        return false;
    for (int i = 0; i < op->n_in; i++)
        if (!state->tensor[op->in[i].tensor].param)
            return false;
    return true;
}

mw_status mw_names_bind_op(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    mw_factors *letter = MW_NEW_ARRAY(
        state->arena, op->n_letters > 0 ? op->n_letters : 1, mw_factors);
    int *order = MW_NEW_ARRAY(state->arena, op->n_in + 1, int);
    if (!letter || !order)
        return MW_ENOMEM;
    state->op[id].letter = letter;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_names_meet(state, op->in[i].tensor));
    for (int o = 0; o < op->n_out; o++)
        state->tensor[op->out[o].tensor].param = moves_params(state, op);
    if (mw_names_is(op, "reshape"))
        return bind_reshape(state, id);
    if (op->def->opaque)
        return bind_opaque(state, id);
    if (mw_names_is(op, "slice"))
        MW_TRY(mw_names_tiles(state, op));
    binding bind = {.op = op};
    mw_names_operands(state, op, order);
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(bind_operand(state, &bind, order[i]));
    for (int o = 0; o < op->n_out; o++)
        MW_TRY(bind_output(state, &bind, o));
    MW_TRY(meet_operands(state, &bind, id));
    for (int l = 0; l < op->n_letters; l++)
        letter[l] = bind.letter[l];
    return MW_OK;
}
