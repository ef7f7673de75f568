/*
 * names_state.h - what the parts of the names pass hand to one another.
 *
 * mw_names() runs them in this order: order and inputs, bind, tie, plan of
 * uses, names, emission. The first three work on lists of atoms by placed
 * axis and letter; the plan turns them into flat axes; emission writes ops.
 */
#ifndef MW_IR_NAMES_STATE_H
#define MW_IR_NAMES_STATE_H

#include "base/map.h"
#include "ir/names.h"
#include "ir/names_atoms.h"
#include "ir/op.h"

/* Flat axes of a tensor, or of one op's use of it: atoms, and which of them a
 * placed axis became. */
typedef struct mw_flat {
    int rank, n_axes;
    mw_id atom[MW_MAX_RANK];
    int8_t first[MW_MAX_RANK], count[MW_MAX_RANK];
} mw_flat;

typedef struct mw_names_op {
    mw_factors *letter; /* by letter; NULL: no output needs the op */
    mw_factors **met;   /* by operand, inputs first, and placed axis */
    mw_flat *in, *out;  /* as the op meets its operands */
} mw_names_op;

typedef struct mw_names_tensor {
    mw_factors *axis; /* by placed axis; NULL until met */
    bool param;       /* a parameter, or made of some by moving elements */
    mw_id slices;     /* first op that slices it, or MW_NONE */
    mw_flat flat;
    mw_id named;
} mw_names_tensor;

typedef struct mw_names_state {
    const mw_graph *placed;
    mw_graph *named;
    mw_arena *arena; /* dies with the pass */
    mw_atoms atoms;
    mw_names_tensor *tensor; /* by placed tensor */
    mw_names_op *op;         /* by placed op */
    mw_id *next_slice;       /* by placed op: the next one of its tensor */
    mw_id *order;            /* ops that outputs need, see mw_names_order() */
    int n_order;
    mw_map merged;      /* atoms of a list -> the atom of their product */
    mw_id *dim;         /* by atom: its dimension, or MW_NONE */
    const char **label; /* by atom: its dimension's name, or NULL */
    mw_map views;       /* tensor and flat atoms -> named tensor */
} mw_names_state;

/* ---- names_order.c ------------------------------------------------------- */

/* Topological order that depends on the graph alone, not on its op ids: depth
 * first from the outputs by name, operands from the left. */
mw_status mw_names_order(mw_names_state *state) MW_MUST_CHECK;

/* Operands in the order in which they give letters their atoms: the older, and
 * what is renamed least gladly, first. */
void mw_names_operands(const mw_names_state *state, const mw_op *op,
                       int order[]);

/* ---- names_bind.c -------------------------------------------------------- */

/* The file's name of an axis; NULL for none, or one that says nothing. */
const char *mw_names_symbol(const mw_axis *axis);

/* Atoms for graph inputs: one for all axes of a symbol and size. */
mw_status mw_names_inputs(mw_names_state *state) MW_MUST_CHECK;

/* Atoms for a parameter or constant, if it has none yet. */
mw_status mw_names_meet(mw_names_state *state, mw_id tensor) MW_MUST_CHECK;

/* Gives every letter of an op its list of atoms and every axis of its outputs
 * theirs. Operands come in the order given. */
mw_status mw_names_bind_op(mw_names_state *state, mw_id op) MW_MUST_CHECK;

/* ---- names_move.c: the ops whose axes are no letters --------------------- */

bool mw_names_is(const mw_op *op, const char *name);

/* The axis that a slice, pad, concat or gather is about. */
int mw_names_axis(const mw_graph *placed, const mw_op *op);

mw_status mw_names_reshape(mw_names_state *state, mw_id op) MW_MUST_CHECK;

/* Before a slice is bound: cuts the axis to (parts piece) when it and its
 * sisters tile it equally. */
mw_status mw_names_tiles(mw_names_state *state, const mw_op *op) MW_MUST_CHECK;

/* The list of the output's axis that a slice, pad or concat is about: trailing
 * atoms that it moves as a whole keep their class. */
mw_status mw_names_moved(mw_names_state *state, const mw_op *op,
                         mw_factors *list) MW_MUST_CHECK;

/* How many trailing atoms, at most `most`, n lists have in common and the
 * bounds of a slice or pad do not cut. */
int mw_names_suffix(const mw_names_state *state, const mw_op *op,
                    const mw_factors list[], int n, int most);

/* ---- names_tie.c --------------------------------------------------------- */

/* Makes one class of atoms that play the same part in equal structures. */
mw_status mw_names_tie(mw_names_state *state) MW_MUST_CHECK;

/* ---- names_plan.c -------------------------------------------------------- */

/* Flat axes of every tensor and use. Where an op needs an axis of several
 * atoms as one, it gets an atom of the product.
 * MW_EINPUT: more than MW_MAX_RANK dimensions in a tensor. */
mw_status mw_names_plan(mw_names_state *state) MW_MUST_CHECK;

/* ---- names_label.c ------------------------------------------------------- */

/* Dimensions of the named graph, from votes; --name applied. */
mw_status mw_names_label(mw_names_state *state, const mw_rename_option *rename,
                         int n_renames) MW_MUST_CHECK;

/* ---- names_emit.c -------------------------------------------------------- */

mw_status mw_names_emit(mw_names_state *state) MW_MUST_CHECK;

/* The atom of the product of n: itself for one, made once for more. */
mw_status mw_names_product(mw_names_state *state, const mw_id *atom, int n,
                           mw_id *whole) MW_MUST_CHECK;

/* ---- names_step.c -------------------------------------------------------- */

enum { MW_MAX_STEPS = 3 };

/* The same atoms in the same order, however bracketed. */
bool mw_names_same_flat(const mw_flat *a, const mw_flat *b);

/* One tensor under two sets of flat axes: by which ones in turn (the last is
 * `to`) single ops lead from the first to the second. No op is needed for none.
 * Each is a rename where the sizes stay, else a reshape. */
mw_status mw_names_steps(mw_names_state *state, const mw_flat *from,
                         const mw_flat *to, mw_flat step[MW_MAX_STEPS],
                         int *n) MW_MUST_CHECK;

/* ---- names_view.c -------------------------------------------------------- */

/* NAME.suffix, numbered when taken; NULL when memory is out. */
const char *mw_names_tensor_name(mw_names_state *state, mw_id tensor,
                                 const char *suffix);

/* A new named tensor with these flat axes and the placed one's dtype; under
 * its name it is that tensor, role and values too. */
mw_status mw_names_tensor_add(mw_names_state *state, mw_id tensor,
                              const char *name, const mw_flat *flat,
                              mw_id *named) MW_MUST_CHECK;

/* A new named tensor: tensor `source`, whose flat axes are `from`, under flat
 * axes `to`. */
mw_status mw_names_link(mw_names_state *state, mw_id source,
                        const mw_flat *from, mw_id tensor, const char *name,
                        const mw_flat *to, mw_id *named) MW_MUST_CHECK;

/* The named tensor of a placed one with these flat axes: itself, or a view of
 * it made once and kept. */
mw_status mw_names_view(mw_names_state *state, mw_id tensor,
                        const mw_flat *flat, mw_id *named) MW_MUST_CHECK;

#endif
