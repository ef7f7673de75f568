/* sgd.c - plain gradient descent. */
#include "ir/optimizer.h"

static mw_status update(mw_updater *u, mw_id weight, mw_id grad, mw_id *fresh)
{
    mw_fused call = {.def = "sgd", .n = 1, .tensor = {weight}, .grad = grad};
    return mw_updater_fused(u, &call, fresh);
}

const mw_optimizer_def mw_optimizer_sgd = {
    .name = "sgd",
    .brief = "w - lr g",
    .rate = 1e-2,
    .update = update,
};
