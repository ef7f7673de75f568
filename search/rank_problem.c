/* rank_problem.c - a search's problem with all its rows. */
#include "search/rank_problem.h"

mw_status mw_search_problem(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                            const mw_search_options *options,
                            mw_problem *problem)
{
    mw_space *space = MW_NEW(arena, mw_space);
    mw_space_ties *ties = MW_NEW(arena, mw_space_ties);
    if (!space || !ties)
        return MW_ENOMEM;
    mw_space_options whole = options->space;
    whole.whole = options->global;
    MW_TRY(mw_space_build(ctx, arena, on, &whole, space));
    mw_space_tables tables;
    MW_TRY(mw_space_tables_init(space, arena, &tables));
    if (options->global) {
        MW_TRY(mw_space_ties_init(ties, space, arena));
        tables.ties = ties;
    }
    int32_t n_rows = 0;
    mw_problem_row *row = MW_NEW_ARRAY(arena, space->n_steps, mw_problem_row);
    if (!row)
        return MW_ENOMEM;
    int64_t limit = mw_search_room(options);
    if (limit != MW_NO_LIMIT)
        n_rows = space->n_steps;
    for (int32_t k = 0; k < n_rows; k++)
        row[k] = (mw_problem_row){k, limit};
    return mw_space_problem(&tables, MW_COST_TIME, row, n_rows, problem);
}
