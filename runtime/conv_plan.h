/*
 * conv_plan.h - what a direct convolution knows of its blocks before it starts:
 * taps, pixels, panels, and how the summands are cut.
 */
#ifndef MW_RUNTIME_CONV_PLAN_H
#define MW_RUNTIME_CONV_PLAN_H

#include "ir/direct.h"
#include "runtime/conv_tile.h"
#include "runtime/kernel.h"

/* Summands of a tile at most, so that its weights stay in the second cache: 288
 * KiB for a panel of 64. */
enum { MW_CONV_SUMMANDS = 1152 };

/* A spatial axis in these blocks: output o and tap t are at position
 * base + o * stride + t * dilation of x's block. */
typedef struct mw_conv_space {
    int64_t taps, base, stride, dilation;
    int64_t size, step; /* of x's block; elements between neighbours */
} mw_conv_space;

/* An axis of the result that is no channel. */
typedef struct mw_pixel_axis {
    int64_t extent, out, x; /* elements between neighbours */
    int space;              /* MW_NONE: x has it as it is */
} mw_pixel_axis;

typedef struct mw_conv_tap {
    int64_t x; /* elements from tap 0 */
    int64_t at[MW_MAX_SPATIAL];
} mw_conv_tap;

typedef struct mw_conv_plan {
    const mw_kernel_call *call;
    const mw_conv_tiles *tiles;
    mw_direct direct;
    int64_t extent[MW_MAX_LETTERS];
    int n_spaces, n_axes;
    mw_conv_space space[MW_MAX_SPATIAL];
    mw_pixel_axis axis[MW_MAX_RANK];
    int64_t n_pixels, n_groups, n_in, n_out; /* channels of a group */
    int64_t n_taps;
    mw_conv_tap tap[MW_DIRECT_TAPS];
    int64_t run;      /* taps that are read as one, where none hangs over */
    int64_t rows;     /* summands of an output */
    int64_t cut_taps; /* of a tile; several only if all channels go at once */
    int64_t cut_in;   /* likewise: channels */
    mw_conv_end end;
} mw_conv_plan;

/* False: the op does not fit. */
bool mw_conv_plan_make(mw_conv_plan *plan, const mw_kernel_call *call);

/* Panels of a group's output channels, from wide to narrow. */
typedef struct mw_conv_panel {
    int64_t column;
    int kind; /* of tiles->width */
} mw_conv_panel;
int64_t mw_conv_panels(const mw_conv_plan *plan);
mw_conv_panel mw_conv_panel_at(const mw_conv_plan *plan, int64_t i);

/* Offset of a group, or of value i of some channels, in an operand (2: the
 * result). */
int64_t mw_conv_offset(const mw_conv_plan *plan, const mw_letters *letters,
                       int operand, int64_t i);

/* A place among the pixels. */
typedef struct mw_pixel {
    int64_t index[MW_MAX_RANK];
    int64_t x, out; /* elements; of x: of tap 0, perhaps outside */
    int64_t at[MW_MAX_SPATIAL];
} mw_pixel;
void mw_pixel_set(const mw_conv_plan *plan, int64_t i, mw_pixel *pixel);
void mw_pixel_next(const mw_conv_plan *plan, mw_pixel *pixel);

/* All taps, or one, are in x's block. */
bool mw_pixel_inside(const mw_conv_plan *plan, const mw_pixel *pixel);
bool mw_pixel_has(const mw_conv_plan *plan, const mw_pixel *pixel,
                  const mw_conv_tap *tap);

#endif
