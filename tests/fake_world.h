/*
 * fake_world.h - all ranks of a mesh in one process. They hold blocks of one
 * tensor of integers and move them by the messages that docs/design/plan.md
 * says, counting what each sends: written from that page alone, so that the
 * formulas of ir/ have something to agree with.
 */
#ifndef MW_TESTS_FAKE_WORLD_H
#define MW_TESTS_FAKE_WORLD_H

#include "ir/reshard.h"

typedef struct fake_world {
    mw_arena *arena; /* borrowed */
    const mw_mesh *mesh;
    const mw_tensor *tensor;
    mw_layout layout;
    int64_t n_ranks;
    int64_t **block; /* of each rank, row-major */
    int64_t *sent;   /* bytes, by rank */
} fake_world;

/* The value of an element of the whole tensor. */
int64_t fake_value(int64_t index);

/* All ranks hold their blocks; partial ones differ at random and complete to
 * the values. */
mw_status fake_world_init(fake_world *world, mw_arena *arena,
                          const mw_mesh *mesh, const mw_tensor *tensor,
                          const mw_layout *layout, uint64_t *random);

mw_status fake_world_step(fake_world *world, const mw_step *step);

/* Every rank's block completes to the values, and ranks over which the layout
 * is replicated agree. */
bool fake_world_right(const fake_world *world);

#endif
