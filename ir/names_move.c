/* names_move.c - reshape, slice, pad and concat: axes whose atoms follow from
 * sizes and bounds, not from letters. */
#include "ir/names_state.h"

#include <string.h>

bool mw_names_is(const mw_op *op, const char *name)
{
    return strcmp(op->def->name, name) == 0;
}

int mw_names_axis(const mw_graph *placed, const mw_op *op)
{
    int64_t axis = mw_op_attr_int(op, "axis", 0);
    int rank = placed->tensor[op->in[0].tensor].rank;
    return (int)(axis < 0 ? axis + rank : axis);
}

/* ---- reshape ------------------------------------------------------------- */

typedef struct reshape {
    mw_names_state *state;
    const mw_tensor *out;
    mw_factors *axis;         /* of out, to be set */
    mw_id in[MW_MAX_FACTORS]; /* flat atoms of the input */
    int n_in;
} reshape;

static int64_t atom_size(const reshape *r, int i)
{
    return r->state->atoms.atom[r->in[i]].size;
}

// Gives output axes [first, last) the atoms in turn; their boundaries agree.
static mw_status deal(reshape *r, const mw_id *atom, int first, int last)
{
    for (int a = first; a < last; a++) {
        int64_t size = 1;
        int n = 0;
        while (size < r->out->axis[a].size)
            size *= r->state->atoms.atom[atom[n++]].size;
        MW_TRY(mw_atoms_list(&r->state->atoms, atom, n, &r->axis[a]));
        atom += n;
    }
    return MW_OK;
}

// Atoms [i0, i1) have the product of output axes [a0, a1).
static mw_status reshape_segment(reshape *r, int i0, int i1, int a0, int a1)
{
    int64_t size[MW_MAX_RANK];
    for (int a = a0; a < a1; a++)
        size[a - a0] = r->out->axis[a].size;
    bool fits;
    MW_TRY(mw_atoms_chain(&r->state->atoms, r->in + i0, i1 - i0, size, a1 - a0,
                          &fits));
    if (!fits) {
        for (int a = a0; a < a1; a++)
            MW_TRY(mw_atoms_fresh(&r->state->atoms, size[a - a0], &r->axis[a]));
        return MW_OK;
    }
    mw_id atom[MW_MAX_FACTORS];
    (void)mw_atoms_expand(&r->state->atoms, (mw_factors){i1 - i0, r->in + i0},
                          atom);
    return deal(r, atom, a0, a1);
}

static mw_status reshape_full(reshape *r)
{
    int i = 0, a = 0, rank = r->out->rank;
    while (i < r->n_in) {
        int i0 = i, a0 = a;
        int64_t p = atom_size(r, i++), q = r->out->axis[a++].size;
        while (p != q) {
            if (p < q)
                p *= atom_size(r, i++);
            else
                q *= r->out->axis[a++].size;
        }
        MW_TRY(reshape_segment(r, i0, i, a0, a));
    }
    for (; a < rank; a++)
        MW_TRY(mw_atoms_fresh(&r->state->atoms, 1, &r->axis[a]));
    return MW_OK;
}

// Without elements, leading and trailing axes of equal size stay.
static mw_status reshape_empty(reshape *r, const mw_names_tensor *in,
                               const mw_tensor *shape)
{
    int rank = r->out->rank, head = 0, tail = 0;
    int least = rank < shape->rank ? rank : shape->rank;
    while (head < least && shape->axis[head].size == r->out->axis[head].size)
        head++;
    while (head + tail < least && shape->axis[shape->rank - 1 - tail].size ==
                                      r->out->axis[rank - 1 - tail].size)
        tail++;
    for (int a = 0; a < rank; a++) {
        if (a < head)
            r->axis[a] = in->axis[a];
        else if (a >= rank - tail)
            r->axis[a] = in->axis[a - rank + shape->rank];
        else
            MW_TRY(mw_atoms_fresh(&r->state->atoms, r->out->axis[a].size,
                                  &r->axis[a]));
    }
    return MW_OK;
}

