/*
 * lane.h - ops that work along one dim of their input: prefix sums, sorting,
 * shifting. A lane is the elements of an operand along it; a result has a lane
 * for each of the input's. The input's axis is a window of the result's, so
 * that the dim may be split: a rank reads what its part of the result needs.
 *
 * Attributes: `axis` of a placed op; `dim` of a named one, which is left out
 * where the lanes have one element and so no dim.
 */
#ifndef MW_IR_LANE_H
#define MW_IR_LANE_H

#include "ir/number.h"
#include "ir/op.h"

/* For rows of ops; before their own. */
#define MW_LANE_ATTRS                                                          \
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},                              \
    {                                                                          \
        "dim", MW_ATTR_DIM, MW_ATTR_NAMED, true                                \
    }

/* Letters of a placed op whose result lanes have `size` elements, and the
 * results' axes. MW_LANE_SAME: as many as the input's. */
enum { MW_LANE_SAME = -1 };
mw_status mw_lane_place(mw_graph *graph, mw_op *op, int64_t size,
                        mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_lane_bind(mw_graph *graph, mw_op *op, int64_t size) MW_MUST_CHECK;

/* `axis` becomes `dim`; the other attributes are kept. */
mw_status mw_lane_lower(mw_graph *named, const mw_graph *placed,
                        const mw_op *op, const mw_lowering *lowering,
                        mw_op_spec *spec) MW_MUST_CHECK;

/* The whole lane is read by any part of the result. */
mw_span mw_lane_window_whole(const mw_graph *graph, const mw_op *op,
                             int operand, int axis, mw_span block);

/* Elements [start, start + size) of a lane of `whole`. */
typedef struct mw_lane {
    void *data;
    mw_dtype dtype;
    int64_t at, stride; /* of the first; between two */
    int64_t start, size, whole;
} mw_lane;

/* Element i of the whole lane, which must hold it. */
mw_number mw_lane_load(const mw_lane *lane, int64_t i);
void mw_lane_store(const mw_lane *lane, int64_t i, mw_number x);

typedef void mw_lane_fn(const mw_op *op, const mw_lane *in, const mw_lane out[],
                        void *arg);
/* Calls fn for each lane of the input. At most two results. */
void mw_lanes_run(const mw_op *op, const mw_view in[], mw_view out[],
                  mw_lane_fn *fn, void *arg);

#endif
