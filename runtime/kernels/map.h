/*
 * map.h - the dense loops of maps and reductions, for kernels that run several
 * of them over one piece of a row.
 */
#ifndef MW_RUNTIME_KERNELS_MAP_H
#define MW_RUNTIME_KERNELS_MAP_H

#include "ir/op.h"
#include "runtime/rows.h"

/* The loop of a map by its operands' types; NULL: there is none. */
mw_row_fn *mw_map_loop(const mw_op *op, const mw_dtype in[], mw_dtype out);

/* y[0] = y[0] op x[0] op ..., in a fixed order. */
typedef void mw_fold_fn(int64_t n, void *y, const void *x);

/* NULL: there is none. */
mw_fold_fn *mw_fold_loop(mw_dtype dtype, mw_reduce kind);

#endif
