/*
 * exec.h - a plan as one static program of this rank.
 *
 * Opening works out everything: the arena of exactly peak_bytes, every view,
 * piece and group. Between the first and the last step nothing is allocated
 * and nothing decided. The plan's digest is the caller's to compare.
 */
#ifndef MW_RUNTIME_EXEC_H
#define MW_RUNTIME_EXEC_H

#include "ir/plan.h"
#include "runtime/block.h"
#include "runtime/kernel.h"
#include "runtime/pending.h"
#include "runtime/values.h"

/* One instruction: a move between ranks, or a kernel. */
typedef struct mw_exec_step {
    mw_id op;
    mw_move *move;        /* or NULL */
    mw_id until;          /* of a move: the op before which it must have ended,
                             MW_NONE: at once */
    int lane;             /* of a move: 0, or the one on which it goes on beside
                             others */
    int64_t after;        /* the last of those steps that must have ended before
                             this one, or MW_NONE */
    mw_collective kind;   /* of a move */
    int64_t bytes_sent;   /* likewise: by this rank, the last time */
    mw_kernel_fn *kernel; /* NULL: the reference */
    mw_kernel_call call;
    /* Kernels: steps from this one on that are run strip by strip over their
     * `outer` outermost axes (runtime/strips.h); 0: this one alone. */
    int together, outer;
    int64_t strip; /* indices of the last of them */
} mw_exec_step;

/* When a step ran, from the start of the run's first step. */
typedef struct mw_exec_time {
    double begin_s, end_s;
    double wait_s; /* of a move: until messages were there */
} mw_exec_time;    /* of a move that goes on beside others: while it did */

typedef struct mw_exec {
    mw_ctx *ctx;
    const mw_plan *plan;
    mw_team *team;
    int threads;
    int64_t coord[MW_MAX_MESH];
    char *buffer;          /* the arena */
    int64_t bytes;         /* of it: up to the end of the last buffer */
    mw_team_memory memory; /* it lies in: seen by the ranks of this host */
    mw_exec_step *step;
    int64_t n_steps, cap_steps;
    int64_t n_moves;  /* of the steps */
    int64_t n_beside; /* of these, how many go on beside other steps */
    bool blocking;    /* these too end before the next step begins */
    mw_id section;    /* while it is made: the op before which steps come */
    mw_pending pending;
    mw_exec_time *time; /* of each step, the last run; NULL: not kept */
    double start_s;     /* of the last run, by the clock */
    int64_t bytes_sent; /* by this rank, in the last run */
    double time_s;      /* of this rank, the last run */
    double thread_s;    /* of it, that the first thread was on a core */
    double comm_s;      /* of it, within moves: nothing else is done then; what
                           goes on beside kernels is not in it */
} mw_exec;

/* Freed by mw_exec_close(). Collective. */
mw_status mw_exec_open(mw_arena *arena, const mw_plan *plan, mw_team *team,
                       int threads, mw_exec *exec) MW_MUST_CHECK;
void mw_exec_close(mw_exec *exec);

/* This rank's block of a tensor's home, and where it lies. */
void mw_exec_home(const mw_exec *exec, mw_id tensor, mw_box *box, char **block);

/* Writes this rank's block of a tensor from outside to its home. */
void mw_exec_put(mw_exec *exec, const mw_values *values, mw_id tensor);

/* The same for all parameters and constants, or for all inputs, whose homes
 * end with their last use and so are put before every run. */
void mw_exec_put_weights(mw_exec *exec, const mw_values *values);
void mw_exec_put_inputs(mw_exec *exec, const mw_values *values);

/* Runs the steps of one op, uncounted; ops in order. Collective. */
mw_status mw_exec_run_op(mw_exec *exec, mw_id op) MW_MUST_CHECK;

/* Runs all steps. A failure has a message, and other ranks may be waiting: the
 * caller aborts the team. Collective. */
mw_status mw_exec_run(mw_exec *exec) MW_MUST_CHECK;

/* The same, of the ops for which only[op]; NULL: all. Collective. */
mw_status mw_exec_run_part(mw_exec *exec, const bool only[]) MW_MUST_CHECK;

/* A part of a tensor, dense in `block` on rank 0, where elsewhere NULL may
 * stand; blocks of a partial home are combined. stage: room for such a part on
 * every rank. What it sends is not counted. Collective. */
mw_status mw_exec_gather_part(mw_exec *exec, mw_id tensor, const mw_box *part,
                              void *stage, void *block) MW_MUST_CHECK;

/* The whole of it, the same way. Collective. */
mw_status mw_exec_gather(mw_exec *exec, mw_id tensor,
                         void *whole) MW_MUST_CHECK;

#endif
