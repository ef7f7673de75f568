/*
 * trainer.h - a training plan run step after step on batch after batch.
 *
 * Parameters, states and constants are put once; then each step puts its
 * batch, runs the program and reads the loss. Evaluation runs the part of the
 * program that the loss follows from, without any update and without dropout,
 * on other batches. All ranks learn after each step whether one was asked to
 * stop, and end together after it.
 */
#ifndef MW_RUNTIME_TRAINER_H
#define MW_RUNTIME_TRAINER_H

#include "runtime/checkpoint.h"
#include "runtime/feed.h"

/* What a step gave. */
typedef struct mw_trainer_step {
    int64_t step; /* the first of all is 1 */
    double loss;
    double time_s, comm_s; /* of the slowest rank; of the one most in moves */
    int64_t bytes_sent;    /* by the rank that sent most */
    bool evaluated;
    double eval_loss;
} mw_trainer_step;

typedef struct mw_trainer_spec {
    int64_t steps; /* to make */
    mw_id loss;
    const mw_feed *feed, *eval;   /* eval: or NULL */
    int64_t eval_every;           /* steps; 0: after the last one */
    mw_checkpoint *checkpoint;    /* or NULL */
    int64_t checkpoint_every;     /* likewise */
    const int64_t *bytes_by_rank; /* what the plan says each rank sends */
    /* A failure within a step, before all ranks are ended. */
    void (*tell)(const mw_ctx *ctx, int rank);
    /* After each step, on the first rank. */
    void (*stepped)(void *arg, const mw_trainer_step *step);
    void *arg;
} mw_trainer_spec;

/* The tensor that training lowers: the graph's output of that name, or the
 * only one that is a floating-point scalar. MW_EINPUT: there is none, or the
 * graph updates nothing. */
mw_status mw_trainer_loss(const mw_graph *graph, const char *name,
                          mw_id *loss) MW_MUST_CHECK;

/* The ops that a tensor follows from, without those that update anything:
 * only[] of each op, in the arena. */
mw_status mw_trainer_forward(mw_arena *arena, const mw_graph *graph,
                             mw_id tensor, bool **only) MW_MUST_CHECK;

/* Goes on from *mark, which is then where it ended; of no steps the checkpoint
 * alone is written. Weights have been put.
 * MW_ERUN: the loss is no number, or a checkpoint cannot be written;
 * MW_EDIFFERS: a rank sent other bytes than planned. Collective. */
mw_status mw_trainer_run(mw_arena *arena, mw_exec *exec,
                         const mw_trainer_spec *spec,
                         mw_progress_mark *mark) MW_MUST_CHECK;

#endif
