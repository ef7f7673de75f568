/*
 * checkpoint.h - what persists between steps, in a file: every parameter and
 * state by name, whole, and how far training had come.
 *
 * The file, FOLDER/checkpoint.safetensors, says nothing of meshes and layouts:
 * whoever reads it takes its own blocks. It is gathered in pieces of bounded
 * size and renamed into its place, so that what stands there is whole at any
 * time.
 */
#ifndef MW_RUNTIME_CHECKPOINT_H
#define MW_RUNTIME_CHECKPOINT_H

#include "runtime/exec.h"

enum { MW_MARK_IN_ORDER = -1 }; /* in place of a seed: as in the file */

/* How far training has come. */
typedef struct mw_progress_mark {
    int64_t step;     /* steps made */
    int64_t position; /* examples used (runtime/feed.h) */
    int64_t seed;     /* of their order, or MW_MARK_IN_ORDER */
} mw_progress_mark;

/* What it takes to write one: made once, before the first step. */
typedef struct mw_checkpoint {
    mw_exec *exec;
    const char *folder, *path;
    mw_id *tensor; /* what persists */
    mw_array *array;
    int n;
    void *block, *stage; /* of a piece; owned */
} mw_checkpoint;

/* Makes the folder unless it is there; all ranks agree. MW_ERUN names it.
 * Freed by mw_checkpoint_close(). Collective. */
mw_status mw_checkpoint_open(mw_arena *arena, mw_exec *exec, const char *folder,
                             mw_checkpoint *checkpoint) MW_MUST_CHECK;
void mw_checkpoint_close(mw_checkpoint *checkpoint);

/* All ranks agree: MW_ERUN leaves the file that was there. Collective. */
mw_status mw_checkpoint_write(mw_checkpoint *checkpoint,
                              const mw_progress_mark *mark) MW_MUST_CHECK;

/* Values of parameters and, with `states`, of states from a folder's
 * checkpoint. MW_EINPUT: there is none, or it lacks one, or has it in another
 * shape. */
mw_status mw_checkpoint_read(mw_values *values, const char *folder, bool states,
                             mw_progress_mark *mark) MW_MUST_CHECK;

#endif
