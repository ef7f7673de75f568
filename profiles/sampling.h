/*
 * sampling.h - what a profiling pass measures: ops with local extents, and
 * collectives. `quick` covers every kernel with a few sizes, so that any model
 * can be interpolated; `for a model` takes each op under each strategy, so that
 * its plans stand on exact figures.
 */
#ifndef MW_PROFILES_SAMPLING_H
#define MW_PROFILES_SAMPLING_H

#include "ir/cost.h"
#include "ir/strategy.h"

typedef struct mw_sampling_op {
    mw_id op; /* of the graph */
    int64_t extent[MW_MAX_LETTERS];
} mw_sampling_op;

typedef struct mw_sampling_move {
    mw_collective kind;
    mw_way way;
    uint32_t axes;
    int64_t bytes;
} mw_sampling_move;

typedef struct mw_sampling {
    mw_arena *arena;
    const mw_graph *graph;
    mw_sampling_op *op;
    int64_t n_ops, cap_ops;
    mw_sampling_move *move;
    int64_t n_moves, cap_moves;
} mw_sampling;

/* A graph of one op of each kind and size, whole. */
mw_status mw_sampling_quick(mw_arena *arena, mw_graph *graph,
                            mw_sampling *sampling) MW_MUST_CHECK;

/* Every distinct kernel key of a model's ops on a mesh. */
mw_status mw_sampling_model(mw_arena *arena, const mw_graph *graph,
                            const mw_mesh *mesh,
                            mw_sampling *sampling) MW_MUST_CHECK;

/* The collectives on each axis of the mesh and on all of them together, each
 * in every way that there is; hierarchical ones between `hosts` only. */
mw_status mw_sampling_moves(mw_arena *arena, const mw_mesh *mesh, bool hosts,
                            mw_sampling *sampling) MW_MUST_CHECK;

#endif
