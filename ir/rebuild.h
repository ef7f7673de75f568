/*
 * rebuild.h - a named graph written anew op by op, for passes that change some
 * of its ops: tensors and ops of `from` in `to`.
 */
#ifndef MW_IR_REBUILD_H
#define MW_IR_REBUILD_H

#include "ir/graph.h"

typedef struct mw_rebuild {
    const mw_graph *from;
    mw_graph *to;
    mw_id *now; /* of each tensor of from: its id in to, or MW_NONE */
} mw_rebuild;

/* to: initialised, empty. Its dimensions, conditions, inputs and parameters. */
mw_status mw_rebuild_open(mw_rebuild *r, const mw_graph *from,
                          mw_graph *to) MW_MUST_CHECK;
/* The tensor's id in to, copied if it is not there. */
mw_status mw_rebuild_tensor(mw_rebuild *r, mw_id tensor,
                            mw_id *id) MW_MUST_CHECK;
/* Adds a tensor under its own name, or one made of it that is free. */
mw_status mw_rebuild_new(mw_rebuild *r, mw_tensor *tensor, const char *ending,
                         mw_id *id) MW_MUST_CHECK;
mw_status mw_rebuild_op(mw_rebuild *r, const mw_op *op) MW_MUST_CHECK;
/* Outputs that no op made. */
mw_status mw_rebuild_outputs(mw_rebuild *r) MW_MUST_CHECK;
/* Those, and the interference of a graph with the same dimensions. */
mw_status mw_rebuild_close(mw_rebuild *r) MW_MUST_CHECK;

#endif
