/*
 * conv_tile.h - the innermost loops of a direct convolution: a few pixels by
 * one panel of output channels, summed in registers.
 *
 * A panel is a run of output channels as wide as some vectors; its weights lie
 * row by row, a row for each summand. Which widths there are, and which
 * instructions are used, depends on the processor.
 */
#ifndef MW_RUNTIME_CONV_TILE_H
#define MW_RUNTIME_CONV_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum { MW_TILE_PIXELS = 6, MW_TILE_WIDTHS = 6, MW_TILE_WIDTH_MAX = 64 };

typedef struct mw_conv_tile {
    const float *const *x; /* of each segment, of each pixel: its summands */
    int64_t n, len;        /* segments; summands of each */
    const float *w;        /* n * len rows of the panel */
    float *const *out;     /* of each pixel */
    bool first, last;      /* sums begin at 0, not at what out holds; end */
    /* What the last one does to a sum: y * scale + shift + add, held between
     * low and high. NULL: left out. */
    const float *scale, *shift;
    const float *const *add; /* of each pixel */
    float low, high;
} mw_conv_tile;

typedef void mw_conv_tile_fn(const mw_conv_tile *tile);

/* Widths from wide to narrow, the last one 1. */
typedef struct mw_conv_tiles {
    int n_widths;
    int width[MW_TILE_WIDTHS];
    mw_conv_tile_fn *fn[MW_TILE_WIDTHS][MW_TILE_PIXELS]; /* of n + 1 pixels */
} mw_conv_tiles;

/* Sets of instructions that this processor has, from wide to narrow; NULL past
 * the last. The first is used. */
const mw_conv_tiles *mw_conv_tiles_at(int i);

#endif
