/*
 * stablehlo_moves.h - moves that several rules of StableHLO need.
 */
#ifndef MW_IR_IMPORT_STABLEHLO_MOVES_H
#define MW_IR_IMPORT_STABLEHLO_MOVES_H

#include "ir/import/stablehlo_call.h"

/* Elements before, behind (negative ones cut off) and between those of an
 * axis. */
typedef struct mw_hlo_padding {
    int64_t low, high, interior;
} mw_hlo_padding;

/* x padded along an axis with a scalar. */
mw_id mw_hlo_pad(mw_hlo_call *call, mw_id x, int axis, mw_hlo_padding padding,
                 mw_id value);

/* An axis in reverse order. */
mw_id mw_hlo_flip(mw_hlo_call *call, mw_id x, int axis);

/* The size that padding gives an axis of n; negative when it does not fit. */
int64_t mw_hlo_padded(int64_t n, mw_hlo_padding padding);

/* x held to [0, most], as integers. */
mw_id mw_hlo_hold(mw_hlo_call *call, mw_id x, int64_t most);

#endif
