/* names_vote.c - what part each atom plays in the ops that it is in.
 *
 * A table axis of a look-up is a vocabulary, a batch letter of a product of two
 * activations counts heads, what a norm sums over is the model's width, ….
 * Most votes win, ties go to the first kind. */
#include "ir/names_state.h"

#include <string.h>

#include "ir/names_vote.h"
#include "ir/scan.h"

typedef struct letter_use {
    int in[2]; /* axis in the first two operands, or MW_NONE */
    int out;
} letter_use;

static int axis_of(const mw_graph *placed, const mw_operand *use, int letter)
{
    for (int a = 0; a < placed->tensor[use->tensor].rank; a++)
        if (use->letter[a] == letter)
            return a;
    return MW_NONE;
}

static letter_use use_of(const mw_graph *placed, const mw_op *op, int letter)
{
    letter_use use = {.in = {MW_NONE, MW_NONE}};
    for (int i = 0; i < op->n_in && i < 2; i++)
        use.in[i] = axis_of(placed, &op->in[i], letter);
    use.out = axis_of(placed, &op->out[0], letter);
    return use;
}

static void vote(mw_names_state *state, mw_factors list, mw_vote what, int n)
{
    mw_id atom[MW_MAX_FACTORS];
    int k = mw_atoms_expand(&state->atoms, list, atom);
    for (int i = 0; i < k; i++)
        state->atoms.atom[atom[i]].vote[what] += n;
}

static void mark(const mw_names_state *state, mw_factors list, bool *flag)
{
    mw_id atom[MW_MAX_FACTORS];
    int k = mw_atoms_expand(&state->atoms, list, atom);
    for (int i = 0; i < k; i++)
        flag[atom[i]] = true;
}

static bool is_one(const mw_names_state *state, mw_factors list)
{
    mw_id atom[MW_MAX_FACTORS];
    return mw_atoms_expand(&state->atoms, list, atom) == 1;
}

static bool is_param(const mw_names_state *state, const mw_operand *use)
{
    return state->tensor[use->tensor].param;
}

// Batch letters of a product of activations: the first is the batch.
static void vote_heads(mw_names_state *state, mw_factors list, int axis)
{
    mw_id atom[MW_MAX_FACTORS];
    int n = mw_atoms_expand(&state->atoms, list, atom);
    for (int i = axis == 0; i < n; i++)
        state->atoms.atom[atom[i]].vote[MW_VOTE_HEADS] += 4;
}

static void vote_contraction(mw_names_state *state, mw_id id, mw_roles *r)
{
    const mw_op *op = &state->placed->op[id];
    if (op->n_in != 2)
        return;
    bool weight[2] = {is_param(state, &op->in[0]), is_param(state, &op->in[1])};
    // A gradient of weights that are inputs contracts examples.
    bool batched = !r->arguments;
    for (int l = 0; l < op->n_letters; l++) {
        letter_use use = use_of(state->placed, op, l);
        batched = batched || (use.in[0] != MW_NONE && use.in[1] != MW_NONE &&
                              use.out != MW_NONE);
    }
    for (int l = 0; l < op->n_letters; l++) {
        mw_factors list = state->op[id].letter[l];
        letter_use use = use_of(state->placed, op, l);
        bool both = use.in[0] != MW_NONE && use.in[1] != MW_NONE;
        if (weight[0] != weight[1]) {
            if (both && use.out == MW_NONE)
                mark(state, list, r->consumed);
            else if (use.in[weight[1]] != MW_NONE && use.out != MW_NONE)
                mark(state, list, r->produced);
        } else if (!weight[0] && batched) {
            if (both && use.out == MW_NONE)
                vote(state, list, MW_VOTE_D_HEAD, 3);
            else if (both)
                vote_heads(state, list, use.out);
            else if (use.in[1] == MW_NONE)
                vote(state, list, MW_VOTE_SEQ, 1);
            else
                vote(state, list, MW_VOTE_D_HEAD, 2);
        }
    }
}

static void vote_window(mw_names_state *state, mw_id id)
{
    static const mw_vote space[] = {MW_VOTE_SPACE_W, MW_VOTE_SPACE_H,
                                    MW_VOTE_SPACE_D};
    const mw_op *op = &state->placed->op[id];
    int rank = state->placed->tensor[op->in[0].tensor].rank;
    for (int a = 2; a < rank && rank - 1 - a < 3; a++) {
        mw_id in = op->in[0].tensor, out = op->out[0].tensor;
        vote(state, state->tensor[in].axis[a], space[rank - 1 - a], 1);
        vote(state, state->tensor[out].axis[a], space[rank - 1 - a], 1);
    }
    for (int i = 0; i < 2 && rank > 1; i++) {
        mw_id t = i == 0 ? op->in[0].tensor : op->out[0].tensor;
        vote(state, state->tensor[t].axis[1], MW_VOTE_CHANNEL, 2);
    }
}

