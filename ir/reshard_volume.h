/*
 * reshard_volume.h - who sends how much in a step. Used by ir/reshard_*.c; the
 * bytes of one rank are mw_step_bytes_of() of reshard.h.
 */
#ifndef MW_IR_RESHARD_VOLUME_H
#define MW_IR_RESHARD_VOLUME_H

#include "base/map.h"
#include "ir/reshard.h"

/* In elements. */
typedef struct mw_volume {
    int64_t sent;
    int64_t received; /* of pairwise steps; 0 otherwise */
    int64_t peers;    /* from whom it is received */
} mw_volume;

/* How blocks of one tensor meet along its axes, remembered from one step to
 * the next. */
typedef struct mw_meetings {
    mw_map by_key;
    struct axis_table **table;
    int64_t n_tables, cap_tables;
    bool failed; /* out of memory on the way */
} mw_meetings;

void mw_meetings_init(mw_meetings *known, mw_arena *arena);

/* The most over all ranks, each figure by itself. known: of this mesh and
 * tensor's sizes, or NULL. */
mw_volume mw_step_most(const mw_mesh *mesh, const mw_tensor *tensor,
                       const mw_step *step, mw_meetings *known);

/* What the first rank receives, in a pairwise step. */
mw_volume mw_step_first(const mw_mesh *mesh, const mw_tensor *tensor,
                        const mw_step *step, mw_meetings *known);

#endif
