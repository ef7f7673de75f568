/*
 * scan.h - the loop of `scan`: a body is run for each index of a dimension.
 *
 * Operands: the carries' first values, then those scanned, then those that
 * every step reads whole. Results: the carries' last values, then what the
 * steps gave, stacked. What is scanned or stacked has the dimension outermost,
 * so that a step's part is one piece of memory.
 *
 * At run time the room (workspace) holds a slot for each of the body's tensors,
 * two for each carry, and what the body's own kernels need.
 */
#ifndef MW_IR_SCAN_H
#define MW_IR_SCAN_H

#include "ir/op.h"

const mw_graph *mw_scan_body(const mw_op *op);
int mw_scan_carries(const mw_op *op);
bool mw_scan_is_scanned(const mw_op *op, int in);

/* The `lower` rule: the positional body becomes a named one, with a rename
 * where a carry's axes change class on their way through a step. */
mw_status mw_scan_lower(mw_graph *named, const mw_graph *placed,
                        const mw_op *op, const mw_lowering *lowering,
                        mw_op_spec *spec) MW_MUST_CHECK;

/* The `grad` rule. */
mw_status mw_scan_grad(struct mw_grad *g, const mw_op *op, const mw_id dout[],
                       mw_id din[]) MW_MUST_CHECK;

/* Bytes of room when the letters have these extents. */
int64_t mw_scan_room(const mw_graph *graph, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS]);

/* One op of the body. */
typedef void mw_scan_kernel(const void *arg, const mw_op *op,
                            const mw_view in[], mw_view out[], void *room,
                            int64_t room_bytes);

typedef struct mw_scan_call {
    const mw_op *op;
    const mw_view *in;
    mw_view *out;
    void *room;
    mw_scan_kernel *kernel;
    const void *arg;
} mw_scan_call;

void mw_scan_run(const mw_scan_call *call);

#endif
