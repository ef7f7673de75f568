/*
 * strategy.h - how an op may be split: for each mesh axis one of its letters,
 * none, or (linear ops) a partial sum passed through. Layouts of inputs and
 * outputs follow.
 */
#ifndef MW_IR_STRATEGY_H
#define MW_IR_STRATEGY_H

#include "ir/layout.h"

/* split[a] >= 0: that letter; MW_SPLIT_NONE: every rank along a does the same;
 * MW_SPLIT_PARTIAL - k: linear set k passed through. */
enum { MW_SPLIT_NONE = -1, MW_SPLIT_PARTIAL = -2 };

typedef struct mw_strategy {
    int8_t split[MW_MAX_MESH]; /* MW_SPLIT_NONE past the mesh's axes */
} mw_strategy;

/* Every legal strategy of an op on a mesh; axes of length 1 split nothing. The
 * first n_split pass no partial sum: (unpinned letters + 1) to the number of
 * axes longer than 1, less those that mw_strategy_refusal() refuses. Within
 * both parts the last axis varies fastest, over none, then the letters, then
 * the linear sets. */
mw_status mw_op_strategies(mw_arena *arena, const mw_graph *graph,
                           const mw_op *op, const mw_mesh *mesh,
                           mw_strategy **strategy, int *n,
                           int *n_split) MW_MUST_CHECK;

/* Why the op cannot be split so: a pinned letter, a linear set that it lacks,
 * an output that would be partial by two kinds at once, or by none. NULL when
 * it can. */
const char *mw_strategy_refusal(const mw_graph *graph, const mw_op *op,
                                const mw_mesh *mesh, const mw_strategy *s);

bool mw_strategy_equal(const mw_strategy *a, const mw_strategy *b);

/* The layout in which the op takes input i. For a window axis the layout is
 * the tensor axis' own blocks over the letter's mesh axes; what the op reads
 * beyond them is fetched by an exchange inside the op. */
mw_layout mw_strategy_input(const mw_op *op, const mw_strategy *s, int i);

/* The layout in which output i leaves the op. */
mw_layout mw_strategy_output(const mw_op *op, const mw_strategy *s, int i);

/* The block of letter `letter` at these coordinates. */
mw_block mw_strategy_block(const mw_mesh *mesh, const mw_op *op,
                           const mw_strategy *s, int letter,
                           const int64_t coord[MW_MAX_MESH]);

/* The extents of all letters on the rank that has most (coordinates 0). */
void mw_strategy_extents(const mw_mesh *mesh, const mw_op *op,
                         const mw_strategy *s, int64_t extent[MW_MAX_LETTERS]);

/* "batch@data, d_ff@model" for people; "-" when nothing is split. */
char *mw_strategy_text(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                       const mw_mesh *mesh, const mw_strategy *s);

/* The mesh axes over which window exchanges of input i move data (0: none). */
uint32_t mw_strategy_exchange_axes(const mw_mesh *mesh, const mw_op *op,
                                   const mw_strategy *s, int i);

#endif
