/*
 * attention_ref.h - the reference kernel of `attention`: the body's own
 * reference kernels, for one point at a time of the dims that the result
 * shares with the scores.
 */
#ifndef MW_IR_ATTENTION_REF_H
#define MW_IR_ATTENTION_REF_H

#include "ir/attention.h"

/* Bytes of room when the body's dims have these extents. */
int64_t mw_attention_ref_room(const mw_attention *a, const int64_t extent[]);

void mw_attention_ref(const mw_op *op, const mw_view in[], mw_view out[],
                      void *room);

#endif
