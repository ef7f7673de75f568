/* adam.c - states, bias corrections and the fused row. */
#include "ir/adam.h"

mw_status mw_adam_update(mw_updater *u, const mw_adam *adam, mw_id weight,
                         mw_id grad, mw_id *fresh)
{
    const mw_attr attr[] = {
        {.name = "b1", .kind = MW_ATTR_FLOAT, .f = adam->b1},
        {.name = "b2", .kind = MW_ATTR_FLOAT, .f = adam->b2},
        {.name = "eps", .kind = MW_ATTR_FLOAT, .f = adam->eps},
        {.name = "eps_root", .kind = MW_ATTR_FLOAT, .f = adam->eps_root},
        {.name = "decay", .kind = MW_ATTR_FLOAT, .f = adam->decay},
    };
    mw_fused call = {.def = "adam",
                     .n = 3,
                     .m = 2,
                     .tensor = {weight},
                     .grad = grad,
                     .n_attr = 5,
                     .attr = attr};
    MW_TRY(mw_updater_state_like(u, weight, "m", &call.tensor[1]));
    MW_TRY(mw_updater_state_like(u, weight, "v", &call.tensor[2]));
    MW_TRY(mw_updater_shared(u, weight, mw_updater_correction, adam->b1,
                             &call.scalar[0]));
    MW_TRY(mw_updater_shared(u, weight, mw_updater_correction, adam->b2,
                             &call.scalar[1]));
    return mw_updater_fused(u, &call, fresh);
}
