/*
 * optimizer.h - what a row of ir/optimizers/ says, and what it builds with: one
 * file an optimizer, its states tensors of the graph.
 */
#ifndef MW_IR_OPTIMIZER_H
#define MW_IR_OPTIMIZER_H

#include "ir/grad.h"
#include "ir/schedule.h"

/* A number that may be given by name. */
typedef struct mw_hyper {
    const char *name; /* NULL ends the list */
    double otherwise;
    const char *brief;
} mw_hyper;

struct mw_updater;

/* A scalar that weights share, of a number: in f64. */
typedef mw_status mw_shared_fn(struct mw_updater *u, double of, mw_id *y);

/* While updates are built. */
typedef struct mw_updater {
    mw_grad *g;
    const double *hyper; /* by the row's order */
    mw_id step;          /* number of this update, from 1; f64 */
    mw_id rate;          /* f64 */
    mw_id scale;         /* of gradients, f64; MW_NONE: 1 */
    mw_id apply;         /* bool: this step updates */
    bool always;         /* every one does */
    struct mw_shared {
        mw_shared_fn *fn;
        double of;
        mw_dtype dtype;
        mw_id id;
    } * shared;
    int64_t n_shared, cap_shared;
} mw_updater;

typedef struct mw_optimizer_def {
    const char *name;
    const char *brief;
    double rate; /* when none is given */
    const mw_hyper *hyper;
    /* Appends the update of a weight: `grad` has its dimensions. `weight` is in
     * f32 or f64; a half float comes as its master copy. Sets the new value. */
    mw_status (*update)(mw_updater *u, mw_id weight, mw_id grad, mw_id *fresh);
} mw_optimizer_def;

extern const mw_optimizer_def *const mw_optimizer_table[];
extern const int mw_optimizer_count;

/* A state "WEIGHT/what" of these axes and their dtype. */
mw_status mw_updater_state(mw_updater *u, mw_id weight, const char *what,
                           const mw_tensor *axes, mw_id *state) MW_MUST_CHECK;
/* One that begins as the weight does, in another dtype. */
mw_status mw_updater_copy(mw_updater *u, mw_id weight, const char *what,
                          mw_dtype dtype, mw_id *state) MW_MUST_CHECK;
/* Of the weight's own axes and dtype. */
mw_status mw_updater_state_like(mw_updater *u, mw_id weight, const char *what,
                                mw_id *state) MW_MUST_CHECK;

/* fn(of) in a weight's dtype, the same tensor whenever it is asked for. */
mw_status mw_updater_shared(mw_updater *u, mw_id weight, mw_shared_fn *fn,
                            double of, mw_id *y) MW_MUST_CHECK;
/* For it: learning rate; 1 - of^step. */
mw_status mw_updater_rate(mw_updater *u, double of, mw_id *y) MW_MUST_CHECK;
mw_status mw_updater_correction(mw_updater *u, double of,
                                mw_id *y) MW_MUST_CHECK;

/* The gradient in the weight's dtype, scaled: for updates without fused row. */
mw_status mw_updater_scaled(mw_updater *u, mw_id weight, mw_id grad,
                            mw_id *y) MW_MUST_CHECK;

/* A fused row over n tensors (the weight first) and m scalars: its operands are
 * tensor[], grad, rate and scale, scalar[], apply. Sets the weight's new
 * value. */
typedef struct mw_fused {
    const char *def;
    int n, m, n_attr;
    mw_id tensor[4], grad, scalar[8];
    const mw_attr *attr;
} mw_fused;
mw_status mw_updater_fused(mw_updater *u, const mw_fused *call,
                           mw_id *fresh) MW_MUST_CHECK;

/* target = value, where this step updates. */
mw_status mw_updater_assign(mw_updater *u, mw_id target, mw_id value,
                            mw_id *fresh) MW_MUST_CHECK;

#endif
