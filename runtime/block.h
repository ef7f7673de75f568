/*
 * block.h - which boxes ranks hold of an op's operands, as boxes and as the
 * views that kernels take.
 */
#ifndef MW_RUNTIME_BLOCK_H
#define MW_RUNTIME_BLOCK_H

#include "ir/strategy.h"
#include "runtime/mpi/team.h"
#include "runtime/move.h"

/* All of a tensor. */
mw_box mw_box_whole(const mw_tensor *tensor);

/* What the rank with these coordinates holds under a layout. */
mw_box mw_box_held(const mw_mesh *mesh, const mw_tensor *tensor,
                   const mw_layout *layout, const int64_t coord[MW_MAX_MESH]);

/* An op under a strategy on a mesh. */
typedef struct mw_split_op {
    const mw_graph *graph;
    const mw_mesh *mesh;
    const mw_op *op;
    const mw_strategy *strategy;
} mw_split_op;

/* What the kernel reads of an input on the rank with these coordinates: along
 * a split window axis what `window` says, else the input's own block. */
mw_box mw_box_read(const mw_split_op *split, int input,
                   const int64_t coord[MW_MAX_MESH]);

mw_view mw_view_of(const mw_tensor *tensor, const mw_box *box, void *data);

/* A step between two layouts, or with `split` the window exchange of an input
 * of it, from the layout `from`. */
typedef struct mw_block_move {
    const mw_tensor *tensor;
    const mw_mesh *mesh;
    uint32_t axes;
    mw_layout from, to;
    const mw_split_op *split; /* or NULL */
    int input;
    int lane; /* to go on beside others: mw_team_lane(); 0: it does not */
} mw_block_move;

/* Sets the wire, type, kind of reduction and boxes of a spec; the boxes lie in
 * the arena. Collective. */
mw_status mw_block_move_spec(mw_arena *arena, mw_team *team,
                             const mw_block_move *what,
                             mw_move_spec *spec) MW_MUST_CHECK;

#endif
