/*
 * fingerprint.h - what measured figures depend on, as one line: processor,
 * cores, memory, MPI and BLAS libraries, versions of our kernels and of the
 * measuring routine. Figures with another fingerprint are never used.
 */
#ifndef MW_RUNTIME_FINGERPRINT_H
#define MW_RUNTIME_FINGERPRINT_H

#include "base/arena.h"

/* Raised whenever a kernel or a collective's schedule changes its speed. */
enum { MW_KERNELS_VERSION = 2 };

/* Raised whenever what `profile` measures, or how, changes. */
enum { MW_MEASURE_VERSION = 2 };

mw_status mw_fingerprint(mw_ctx *ctx, mw_arena *arena,
                         char **text) MW_MUST_CHECK;

#endif
