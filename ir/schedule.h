/*
 * schedule.h - learning rates as ops on the number of updates that were made:
 * a linear warm-up from `init`, then a row of the table below. Definitions are
 * optax's.
 */
#ifndef MW_IR_SCHEDULE_H
#define MW_IR_SCHEDULE_H

#include "ir/grad.h"

typedef struct mw_schedule {
    double rate, init, end; /* at the top, the start, the end */
    double warmup, steps;   /* of the warm-up, of all */
} mw_schedule;

typedef struct mw_schedule_def {
    const char *name;
    const char *brief;
    /* The rate at `count` past the warm-up (f64). */
    mw_status (*build)(mw_grad *g, const mw_schedule *s, mw_id count,
                       mw_id *rate);
} mw_schedule_def;

extern const mw_schedule_def mw_schedules[]; /* ends without name */

/* The rate for `count` (f64, no dimensions), in f64. */
mw_status mw_schedule_rate(mw_grad *g, const mw_schedule_def *def,
                           const mw_schedule *s, mw_id count,
                           mw_id *rate) MW_MUST_CHECK;

#endif
