/*
 * reshard_volume.h - who sends how much in a step. Used by ir/reshard_*.c; the
 * bytes of one rank are mw_step_bytes_of() of reshard.h.
 */
#ifndef MW_IR_RESHARD_VOLUME_H
#define MW_IR_RESHARD_VOLUME_H

#include "ir/reshard.h"

/* In elements. */
typedef struct mw_volume {
    int64_t sent;
    int64_t received; /* of pairwise steps; 0 otherwise */
    int64_t peers;    /* from whom it is received */
} mw_volume;

/* The most over all ranks, each figure by itself. */
mw_volume mw_step_most(const mw_mesh *mesh, const mw_tensor *tensor,
                       const mw_step *step);

/* Of the first rank, in a pairwise step. */
mw_volume mw_step_first(const mw_mesh *mesh, const mw_tensor *tensor,
                        const mw_step *step);

#endif
