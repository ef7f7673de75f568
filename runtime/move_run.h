/*
 * move_run.h - the schedules that a move may run. Used by runtime/move*.c only.
 */
#ifndef MW_RUNTIME_MOVE_RUN_H
#define MW_RUNTIME_MOVE_RUN_H

#include "runtime/move.h"

/* The member that many places on, backwards if negative. */
static inline int mw_ring_at(const mw_wire *wire, int offset)
{
    int at = (wire->rank + offset) % wire->size;
    return at < 0 ? at + wire->size : at;
}

mw_status mw_run_ring_gather(mw_move *move) MW_MUST_CHECK;
mw_status mw_run_ring_scatter(mw_move *move) MW_MUST_CHECK;
mw_status mw_run_pairwise(mw_move *move) MW_MUST_CHECK;

/* By messages, each member with each. */
mw_status mw_run_direct_gather(mw_move *move) MW_MUST_CHECK;
mw_status mw_run_direct_scatter(mw_move *move) MW_MUST_CHECK;
mw_status mw_run_direct_reduce(mw_move *move) MW_MUST_CHECK;

/* all_reduce: works the rounds out; runs them. */
mw_status mw_make_rounds(mw_arena *arena, mw_algorithm algorithm,
                         mw_move *move) MW_MUST_CHECK;
mw_status mw_run_rounds(mw_move *move) MW_MUST_CHECK;

/* The direct ways and the pairwise exchange in shared memory. */
mw_status mw_run_shared_block(mw_move *move) MW_MUST_CHECK;
mw_status mw_run_shared_reduce(mw_move *move) MW_MUST_CHECK;
mw_status mw_run_shared_exchange(mw_move *move) MW_MUST_CHECK;

#endif
