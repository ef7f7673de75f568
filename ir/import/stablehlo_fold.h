/*
 * stablehlo_fold.h - the region of a reduction applied to whole tensors, which
 * takes the place of its elements one by one.
 */
#ifndef MW_IR_IMPORT_STABLEHLO_FOLD_H
#define MW_IR_IMPORT_STABLEHLO_FOLD_H

#include "ir/import/stablehlo_call.h"

enum { MW_HLO_FOLD_MAX = 8 };

typedef struct mw_hlo_fold {
    int n;                     /* tensors reduced together */
    const mw_hlo_block *block; /* NULL: `reducer` says what it is */
    const char *reducer;       /* see mw_hlo_reducer(); or NULL */
} mw_hlo_fold;

/* out[n] of elements first[n] and second[n], of equal sizes or scalars. */
mw_status mw_hlo_fold_two(mw_hlo_call *call, const mw_hlo_fold *fold,
                          const mw_id first[], const mw_id second[],
                          mw_id out[]) MW_MUST_CHECK;

#endif
