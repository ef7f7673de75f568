/*
 * verify_update.h - an optimizer's update by what its gradient leaves open.
 *
 * Adam divides a gradient by its own size: where it is nothing but rounding,
 * the update is a step in any direction. So a gradient's largest error, met
 * when its own home was compared, tells how far an update may be off: what the
 * reference makes of the gradient that much lower and that much higher. Where
 * the gradient is larger than its error this leaves next to nothing open.
 */
#ifndef MW_RUNTIME_VERIFY_UPDATE_H
#define MW_RUNTIME_VERIFY_UPDATE_H

#include "runtime/verify.h"

/* Of each output of an op that updates, the least and the greatest values; NULL
 * arrays for other ops. Lies in the arena. Collective. */
typedef struct mw_verify_range {
    void **low, **high;
} mw_verify_range;

mw_status mw_verify_update(mw_verify_run *verify, mw_arena *arena, mw_id op,
                           mw_verify_range *range) MW_MUST_CHECK;

/* Moves n wanted elements to those nearest to the ones got, within the range.
 * All are of the tensor's type. */
void mw_verify_allow(mw_dtype dtype, int64_t n, const void *got,
                     const void *low, const void *high, void *want);

#endif
