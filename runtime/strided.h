/*
 * strided.h - a copy of a box between two blocks, worked out once and run
 * many times: packing, unpacking, slicing, transposing, broadcasting.
 */
#ifndef MW_RUNTIME_STRIDED_H
#define MW_RUNTIME_STRIDED_H

#include "ir/layout.h"
#include "runtime/combine.h"

/* Axes from the outside in; strides and offsets in bytes. */
typedef struct mw_strided {
    int n;
    int64_t size[MW_MAX_LETTERS];
    int64_t src[MW_MAX_LETTERS], dst[MW_MAX_LETTERS];
    int64_t src_offset, dst_offset;
    int64_t run; /* bytes that lie together on both sides */
    bool empty;
} mw_strided;

/* A dense row-major block of a tensor of that rank. */
typedef struct mw_box {
    int rank;
    mw_block axis[MW_MAX_RANK];
} mw_box;

int64_t mw_box_elements(const mw_box *box);

/* The box that both hold; empty when there is none. */
mw_box mw_box_meet(const mw_box *a, const mw_box *b);

/* Takes axes with strides as given (of elements of `item` bytes) and joins
 * those that run on. */
void mw_strided_make(mw_strided *copy, int64_t item, int n,
                     const int64_t size[], const int64_t src[],
                     const int64_t dst[]);

/* The part `what` from the block `src` into the block `dst`, both of which
 * hold it. */
void mw_strided_box(mw_strided *copy, int64_t item, const mw_box *what,
                    const mw_box *src, const mw_box *dst);

/* The part's bytes lie together in the source, or in the destination. */
bool mw_strided_src_dense(const mw_strided *copy);
bool mw_strided_dst_dense(const mw_strided *copy);

int64_t mw_strided_bytes(const mw_strided *copy);

/* A copy in blocks of about so many bytes, for what is done with a block while
 * a cache holds it. */
typedef struct mw_strided_cut {
    int axis;         /* along which blocks are cut; n: along the run */
    int64_t step;     /* of it, in indices or bytes */
    int64_t along;    /* blocks along it */
    int64_t n_blocks; /* all */
} mw_strided_cut;

mw_strided_cut mw_strided_cut_of(const mw_strided *copy, int64_t bytes);
mw_strided mw_strided_block(const mw_strided *copy, const mw_strided_cut *cut,
                            int64_t i);

/* Where a walk over the axes of a copy stands; it begins with zeros. */
typedef struct mw_strided_walk {
    int64_t index[MW_MAX_LETTERS];
    int64_t src, dst; /* bytes behind the offsets */
} mw_strided_walk;

/* The next index of axis 0 to `axis`; false behind the last. */
bool mw_strided_advance(const mw_strided *copy, mw_strided_walk *walk,
                        int axis);

void mw_strided_run(const mw_strided *copy, const void *src, void *dst);

/* dst = dst op src in place of dst = src; `item` bytes an element. */
void mw_strided_combine(const mw_strided *copy, int64_t item,
                        mw_combine_fn *combine, const void *src, void *dst);

#endif
