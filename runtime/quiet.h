/*
 * quiet.h - steps without dropout: evaluation, and going on with a text.
 *
 * States by which random numbers are drawn count steps. While they are -1 the
 * model's dropouts let everything pass (the graph asks for a negative step), so
 * the same program serves both, in the same arena.
 */
#ifndef MW_RUNTIME_QUIET_H
#define MW_RUNTIME_QUIET_H

#include "runtime/exec.h"

typedef struct mw_quiet {
    int n;
    mw_id *state;
    int64_t *step; /* what each was before */
} mw_quiet;

/* Finds these states. In the arena. */
mw_status mw_quiet_find(mw_arena *arena, const mw_graph *graph,
                        mw_quiet *quiet) MW_MUST_CHECK;

/* From here on without; until they count on from where they were. */
void mw_quiet_begin(mw_exec *exec, mw_quiet *quiet);
void mw_quiet_end(mw_exec *exec, const mw_quiet *quiet);

#endif
