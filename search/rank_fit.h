/*
 * rank_fit.h - whether any plan fits the memory, with no thought of time.
 */
#ifndef MW_SEARCH_RANK_FIT_H
#define MW_SEARCH_RANK_FIT_H

#include "search/rank.h"

typedef enum mw_fit {
    MW_FIT_NO,      /* proven: live memory is over the limit whatever is
                       chosen */
    MW_FIT_UNKNOWN, /* no proof in time, or what fits does not pack */
    MW_FIT_YES      /* a plan was packed within the limit */
} mw_fit;

/* The answer for options->memory_bytes; objective, top and baselines play no
 * part. Everything lies in the arena. */
mw_status mw_search_fits(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                         const mw_search_options *options,
                         mw_fit *fit) MW_MUST_CHECK;

#endif
