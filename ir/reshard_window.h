/*
 * reshard_window.h - what an op reads beyond its own block of an input: the
 * neighbours' rows of a convolution, a slice's or a concatenation's range.
 *
 * Each rank owns its block of the input and needs the box that def->window
 * gives of its output letters' blocks along window axes that are split, its
 * own block along all others. The pieces travel by the pairwise exchange of
 * reshard.h, over the mesh axes that split the window axes.
 */
#ifndef MW_IR_RESHARD_WINDOW_H
#define MW_IR_RESHARD_WINDOW_H

#include "ir/reshard.h"
#include "ir/strategy.h"

/* An input of an op under a strategy. */
typedef struct mw_window {
    const mw_mesh *mesh;
    const mw_graph *graph;
    const mw_op *op;
    const mw_strategy *strategy;
    int input;
    mw_layout layout; /* of the input: set by mw_window_of */
    uint32_t axes;    /* over which pieces move; 0: nothing is fetched */
} mw_window;

mw_window mw_window_of(const mw_mesh *mesh, const mw_graph *graph,
                       const mw_op *op, const mw_strategy *strategy, int input);

/* The box that the rank with these coordinates needs: what its kernel is given.
 * Empty (all sizes along window axes 0) where the letter's block is. Returns
 * its elements. */
int64_t mw_window_box(const mw_window *window, const int64_t coord[MW_MAX_MESH],
                      mw_block need[MW_MAX_RANK]);

/* What `rank` sends, by the pairwise schedule. */
int64_t mw_window_bytes_of(const mw_window *window, int64_t rank);

typedef struct mw_window_sizes {
    int64_t box_bytes;   /* of the largest box */
    int64_t sent_bytes;  /* of the rank that sends most */
    int64_t stage_bytes; /* twice the largest piece */
    int64_t time_ps;     /* 0 without costs */
} mw_window_sizes;

mw_window_sizes mw_window_price(const mw_window *window, const mw_costs *costs);

#endif
