/*
 * rank_parts.h - what the parts of mw_search() share. For rank*.c only.
 */
#ifndef MW_SEARCH_RANK_PARTS_H
#define MW_SEARCH_RANK_PARTS_H

#include "base/text.h"
#include "search/baseline.h"
#include "search/global.h"
#include "search/layout_symmetry.h"
#include "search/rank.h"
#include "search/rank_next.h"

typedef struct mw_searcher {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_setting *on;
    const mw_search_options *options;
    mw_ranking *ranking;
    int64_t limit; /* of a plan's arena */
    mw_space space;
    mw_hunt hunt;
    mw_space_ties ties;
    mw_global global;
    mw_axis_order *order;
    int n_orders;
    mw_intern known; /* keys of the plans ranked so far */
    mw_key key;
    int32_t *start;     /* states of the best baseline that fits, or NULL */
    int64_t live_limit; /* of live memory: the limit, or less */
    mw_next next;
    int64_t bound;   /* no plan takes less time */
    int n_cuts;      /* plans that did not pack */
    int64_t tighter; /* live memory that would have done for the last */
    int32_t *spare;  /* one of them with homes that pack, or NULL */
} mw_searcher;

/* A searcher of an empty ranking. */
void mw_searcher_init(mw_searcher *searcher, mw_ctx *ctx, mw_arena *arena,
                      const mw_setting *on, const mw_search_options *options,
                      mw_ranking *ranking);

/* Tabulates the space, and the rules in global scope; space.unfinished when
 * time was up. */
mw_status mw_rank_prepare(mw_searcher *searcher) MW_MUST_CHECK;

/* Adds a row and plans its choices (packed). */
mw_status mw_rank_add(mw_searcher *searcher, const mw_ranked *row,
                      mw_ranked **made) MW_MUST_CHECK;

/* A row by itself, planned and packed. */
mw_status mw_rank_make(mw_searcher *searcher, const mw_ranked *row,
                       mw_ranked **made) MW_MUST_CHECK;

/* The front of time against memory. */
mw_status mw_rank_front(mw_searcher *searcher) MW_MUST_CHECK;

/* Adds the baselines. */
mw_status mw_rank_baselines(mw_searcher *searcher) MW_MUST_CHECK;

/* The best rule for all tensors as one more baseline, where the rules are few
 * enough to be priced in passing. */
mw_status mw_rank_one_rule(mw_searcher *searcher) MW_MUST_CHECK;

/* Once the space is there: the best start among them. Those that are not in it
 * break what was asked for. */
mw_status mw_rank_starts(mw_searcher *searcher) MW_MUST_CHECK;

/* The best baseline as the answer, when there was no time for more. */
mw_status mw_rank_hastily(mw_searcher *searcher) MW_MUST_CHECK;

/* Live memory that would have made a plan pack that is over the limit. */
int64_t mw_rank_tighter(const mw_searcher *searcher, const mw_plan *plan);

/* An answer whose plan did not pack, by homes with which it does: live memory
 * is at most limit, and less while packing loses too much. packed: states, or
 * NULL when none are found. */
mw_status mw_rank_repack(mw_searcher *searcher, const mw_answer *answer,
                         int64_t limit, int32_t **packed) MW_MUST_CHECK;

/* Words for what a plan splits. */
mw_status mw_rank_words(mw_arena *arena, const mw_setting *on,
                        mw_ranked *row) MW_MUST_CHECK;

/* All rules are priced: no solver is needed. */
bool mw_rank_by_rules(const mw_searcher *searcher);

/* The least memory of any choice as the scope allows; state NULL: none found
 * in time. */
mw_status mw_rank_least(mw_searcher *searcher, mw_answer *answer) MW_MUST_CHECK;

/* What may help where nothing was found: more time, unless the user asked for
 * the end. */
const char *mw_rank_longer(const mw_ctx *ctx);

/* Why nothing fits, given the least memory: how much would do, at which op, the
 * tensors there, and what to give up at the least. Sets need_bytes. */
mw_status mw_rank_explain(mw_searcher *searcher, const mw_answer *least,
                          mw_text *text) MW_MUST_CHECK;

/* What is left when no plan was ranked: the best start, else the least memory,
 * if they pack; else why there is none, as a failure. last: the last answer. */
mw_status mw_rank_fallback(mw_searcher *searcher,
                           const mw_answer *last) MW_MUST_CHECK;

#endif
