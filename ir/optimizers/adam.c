/* adam.c - Adam (Kingma and Ba). */
#include "ir/adam.h"

enum { B1, B2, EPS, EPS_ROOT };

static const mw_hyper hyper[] = {
    {"b1", 0.9, "decay of the mean"},
    {"b2", 0.999, "decay of the mean square"},
    {"eps", 1e-8, "added to the root"},
    {"eps_root", 0, "added within the root"},
    {0},
};

static mw_status update(mw_updater *u, mw_id weight, mw_id grad, mw_id *fresh)
{
    const mw_adam adam = {.b1 = u->hyper[B1],
                          .b2 = u->hyper[B2],
                          .eps = u->hyper[EPS],
                          .eps_root = u->hyper[EPS_ROOT],
                          .decay = 0};
    return mw_adam_update(u, &adam, weight, grad, fresh);
}

const mw_optimizer_def mw_optimizer_adam = {
    .name = "adam",
    .brief = "moments of the gradient, corrected for their start",
    .rate = 1e-3,
    .hyper = hyper,
    .update = update,
};
