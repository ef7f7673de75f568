/*
 * layout_layers.h - equal blocks of a graph, one after another, and choices in
 * which they are tied.
 */
#ifndef MW_SEARCH_LAYOUT_LAYERS_H
#define MW_SEARCH_LAYOUT_LAYERS_H

#include "search/layout_space.h"

/* Where steps repeat: `count` blocks of `length` steps from `first` on that do
 * alike, block by block. */
typedef struct mw_layers {
    mw_id first, length;
    int32_t count;
} mw_layers;

enum { MW_MOST_LAYERS = 4 };

/* The longest repetitions, which do not overlap; returns how many. */
mw_status mw_layers_find(const mw_space *space, mw_arena *arena,
                         mw_layers layers[MW_MOST_LAYERS],
                         int *n) MW_MUST_CHECK;

/* In place of a number of runs: runs of 1, 1, 2, 4, 8 and so on blocks, so that
 * any number of blocks can choose alike. */
enum { MW_LAYERS_DOUBLING = 0 };

/* tie[node]: the first node that it is tied to, itself when it is free. The
 * blocks of each repetition make `groups` runs, within which they choose
 * alike. */
mw_status mw_layers_tie(const mw_space *space, mw_arena *arena,
                        const mw_layers *layers, int n, int32_t groups,
                        int32_t *tie) MW_MUST_CHECK;

#endif
