/* momentum.c - descent along the decayed sum of gradients. */
#include "ir/optimizer.h"

enum { DECAY, NESTEROV };

static const mw_hyper hyper[] = {
    {"momentum", 0.9, "decay of the sum"},
    {"nesterov", 0, "1: a step ahead"},
    {0},
};

static mw_status update(mw_updater *u, mw_id weight, mw_id grad, mw_id *fresh)
{
    const mw_attr attr[] = {
        {.name = "decay", .kind = MW_ATTR_FLOAT, .f = u->hyper[DECAY]},
        {.name = "nesterov", .kind = MW_ATTR_FLOAT, .f = u->hyper[NESTEROV]},
    };
    mw_fused call = {.def = "momentum",
                     .n = 2,
                     .tensor = {weight},
                     .grad = grad,
                     .n_attr = 2,
                     .attr = attr};
    MW_TRY(mw_updater_state_like(u, weight, "trace", &call.tensor[1]));
    return mw_updater_fused(u, &call, fresh);
}

const mw_optimizer_def mw_optimizer_momentum = {
    .name = "momentum",
    .brief = "t = g + momentum t, w - lr t",
    .rate = 1e-2,
    .hyper = hyper,
    .update = update,
};
