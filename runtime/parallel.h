/*
 * parallel.h - the threads of a rank.
 *
 * Regions are either serial or as wide as the rank's threads, never in between:
 * OpenMP keeps a team and allocates a new one only when the width changes.
 */
#ifndef MW_RUNTIME_PARALLEL_H
#define MW_RUNTIME_PARALLEL_H

#include <stdint.h>

/* Part [lo, hi) of the work. */
typedef void mw_parallel_fn(void *arg, int64_t lo, int64_t hi);

/* Deals [0, n) out in as many parts as there are threads. */
void mw_parallel(int threads, int64_t n, mw_parallel_fn *fn, void *arg);

#endif
