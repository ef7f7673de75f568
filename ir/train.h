/*
 * train.h - the graph of a training step: forward, loss, gradients, updates
 * (docs/design/training.md).
 *
 * What is wanted is a text, `adam,lr=1e-3,warmup=10`, with the loss and what to
 * compute again beside it; the same texts and the same model give the same
 * graph, so that a run makes it anew.
 */
#ifndef MW_IR_TRAIN_H
#define MW_IR_TRAIN_H

#include "ir/optimizer.h"
#include "ir/remat.h"

enum { MW_TRAIN_HYPERS = 8 };

typedef enum mw_remat_base {
    MW_REMAT_BASE_NONE,
    MW_REMAT_BASE_CHEAP, /* of layers, all but what is dear */
    MW_REMAT_BASE_FULL,
    MW_REMAT_N_BASES
} mw_remat_base;

const char *mw_remat_base_name(mw_remat_base base);

typedef struct mw_train_options {
    const mw_optimizer_def *optimizer;
    const char *text;  /* as it was given */
    const char *loss;  /* likewise: a row of ir/losses/, or a scalar's name */
    const char *remat; /* "none", "full", "auto" */
    double rate;
    const mw_schedule_def *schedule;
    double warmup, steps, init, end; /* in steps, of the rate */
    double clip;                     /* global norm; 0: none */
    int64_t accumulate;              /* gradients an update */
    /* With remat "auto": what is computed again before groups of maps are made,
     * and tensors of the graph of groups that are besides. */
    mw_remat_base base;
    int n_again;
    const char *const *again;
    double hyper[MW_TRAIN_HYPERS]; /* of the optimizer, in its order */
} mw_train_options;

/* MW_EUSAGE names --train, --loss or --remat, and the key or word. Texts are
 * copied. loss or remat: NULL for what is usual. */
mw_status mw_train_options_read(mw_arena *arena, const char *text,
                                const char *loss, const char *remat,
                                mw_train_options *options) MW_MUST_CHECK;

/* forward: a named graph. made: an empty initialised one, whose only result is
 * the loss; labels are a new input. MW_EUSAGE: the loss is not to be had;
 * MW_EINPUT names an op on the way without gradient. */
mw_status mw_train(const mw_graph *forward, const mw_train_options *options,
                   mw_graph *made) MW_MUST_CHECK;

/* The step of options->again from one that mw_train() made, groups of maps or
 * not. MW_EINPUT: a name that is no candidate. */
mw_status mw_train_again(const mw_graph *step, const mw_train_options *options,
                         mw_graph *made) MW_MUST_CHECK;

#endif
