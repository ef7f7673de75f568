/*
 * update.h - fused updates: a row gives what is done to one element of a weight
 * and its states, and gets one pass in place over all of them.
 *
 * Operands: the tensors that are updated first, then the gradient, then scalars
 * (tensors without dimensions) of the states' dtype, then `apply`, a bool:
 * where it is false everything stays as it was. All tensors have the weight's
 * dimensions; the gradient may be of another float dtype.
 */
#ifndef MW_IR_UPDATE_H
#define MW_IR_UPDATE_H

#include "ir/op.h"

enum { MW_UPDATE_TENSORS = 3, MW_UPDATE_SCALARS = 12 };

typedef struct mw_update {
    int n_tensors;            /* updated */
    int n_scalars;            /* operands */
    const char *const *attrs; /* FLOAT attributes by name, after the scalars */
    /* x[0..n_tensors): an element of each tensor, changed in place; g: of the
     * gradient; s[]: scalars, then attributes. */
    void (*step)(double x[], double g, const double s[]);
} mw_update;

mw_status mw_update_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
mw_status mw_update_place(mw_graph *graph, mw_op *op,
                          mw_tensor out[]) MW_MUST_CHECK;
void mw_update_ref(const mw_op *op, const mw_view in[], mw_view out[]);

/* The scalars and attributes of a call, as `step` takes them; false where it
 * updates nothing. */
bool mw_update_scalars(const mw_op *op, const mw_view in[],
                       double scalar[MW_UPDATE_SCALARS]);

extern const int8_t mw_update_targets[MW_UPDATE_TENSORS];

/* n: tensors updated, m: scalars. */
#define MW_UPDATE_ROW(n, m)                                                    \
    .family = "update", .min_in = (n) + (m) + 2, .max_in = (n) + (m) + 2,      \
    .n_out = (n), .place = mw_update_place, .bind = mw_update_bind,            \
    .ref = mw_update_ref, .updates = mw_update_targets,                        \
    .no_grad = "it is what training does"

#endif
