/*
 * plan_pack.h - offsets of buffers whose lives are known. Two buffers that live
 * in one step do not overlap; the end of the highest one is to be low.
 */
#ifndef MW_IR_PLAN_PACK_H
#define MW_IR_PLAN_PACK_H

#include "ir/plan.h"

typedef struct mw_pack_item {
    mw_buffer *buffer;  /* bytes are read, offset is set */
    int32_t begin, end; /* steps [begin, end) */
} mw_pack_item;

/* live_bytes: a bound that no packing is below; reaching it ends the search for
 * a better one. Deterministic. */
mw_status mw_pack(mw_ctx *ctx, const mw_pack_item item[], int64_t n,
                  int64_t live_bytes, int64_t *peak_bytes) MW_MUST_CHECK;

#endif
