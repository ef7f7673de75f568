/* names_tie.c - equal layers share dimensions.
 *
 * Atoms are told apart by the *set* of the places they take in ops, a place
 * being the op's kind, the position, and the same of all that the op touches
 * (base/refine.h). A set and not a multiset, so that the first and last layers
 * do not differ from those between. Atoms that are not told apart and do not
 * interfere become one class. */
#include "base/hash.h"
#include "base/refine.h"
#include "ir/names_state.h"

#include <stdlib.h>

typedef struct tie {
    mw_names_state *state;
    mw_refine_place *place; /* by op, in the order of the pass */
    int64_t n, cap;
    int64_t *first; /* place of an op */
    uint64_t *kind; /* of an op */
} tie;

static mw_status add_places(tie *t, uint64_t where, mw_factors list)
{
    mw_id atom[MW_MAX_FACTORS];
    int n = mw_atoms_expand(&t->state->atoms, list, atom);
    for (int i = 0; i < n; i++) {
        mw_refine_place *grown = mw_arena_reserve(t->state->arena, t->place,
                                                  t->n, &t->cap, sizeof *grown);
        if (!grown)
            return MW_ENOMEM;
        t->place = grown;
        grown[t->n++] = (mw_refine_place){atom[i], mw_hash_int(where, i)};
    }
    return MW_OK;
}

// Places that op number k of the order has for the axes of an operand.
static mw_status operand_places(tie *t, int k, int at, const mw_operand *use)
{
    const mw_names_state *state = t->state;
    const mw_factors *met = state->op[state->order[k]].met[at];
    int rank = state->placed->tensor[use->tensor].rank;
    for (int a = 0; a < rank; a++) {
        uint64_t where = mw_hash_int(mw_hash_int(0, at), a);
        MW_TRY(add_places(t, where, met[a]));
    }
    return MW_OK;
}

static mw_status all_places(tie *t)
{
    const mw_names_state *state = t->state;
    t->first = MW_NEW_ARRAY(state->arena, state->n_order + 1, int64_t);
    t->kind = MW_NEW_ARRAY(state->arena, state->n_order + 1, uint64_t);
    if (!t->first || !t->kind)
        return MW_ENOMEM;
    for (int k = 0; k < state->n_order; k++) {
        const mw_op *op = &state->placed->op[state->order[k]];
        t->first[k] = t->n;
        t->kind[k] = mw_hash_text(0, op->def->name);
        for (int i = 0; i < op->n_in; i++)
            MW_TRY(operand_places(t, k, i, &op->in[i]));
        for (int o = 0; o < op->n_out; o++)
            MW_TRY(operand_places(t, k, op->n_in + o, &op->out[o]));
    }
    t->first[state->n_order] = t->n;
    return MW_OK;
}

typedef struct coloured {
    uint64_t colour;
    mw_id atom;
} coloured;

static int by_colour(const void *a, const void *b)
{
    const coloured *x = a, *y = b;
    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    return (x->atom > y->atom) - (x->atom < y->atom);
}

// Standing atoms by colour and age; how many.
static int64_t sort_colours(const mw_atoms *atoms, const uint64_t *colour,
                            coloured *sorted)
{
    int64_t n = 0;
    for (mw_id a = 0; a < atoms->n; a++)
        if (atoms->atom[a].parent == a && atoms->atom[a].n_kids == 0)
            sorted[n++] = (coloured){colour[a], a};
    qsort(sorted, (size_t)n, sizeof *sorted, by_colour);
    return n;
}

// Each atom of a colour joins the oldest one that it may.
static mw_status join(mw_atoms *atoms, const coloured *sorted, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        for (int64_t k = 0; k < i; k++) {
            mw_id a = sorted[k].atom, b = sorted[i].atom;
            if (mw_atoms_find(atoms, a) != a ||
                atoms->atom[a].size != atoms->atom[b].size ||
                mw_atoms_interfere(atoms, a, b))
                continue;
            MW_TRY(mw_atoms_union(atoms, a, b));
            break;
        }
    }
    return MW_OK;
}

static uint64_t first_colour(const mw_atom *atom)
{
    uint64_t colour = mw_hash_int(0, atom->size);
    colour = mw_hash_int(colour, atom->alias_of != MW_NONE);
    return atom->symbol ? mw_hash_text(colour, atom->symbol) : colour;
}

mw_status mw_names_tie(mw_names_state *state)
{
    tie t = {.state = state};
    mw_atoms *atoms = &state->atoms;
    uint64_t *colour = MW_NEW_ARRAY(state->arena, atoms->n + 1, uint64_t);
    coloured *sorted = MW_NEW_ARRAY(state->arena, atoms->n + 1, coloured);
    if (!colour || !sorted)
        return MW_ENOMEM;
    MW_TRY(all_places(&t));
    for (mw_id a = 0; a < atoms->n; a++)
        colour[a] = first_colour(&atoms->atom[a]);
    MW_TRY(mw_refine_run(state->arena, &(mw_refine){.n_items = atoms->n,
                                                    .n_groups = state->n_order,
                                                    .kind = t.kind,
                                                    .first = t.first,
                                                    .place = t.place,
                                                    .class = colour}));
    int64_t n = sort_colours(atoms, colour, sorted);
    for (int64_t i = 0; i < n;) {
        int64_t first = i;
        while (i < n && sorted[i].colour == sorted[first].colour)
            i++;
        MW_TRY(join(atoms, sorted + first, i - first));
    }
    return MW_OK;
}