// A loop runs over a sequence and keeps [batch, hidden] from step to step. What
// a step gets for itself has these too, behind a recurrent cell's gates.
static void vote_scan(mw_names_state *state, mw_id id)
{
    const mw_op *op = &state->placed->op[id];
    int carries = mw_scan_carries(op);
    int kept = carries ? state->placed->tensor[op->in[0].tensor].rank : 0;
    for (int i = 0; i < op->n_in && kept > 1; i++) {
        const mw_operand *use = &op->in[i];
        bool scanned = mw_scan_is_scanned(op, i);
        int rank = state->placed->tensor[use->tensor].rank;
        for (int a = 0; a < rank && (scanned || i < carries); a++) {
            if (use->letter[a] == MW_NONE)
                continue;
            mw_factors list = state->op[id].letter[use->letter[a]];
            if (scanned && a == 0)
                vote(state, list, MW_VOTE_SEQ, 6);
            else if (a == rank - 1)
                vote(state, list, MW_VOTE_HIDDEN, 6);
            else if (a == rank - kept)
                vote(state, list, MW_VOTE_BATCH, 4);
            else if (scanned)
                vote(state, list, MW_VOTE_GATES, 6);
        }
    }
}

static void vote_op(mw_names_state *state, mw_id id, mw_roles *r)
{
    const mw_op *op = &state->placed->op[id];
    const char *family = op->def->family;
    if (strcmp(family, "contraction") == 0)
        vote_contraction(state, id, r);
    if (strcmp(family, "window") == 0)
        vote_window(state, id);
    if (mw_names_is(op, "scan"))
        vote_scan(state, id);
    for (int l = 0; l < op->n_letters; l++) {
        letter_use use = use_of(state->placed, op, l);
        mw_factors list = state->op[id].letter[l];
        if (use.out != MW_NONE)
            continue;
        if (strcmp(family, "index") == 0 && is_param(state, &op->in[0]))
            vote(state, list, MW_VOTE_VOCAB, 5);
        // Layer norms sum over what they normalise; a softmax also takes the
        // greatest of it.
        if (mw_names_is(op, "reduce_sum") && !is_param(state, &op->in[0]) &&
            is_one(state, list))
            vote(state, list, MW_VOTE_NORMALISED, 2);
        if (mw_names_is(op, "reduce_max"))
            mark(state, list, r->softmaxed);
    }
}

static void mark_operand(mw_names_state *state, const mw_op *op,
                         const mw_operand *use, const mw_flat *flat,
                         mw_roles *r)
{
    for (int i = 0; i < flat->rank; i++)
        r->used[flat->atom[i]] = true;
    for (int a = 0; a < flat->n_axes; a++) {
        int letter = use->letter[a];
        // A reshape is a view, or gives axes that do not fit fresh atoms.
        bool tap = mw_names_is(op, "reshape") ||
                   (letter != MW_NONE && op->letter[letter].pinned);
        for (int i = flat->first[a]; i < flat->first[a] + flat->count[a]; i++) {
            if (!tap)
                r->open[flat->atom[i]] = true;
            if (state->tensor[use->tensor].param)
                r->param[flat->atom[i]] = true;
        }
    }
}

static void mark_tensors(mw_names_state *state, mw_roles *r)
{
    for (mw_id t = 0; t < state->placed->n_tensors; t++) {
        const mw_tensor *tensor = &state->placed->tensor[t];
        const mw_flat *flat = &state->tensor[t].flat;
        r->arguments = r->arguments || tensor->weight;
        bool input = tensor->role == MW_ROLE_INPUT && !tensor->weight;
        for (int i = 0; input && i < flat->rank; i++)
            r->used[flat->atom[i]] = r->open[flat->atom[i]] =
                r->input[flat->atom[i]] = true;
        if (tensor->output && flat->rank > 0)
            r->result[flat->atom[flat->rank - 1]] = true;
        for (int i = 0; tensor->output && i < flat->rank; i++)
            r->open[flat->atom[i]] = true;
        if (!input || tensor->rank == 0)
            continue;
        vote(state, state->tensor[t].axis[0], MW_VOTE_BATCH, 1);
        if (tensor->rank == 2 && !mw_dtype_is_float(tensor->dtype))
            vote(state, state->tensor[t].axis[1], MW_VOTE_SEQ, 1);
        if (tensor->rank == 3)
            mark(state, state->tensor[t].axis[1], r->middle);
    }
}

