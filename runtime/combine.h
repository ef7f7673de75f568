/*
 * combine.h - adds up partial results: dst = dst op src, element by element.
 */
#ifndef MW_RUNTIME_COMBINE_H
#define MW_RUNTIME_COMBINE_H

#include "ir/op.h"

typedef void mw_combine_fn(void *dst, const void *src, int64_t n);

/* A loop for every type; halves are rounded after each operand. Of bool, max
 * and sum are or, min and prod are and. Where an operand is not a number, so is
 * the result. */
mw_combine_fn *mw_combine_find(mw_dtype dtype, mw_reduce reduce);

/* One element that changes nothing when combined; `item` bytes. */
void mw_combine_neutral(mw_dtype dtype, mw_reduce reduce, void *element);

#endif
