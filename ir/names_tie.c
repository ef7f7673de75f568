/* names_tie.c - equal layers share dimensions.
 *
 * Colour refinement: an atom's next colour is its colour and the *set* of the
 * places it takes in ops, a place being the op's kind, the position, and the
 * colours of all that the op touches. A set and not a multiset, so that the
 * first and last layers do not differ from those between. At the fixed point
 * atoms of one colour that do not interfere become one class.
 * A round costs O(n log n) in the axes of the graph; few rounds are needed. */
#include "base/hash.h"
#include "ir/names_state.h"

#include <stdlib.h>

typedef struct place {
    mw_id atom;
    int op; /* in the order of the pass */
    uint64_t where;
} place;

typedef struct tie {
    mw_names_state *state;
    place *place; /* by op */
    int64_t n, cap;
    uint64_t *colour; /* by atom */
    place *seen;      /* scratch of a round: where is the hash of a place */
} tie;

static mw_status add_places(tie *t, int op, uint64_t where, mw_factors list)
{
    mw_id atom[MW_MAX_FACTORS];
    int n = mw_atoms_expand(&t->state->atoms, list, atom);
    for (int i = 0; i < n; i++) {
        place *grown = mw_arena_reserve(t->state->arena, t->place, t->n,
                                        &t->cap, sizeof *grown);
        if (!grown)
            return MW_ENOMEM;
        t->place = grown;
        grown[t->n++] = (place){atom[i], op, mw_hash_int(where, i)};
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
        MW_TRY(add_places(t, k, where, met[a]));
    }
    return MW_OK;
}

static mw_status all_places(tie *t)
{
    for (int k = 0; k < t->state->n_order; k++) {
        const mw_op *op = &t->state->placed->op[t->state->order[k]];
        for (int i = 0; i < op->n_in; i++)
            MW_TRY(operand_places(t, k, i, &op->in[i]));
        for (int o = 0; o < op->n_out; o++)
            MW_TRY(operand_places(t, k, op->n_in + o, &op->out[o]));
    }
    return MW_OK;
}

static int by_atom(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->atom != y->atom)
        return x->atom < y->atom ? -1 : 1;
    return (x->where > y->where) - (x->where < y->where);
}

// Places [first, last) of one op as hashes that an op of the same kind and
// colours shares.
static void op_round(tie *t, int64_t first, int64_t last)
{
    const mw_names_state *state = t->state;
    const mw_op *op = &state->placed->op[state->order[t->place[first].op]];
    uint64_t kind = mw_hash_text(0, op->def->name);
    for (int64_t i = first; i < last; i++) {
        const place *p = &t->place[i];
        kind = mw_hash_int(kind, (int64_t)p->where);
        kind = mw_hash_int(kind, (int64_t)t->colour[p->atom]);
    }
    for (int64_t i = first; i < last; i++) {
        t->seen[i] = t->place[i];
        t->seen[i].where = mw_hash_int(kind, (int64_t)t->place[i].where);
    }
}

static void refine(tie *t)
{
    for (int64_t i = 0; i < t->n;) {
        int64_t first = i;
        while (i < t->n && t->place[i].op == t->place[first].op)
            i++;
        op_round(t, first, i);
    }
    qsort(t->seen, (size_t)t->n, sizeof *t->seen, by_atom);
    for (int64_t i = 0; i < t->n; i++) {
        const place *p = &t->seen[i];
        bool again = i > 0 && p[-1].atom == p->atom && p[-1].where == p->where;
        if (!again)
            t->colour[p->atom] =
                mw_hash_int(t->colour[p->atom], (int64_t)p->where);
    }
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

// Standing atoms by colour and age; how many, and how many colours.
static int64_t sort_colours(const tie *t, coloured *sorted, int64_t *n_colours)
{
    const mw_atoms *atoms = &t->state->atoms;
    int64_t n = 0;
    for (mw_id a = 0; a < atoms->n; a++)
        if (atoms->atom[a].parent == a && atoms->atom[a].n_kids == 0)
            sorted[n++] = (coloured){t->colour[a], a};
    qsort(sorted, (size_t)n, sizeof *sorted, by_colour);
    *n_colours = n > 0;
    for (int64_t i = 1; i < n; i++)
        *n_colours += sorted[i].colour != sorted[i - 1].colour;
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
    int64_t n_atoms = state->atoms.n, n_colours = 0;
    t.colour = MW_NEW_ARRAY(state->arena, n_atoms + 1, uint64_t);
    coloured *sorted = MW_NEW_ARRAY(state->arena, n_atoms + 1, coloured);
    if (!t.colour || !sorted)
        return MW_ENOMEM;
    MW_TRY(all_places(&t));
    t.seen = MW_NEW_ARRAY(state->arena, t.n + 1, place);
    if (!t.seen)
        return MW_ENOMEM;
    for (int64_t a = 0; a < n_atoms; a++)
        t.colour[a] = first_colour(&state->atoms.atom[a]);
    int64_t n = sort_colours(&t, sorted, &n_colours), before = 0;
    while (n_colours > before) {
        before = n_colours;
        refine(&t);
        n = sort_colours(&t, sorted, &n_colours);
    }
    for (int64_t i = 0; i < n;) {
        int64_t first = i;
        while (i < n && sorted[i].colour == sorted[first].colour)
            i++;
        MW_TRY(join(&state->atoms, sorted + first, i - first));
    }
    return MW_OK;
}
