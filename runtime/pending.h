/*
 * pending.h - moves that go on beside kernels, first come, first served.
 *
 * MPI makes progress only inside its calls, and only the main thread calls it:
 * what is pending goes on when it is polled, between kernels. Several moves are
 * on their way at a time, so that one's messages fill the wire while another
 * one's rounds wait for an answer; those of one wire go one after the other, so
 * that its order is every rank's.
 */
#ifndef MW_RUNTIME_PENDING_H
#define MW_RUNTIME_PENDING_H

#include "runtime/move.h"

/* So many are on their way, if they have as many wires. */
enum { MW_PENDING_AT_ONCE = 8 };

/* A move in the queue, and when it was on its way, by the clock. */
typedef struct mw_pending_move {
    mw_move *move;
    int64_t step; /* the caller's number */
    int64_t bytes_sent;
    int64_t sent_before; /* by the wire */
    bool begun, done;
    double begin_s, end_s;
    double wait_s; /* of that, while nothing else was done */
} mw_pending_move;

typedef struct mw_pending {
    mw_pending_move *queue;
    int64_t n, first; /* those before `first` are done */
} mw_pending;

/* Room for so many in a run. */
mw_status mw_pending_init(mw_arena *arena, int64_t cap,
                          mw_pending *pending) MW_MUST_CHECK;

/* Empties the queue for another run. */
void mw_pending_clear(mw_pending *pending);

/* Puts a move with rounds at the end. */
mw_status mw_pending_add(mw_pending *pending, mw_move *move,
                         int64_t step) MW_MUST_CHECK;

mw_status mw_pending_poll(mw_pending *pending) MW_MUST_CHECK;

/* Waits until those up to the caller's number `step` are done. */
mw_status mw_pending_wait(mw_pending *pending, int64_t step) MW_MUST_CHECK;

#endif