static mw_status new_flags(mw_names_state *state, mw_roles *r)
{
    bool **flag[] = {&r->open,      &r->used,     &r->param,
                     &r->produced,  &r->consumed, &r->result,
                     &r->softmaxed, &r->input,    &r->middle};
    for (size_t i = 0; i < sizeof flag / sizeof flag[0]; i++) {
        *flag[i] = MW_NEW_ARRAY(state->arena, state->atoms.n + 1, bool);
        if (!*flag[i])
            return MW_ENOMEM;
    }
    return MW_OK;
}

// What votes are worth beside the flags: a norm's axis is one of weights, what
// a softmax runs over is a sequence and no width, ….
static void settle(mw_names_state *state, mw_roles *r)
{
    for (mw_id a = 0; a < state->atoms.n; a++) {
        mw_atom *atom = &state->atoms.atom[a];
        if (!r->param[a] || r->softmaxed[a])
            atom->vote[MW_VOTE_NORMALISED] = 0;
        if (r->softmaxed[a] && atom->vote[MW_VOTE_D_HEAD] > 0) {
            atom->vote[MW_VOTE_SEQ] += atom->vote[MW_VOTE_D_HEAD];
            atom->vote[MW_VOTE_D_HEAD] = 0;
        }
        if (r->produced[a] && r->consumed[a] && !r->input[a])
            atom->vote[MW_VOTE_HIDDEN] += 1;
        if (r->produced[a] && !r->consumed[a] && r->result[a])
            atom->vote[MW_VOTE_LOGITS] += 1;
        r->normalised = r->normalised || atom->vote[MW_VOTE_NORMALISED] > 0;
    }
    for (mw_id a = 0; a < state->atoms.n; a++)
        state->atoms.atom[a].vote[MW_VOTE_SEQ] += r->normalised && r->middle[a];
}

mw_status mw_names_vote(mw_names_state *state, mw_roles *r)
{
    MW_TRY(new_flags(state, r));
    mark_tensors(state, r);
    for (int k = 0; k < state->n_order; k++) {
        mw_id id = state->order[k];
        const mw_op *op = &state->placed->op[id];
        for (int i = 0; i < op->n_in; i++)
            mark_operand(state, op, &op->in[i], &state->op[id].in[i], r);
        for (int o = 0; o < op->n_out; o++)
            mark_operand(state, op, &op->out[o], &state->op[id].out[o], r);
        vote_op(state, id, r);
    }
    for (mw_id a = 0; a < state->atoms.n; a++) {
        const char *how = state->atoms.atom[a].how;
        if (how && strcmp(how, "merge") == 0)
            r->used[a] = r->open[a] = true;
    }
    settle(state, r);
    return MW_OK;
}

const char *mw_names_role(const mw_names_state *state, const mw_roles *r,
                          mw_id a)
{
    static const struct {
        const char *name;
        bool with_size;
    } by_vote[MW_N_VOTES] = {
        [MW_VOTE_VOCAB] = {"vocab", false},
        [MW_VOTE_HEADS] = {"heads", false},
        [MW_VOTE_D_HEAD] = {"d_head", false},
        [MW_VOTE_NORMALISED] = {"d_model", false},
        [MW_VOTE_PARTS] = {"parts", false},
        [MW_VOTE_GATES] = {"gates", false},
        [MW_VOTE_CHANNEL] = {"c", true},
        [MW_VOTE_SPACE_D] = {"d", true},
        [MW_VOTE_SPACE_H] = {"h", true},
        [MW_VOTE_SPACE_W] = {"w", true},
        [MW_VOTE_HIDDEN] = {"d_ff", false},
        [MW_VOTE_BATCH] = {"batch", false},
        [MW_VOTE_SEQ] = {"seq", false},
        [MW_VOTE_LOGITS] = {"logits", false},
    };
    const mw_atom *atom = &state->atoms.atom[a];
    int best = 0;
    for (int v = 1; v < MW_N_VOTES; v++)
        if (atom->vote[v] > atom->vote[best])
            best = v;
    const char *name = by_vote[best].name;
    if (atom->vote[best] <= 0)
        name = "d";
    else if (best == MW_VOTE_HIDDEN && !r->normalised)
        return "hidden";
    else if (!by_vote[best].with_size)
        return name;
    return mw_arena_format(state->arena, "%s%lld", name, (long long)atom->size);
}
