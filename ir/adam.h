/*
 * adam.h - what adam and adamw share.
 */
#ifndef MW_IR_ADAM_H
#define MW_IR_ADAM_H

#include "ir/optimizer.h"

typedef struct mw_adam {
    double b1, b2, eps, eps_root, decay;
} mw_adam;

mw_status mw_adam_update(mw_updater *u, const mw_adam *adam, mw_id weight,
                         mw_id grad, mw_id *fresh) MW_MUST_CHECK;

#endif
