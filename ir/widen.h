/*
 * widen.h - half floats computed in f32, by casts that stand in the graph.
 *
 * For machines without units for them: operands of what computes (contractions,
 * maps, reductions, windows, sums by index) are cast to f32 before an op and
 * its results back behind it, use by use, so that nothing wide is kept. What
 * only moves elements stays as it is. Groups of maps take casts in.
 */
#ifndef MW_IR_WIDEN_H
#define MW_IR_WIDEN_H

#include "ir/graph.h"

/* to: an empty initialised graph; bit d of dtypes: dtype d is computed in f32.
 */
mw_status mw_widen(const mw_graph *from, uint32_t dtypes,
                   mw_graph *to) MW_MUST_CHECK;

#endif
