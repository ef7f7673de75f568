/* solver_option.c - looks a solver's name up. */
#include "cli/solver_option.h"

#include "base/near.h"
#include "search/solver.h"

mw_status mw_args_solver(mw_ctx *ctx, const mw_args *args, const char **name)
{
    *name = mw_args_text(args, "solver");
    if (!*name || mw_solver_find(*name))
        return MW_OK;
    mw_near near;
    mw_near_init(&near, *name);
    for (int i = 0; i < mw_solver_count; i++)
        mw_near_try(&near, mw_solver_table[i]->name);
    mw_ctx_at(ctx, "--solver");
    return mw_fail(ctx, MW_EUSAGE, "there is no solver '%s'%s%s%s", *name,
                   near.best ? "\ndid you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}
