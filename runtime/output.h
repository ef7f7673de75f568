/*
 * output.h - the results of a run, put together on the first rank: written to
 * files, compared with what was expected.
 */
#ifndef MW_RUNTIME_OUTPUT_H
#define MW_RUNTIME_OUTPUT_H

#include "runtime/compare.h"
#include "runtime/exec.h"

/* What is to be done with them. */
typedef struct mw_output_spec {
    const char *folder; /* NAME.npy of each goes there; NULL: not written */
    const char *expect; /* .npz with out:NAME or NAME of each; NULL: none */
    mw_tolerance tolerance;
} mw_output_spec;

/* Nothing is gathered, or sent, when nothing is to be done with it.
 * MW_EINPUT: the expected file lacks an output, or has another shape; MW_ERUN:
 * a file cannot be written. All ranks agree. Collective. */
mw_status mw_outputs_take(mw_arena *arena, mw_exec *exec,
                          const mw_output_spec *spec,
                          mw_comparison *compared) MW_MUST_CHECK;

#endif
