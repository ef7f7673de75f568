/*
 * loss.h - what a row of ir/losses/ says: a scalar of a model's result and of
 * labels, which become an input.
 */
#ifndef MW_IR_LOSS_H
#define MW_IR_LOSS_H

#include "ir/grad.h"

typedef struct mw_loss {
    mw_id result;       /* of the model; float */
    double ignore;      /* labels that do not count */
    const char *labels; /* name of the input */
    mw_dtype index;     /* of labels that are indices */
} mw_loss;

typedef struct mw_loss_def {
    const char *name;
    const char *brief;
    bool classes; /* labels are numbers of classes, from 0, or loss->ignore */
    mw_status (*build)(mw_grad *g, const mw_loss *loss, mw_id *scalar);
} mw_loss_def;

extern const mw_loss_def *const mw_loss_table[];
extern const int mw_loss_count;

/* "ROW[:RESULT][,ignore=N]" taken apart; def is NULL when it is no row's name,
 * as that of a tensor is not. */
typedef struct mw_loss_text {
    const mw_loss_def *def;
    const char *result; /* as named, or NULL */
    int64_t ignore;
} mw_loss_text;

/* MW_EUSAGE: what follows the comma is no ignore=N. */
mw_status mw_loss_read(mw_arena *arena, const char *text,
                       mw_loss_text *loss) MW_MUST_CHECK;

/* The input for labels of these axes: the model's own of that name, else a new
 * one. MW_EUSAGE: it has one of another shape or dtype. */
mw_status mw_loss_labels(mw_grad *g, const mw_loss *loss, const mw_tensor *as,
                         mw_id *labels) MW_MUST_CHECK;

/* The sum over all of x, an x without dimensions. */
mw_status mw_loss_sum(mw_grad *g, mw_id x, mw_id *sum) MW_MUST_CHECK;

#endif
