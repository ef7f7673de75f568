/*
 * trace.h - where the time of a run went, rank by rank, in the Chrome trace
 * format (chrome://tracing, Perfetto): a process a rank, with a thread for
 * kernels, one for moves between ranks, and one for how long a move waited for
 * messages. Times count from the common start of a run's steps.
 */
#ifndef MW_RUNTIME_TRACE_H
#define MW_RUNTIME_TRACE_H

#include "runtime/exec.h"

/* From now on each run keeps the times of its steps: the last run's stay. */
mw_status mw_trace_begin(mw_arena *arena, mw_exec *exec) MW_MUST_CHECK;

/* Puts all ranks' steps together on the first rank, which writes the file. All
 * ranks agree: MW_ERUN names the path. Collective. */
mw_status mw_trace_write(mw_exec *exec, const char *path) MW_MUST_CHECK;

#endif
