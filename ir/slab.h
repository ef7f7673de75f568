/*
 * slab.h - slice, pad and concat are copies of slabs: all of the output at one
 * index along the letter that windows touch.
 */
#ifndef MW_IR_SLAB_H
#define MW_IR_SLAB_H

#include "ir/number.h"
#include "ir/op.h"

typedef struct mw_slab {
    const mw_op *op;
    mw_view *out;
    int8_t letter; /* in outputs but in no input, windows aside; or MW_NONE */
    int out_axis;  /* of the letter; MW_NONE */
    int64_t extent[MW_MAX_LETTERS]; /* of a slab: 1 along the letter */
} mw_slab;

void mw_slab_init(mw_slab *slab, const mw_op *op, const mw_view in[],
                  mw_view *out);

/* The axis of input i that the letter is a window of, or that no output has;
 * MW_NONE when the input lacks it and counts 1. */
int mw_slab_axis(const mw_op *op, int i);

/* Slab k of the output's block becomes index `from` (of the whole) of the
 * input along its axis; false and untouched when the block does not hold it. */
bool mw_slab_copy(const mw_slab *slab, int i, const mw_view *in, int64_t from,
                  int64_t k);
void mw_slab_fill(const mw_slab *slab, int64_t k, mw_number value);

/* Slabs of the output's block, 1 where no letter is touched. */
int64_t mw_slab_count(const mw_slab *slab);
/* Index of the first in the whole tensor. */
int64_t mw_slab_first(const mw_slab *slab);

#endif