mw_status mw_names_reshape(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    const mw_tensor *shape = &state->placed->tensor[op->in[0].tensor];
    const mw_names_tensor *in = &state->tensor[op->in[0].tensor];
    reshape r = {
        .state = state,
        .out = &state->placed->tensor[op->out[0].tensor],
        .axis = state->tensor[op->out[0].tensor].axis,
    };
    if (mw_tensor_elements(shape) == 0) {
        MW_TRY(reshape_empty(&r, in, shape));
    } else {
        for (int a = 0; a < shape->rank; a++)
            r.n_in +=
                mw_atoms_expand(&state->atoms, in->axis[a], r.in + r.n_in);
        MW_TRY(reshape_full(&r));
    }
    return mw_atoms_lists_apart(&state->atoms, r.axis, r.out->rank);
}

/* ---- slice, pad, concat -------------------------------------------------- */

typedef struct bounds {
    int axis;
    int64_t start, step, count;
} bounds;

static bounds bounds_of(const mw_graph *placed, const mw_op *op)
{
    return (bounds){.axis = mw_names_axis(placed, op),
                    .start = mw_op_attr_int(op, "start", 0),
                    .step = mw_op_attr_int(op, "step", 1),
                    .count = mw_op_attr_int(op, "count", 0)};
}

// Marks which tiles of `like` the slices of a tensor are; all there are?
static bool tiles_all(const mw_names_state *state, const mw_op *op, bounds like,
                      bool *tile, int64_t n_tiles)
{
    const mw_graph *placed = state->placed;
    int64_t n = 0;
    mw_id s = state->tensor[op->in[0].tensor].slices;
    for (; s != MW_NONE; s = state->next_slice[s]) {
        bounds b = bounds_of(placed, &placed->op[s]);
        if (b.axis != like.axis || b.step != 1 || b.count != like.count ||
            b.start % b.count != 0 || tile[b.start / b.count])
            continue;
        tile[b.start / b.count] = true;
        n++;
    }
    return n == n_tiles;
}

mw_status mw_names_tiles(mw_names_state *state, const mw_op *op)
{
    bounds b = bounds_of(state->placed, op);
    mw_id t = op->in[0].tensor;
    int64_t size = state->placed->tensor[t].axis[b.axis].size;
    if (b.step != 1 || b.count < 2 || b.count == size || size % b.count != 0)
        return MW_OK;
    int64_t n_tiles = size / b.count;
    if (n_tiles > state->placed->n_ops)
        return MW_OK;
    bool *tile = MW_NEW_ARRAY(state->arena, n_tiles, bool);
    if (!tile)
        return MW_ENOMEM;
    if (!tiles_all(state, op, b, tile, n_tiles))
        return MW_OK;
    mw_id parts[2];
    mw_factors list;
    bool same;
    MW_TRY(mw_atoms_add(&state->atoms, n_tiles, &parts[0]));
    MW_TRY(mw_atoms_add(&state->atoms, b.count, &parts[1]));
    state->atoms.atom[parts[0]].vote[MW_VOTE_PARTS]++;
    MW_TRY(mw_atoms_list(&state->atoms, parts, 2, &list));
    return mw_atoms_unify(&state->atoms, state->tensor[t].axis[b.axis], list,
                          &same);
}

// Bounds of the op along its axis are multiples of `unit`.
static bool aligned(const mw_op *op, int64_t unit)
{
    if (mw_names_is(op, "slice"))
        return unit == 1 || (mw_op_attr_int(op, "step", 1) == 1 &&
                             mw_op_attr_int(op, "start", 0) % unit == 0 &&
                             mw_op_attr_int(op, "count", 0) % unit == 0);
    if (mw_names_is(op, "pad"))
        return mw_op_attr_int(op, "before", 0) % unit == 0 &&
               mw_op_attr_int(op, "after", 0) % unit == 0;
    return true;
}

