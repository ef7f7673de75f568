/*
 * strips.h - steps that follow each other and work element by element over the
 * same outer axes are run strip by strip, so that what one leaves the next
 * finds in the cache: a softmax's passes over its rows, a layer norm's. Each
 * element is computed as before, from the same values, in the same order.
 */
#ifndef MW_RUNTIME_STRIPS_H
#define MW_RUNTIME_STRIPS_H

#include "runtime/exec.h"

enum { MW_STRIPS_MOST = 16 }; /* steps that go together */

/* Sets `together`, `outer` and `strip` of the program's steps. */
void mw_strips_find(mw_exec *exec);

/* Runs the steps from this one on that go together; busy_s: seconds of each, or
 * NULL. */
void mw_strips_run(const mw_exec_step *first, double busy_s[]);

#endif
