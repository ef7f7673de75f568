/*
 * move.h - one step of resharding, worked out for one rank and run many times.
 *
 * The schedules are those of docs/design/plan.md, as the step's way says. Where
 * both ends lie in memory that all members see, direct and pairwise ones run
 * there without messages; their bytes are the same. Who sends what follows here
 * from the blocks of both layouts alone, and not from the planner's volumes, so
 * that the bytes a run counts are a check of these. A group of one sends
 * nothing. The order of sums is fixed by the ring.
 */
#ifndef MW_RUNTIME_MOVE_H
#define MW_RUNTIME_MOVE_H

#include "ir/cost.h"
#include "runtime/pass.h"
#include "runtime/wire.h"

/* What passes between this rank and one member of its group. */
typedef struct mw_piece {
    mw_strided copy;
    int64_t bytes;
} mw_piece;

/* A message each way, and what is done with the one that came. */
typedef struct mw_round {
    int to, from;
    const char *sent;
    char *into;
    int64_t n_out, n_in;
    char *
        sum; /* what came is combined into this; NULL: it is where it belongs */
    bool with_next; /* the next round is on its way at the same time */
} mw_round;

typedef struct mw_move mw_move;
struct mw_move {
    mw_status (*run)(mw_move *move);
    mw_wire *wire;
    char *src, *dst;
    char *stage[2];
    int64_t item;           /* bytes of an element */
    mw_combine_fn *combine; /* of reductions */
    mw_strided own;         /* what stays on the rank */
    mw_piece *out, *in;     /* by member */
    mw_strided *push; /* by member: from src into its dst, shared memory */
    mw_pass pass;     /* in shared memory: whose blocks are read and written */
    int64_t bytes;    /* of the whole source block */
    int inner;        /* hierarchical: members of an inner group */
    bool keeps;       /* mask: the member that keeps its values */
    mw_round *round;  /* of an all_reduce by messages; else NULL */
    int64_t n_rounds, cap_rounds;
    int64_t at; /* the round that is on its way */
};

/* Boxes of every member of the group before and after, by member. */
typedef struct mw_move_boxes {
    const mw_box *from, *to;
} mw_move_boxes;

/* What a move is made of. */
typedef struct mw_move_spec {
    mw_collective kind;
    mw_way way;
    mw_dtype dtype;
    mw_reduce reduce; /* of reductions */
    mw_wire *wire;
    void *src, *dst;
    void *stage; /* as large as plan.md says for the kind */
    int64_t stage_bytes;
    mw_move_boxes boxes;
} mw_move_spec;

/* MW_EBUG when the stage is too small; MW_EINPUT when the type cannot be
 * combined, or the group not be run so. */
mw_status mw_move_make(mw_arena *arena, const mw_move_spec *spec,
                       mw_move *move) MW_MUST_CHECK;

mw_status mw_move_run(mw_move *move) MW_MUST_CHECK;

/* The same, a round at a time, of a move that has rounds: begins, goes on with
 * what has come, waits for the round on its way and goes on. The wire is the
 * move's own until it is done. */
mw_status mw_move_begin(mw_move *move) MW_MUST_CHECK;
mw_status mw_move_poll(mw_move *move, bool *done) MW_MUST_CHECK;
mw_status mw_move_wait(mw_move *move, bool *done) MW_MUST_CHECK;

#endif
