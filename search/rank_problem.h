/*
 * rank_problem.h - the problem behind a search, for other solvers.
 */
#ifndef MW_SEARCH_RANK_PROBLEM_H
#define MW_SEARCH_RANK_PROBLEM_H

#include "search/rank.h"

/* Fills an initialised, empty problem with the whole of a search: every step is
 * limited where memory is, so that its optimum is the best plan's time (as long
 * as that packs). Tables lie in the arena, which outlives the problem. */
mw_status mw_search_problem(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                            const mw_search_options *options,
                            mw_problem *problem) MW_MUST_CHECK;

#endif