int mw_names_suffix(const mw_names_state *state, const mw_op *op,
                    const mw_factors list[], int n, int most)
{
    mw_id last[MW_MAX_FACTORS], atom[MW_MAX_FACTORS];
    int n_last = mw_atoms_expand(&state->atoms, list[n - 1], last);
    int common = n_last < most ? n_last : most;
    for (int i = 0; i + 1 < n; i++) {
        int k = mw_atoms_expand(&state->atoms, list[i], atom), same = 0;
        while (same < common && same < k &&
               atom[k - 1 - same] == last[n_last - 1 - same])
            same++;
        common = same;
    }
    int best = 0;
    int64_t unit = 1;
    for (int i = 1; i <= common; i++) {
        unit *= state->atoms.atom[last[n_last - i]].size;
        if (unit > 0 && aligned(op, unit))
            best = i;
    }
    return best;
}

// The lists of the inputs' axes, those of extent 0 left out.
static mw_factors *input_lists(mw_names_state *state, const mw_op *op, int *n)
{
    mw_factors *list = MW_NEW_ARRAY(state->arena, op->n_in, mw_factors);
    int axis = mw_names_axis(state->placed, op);
    *n = 0;
    for (int i = 0; list && i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (state->placed->tensor[t].axis[axis].size != 0)
            list[(*n)++] = state->tensor[t].axis[axis];
    }
    return list;
}

// Nothing is moved: the bounds are the axis's own.
static bool is_whole(const mw_op *op, int64_t size_in, int64_t size_out)
{
    if (op->n_in > 1 || size_in != size_out)
        return false;
    return mw_names_is(op, "pad") ? mw_op_attr_int(op, "before", 0) == 0
                                  : mw_op_attr_int(op, "step", 1) == 1;
}

// The first atom of the longest of the lists that are not kept whole; MW_NONE
// when all are.
static mw_id moved_from(const mw_names_state *state, const mw_factors list[],
                        int n, int kept)
{
    mw_id atom[MW_MAX_FACTORS], from = MW_NONE;
    int64_t longest = 0;
    for (int i = 0; i < n; i++) {
        int k = mw_atoms_expand(&state->atoms, list[i], atom);
        int64_t size = 1;
        for (int a = 0; a < k; a++)
            size *= state->atoms.atom[atom[a]].size;
        if (k > kept && size > longest) {
            longest = size;
            from = atom[0];
        }
    }
    return from;
}

// The atom in front of what is kept, of `size`.
static mw_status moved_head(mw_names_state *state, const mw_op *op,
                            int64_t size, mw_id from, mw_id *head)
{
    MW_TRY(mw_atoms_add(&state->atoms, size, head));
    mw_atom *atom = &state->atoms.atom[*head];
    if (from != MW_NONE) {
        atom->of = from;
        atom->how = op->def->name;
    }
    atom->vote[MW_VOTE_PARTS] += from == MW_NONE && op->n_in > 1;
    return MW_OK;
}

mw_status mw_names_moved(mw_names_state *state, const mw_op *op,
                         mw_factors *list)
{
    mw_atoms *atoms = &state->atoms;
    const mw_graph *placed = state->placed;
    int axis = mw_names_axis(placed, op), n, n_out = 0;
    int64_t size = placed->tensor[op->out[0].tensor].axis[axis].size;
    mw_factors *in = input_lists(state, op, &n);
    if (!in)
        return MW_ENOMEM;
    if (n == 0 || size == 0)
        return mw_atoms_fresh(atoms, size, list);
    if (is_whole(op, placed->tensor[op->in[0].tensor].axis[axis].size, size)) {
        *list = in[0];
        return MW_OK;
    }
    mw_id atom[MW_MAX_FACTORS], out[MW_MAX_FACTORS + 1];
    int n_atoms = mw_atoms_expand(atoms, in[0], atom);
    int kept = mw_names_suffix(state, op, in, n, n_atoms - (n == 1));
    const mw_id *tail = atom + n_atoms - kept;
    for (int i = 0; i < kept; i++)
        size /= atoms->atom[tail[i]].size;
    if (size != 1)
        MW_TRY(moved_head(state, op, size, moved_from(state, in, n, kept),
                          &out[n_out++]));
    for (int i = 0; i < kept; i++)
        out[n_out++] = tail[i];
    return mw_atoms_list(atoms, out, n_out, list);
}
