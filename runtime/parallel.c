/* parallel.c - equal parts, one a thread. */
#include "runtime/parallel.h"

void mw_parallel(int threads, int64_t n, mw_parallel_fn *fn, void *arg)
{
    if (threads < 2 || n < 2) {
        if (n > 0)
            fn(arg, 0, n);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++) {
        int64_t lo = n * part / threads, hi = n * (part + 1) / threads;
        if (lo < hi)
            fn(arg, lo, hi);
    }
}
