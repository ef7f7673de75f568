/*
 * plan_replay.h - how long a plan's step takes when reductions that may wait
 * (ir/plan_overlap.h) go on beside later ops, as the runtime runs them.
 *
 * T = C + E + max(0, O - C') by windows, of compute C, exposed communication E
 * and what may wait O: here by going through the schedule. Kernels and other
 * moves come one after the other. What waits is a queue: its messages go on
 * while kernels run, at the price they have alone, and not beside other moves,
 * which use the same wire; what is left of it when an op needs it is waited
 * for. Never more than the sum of all times, which is what a search minimises.
 */
#ifndef MW_IR_PLAN_REPLAY_H
#define MW_IR_PLAN_REPLAY_H

#include "base/arena.h"
#include "ir/plan.h"

/* Sets plan->replay_ps from the times of its ops, paths and fetches. */
mw_status mw_plan_replay(mw_arena *arena, mw_plan *plan) MW_MUST_CHECK;

#endif
