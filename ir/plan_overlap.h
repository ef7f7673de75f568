/*
 * plan_overlap.h - which reductions of a plan go on beside later ops, and which
 * ops run later for it. Used by ir/plan.c only.
 *
 * An all_reduce that takes an op's output to its home by messages may end as
 * late as its first use. That is as a rule an optimizer's update, which stands
 * right behind; an update can wait too, as nothing else in the step reads what
 * it writes. What waits holds its memory: a delay is as long as the blocks that
 * it keeps fit below the plan's peak at every step, so overlap never costs
 * memory. Direct ways are copies by the rank itself and have nothing to hide.
 */
#ifndef MW_IR_PLAN_OVERLAP_H
#define MW_IR_PLAN_OVERLAP_H

#include "ir/life.h"
#include "ir/plan.h"

/* Sets out_until and late of all ops, extends the lives of homes, and adds to
 * plan->live_bytes what is held longer. *n: how many reductions wait. */
void mw_plan_overlap(mw_plan *plan, mw_life life[], int *n);

/* Undoes the marks: everything runs within its own step. */
void mw_plan_no_overlap(mw_plan *plan);

#endif
