/*
 * rank.h - the best plans of a model on a mesh, ranked, with the usual recipes
 * beside them.
 *
 * One call does what `plan` needs: it tabulates the choices, searches the k
 * best distinct plans in tensor or global scope under a memory limit, packs
 * each, and prices the baselines by the same cost model. A limit that nothing
 * meets is answered by the least memory that would do.
 */
#ifndef MW_SEARCH_RANK_H
#define MW_SEARCH_RANK_H

#include "search/layout_solve.h"

typedef struct mw_search_options {
    mw_space_options space;
    bool global;             /* one rule for all tensors */
    bool least_peak;         /* least memory first, time among those */
    int64_t memory_bytes;    /* of a processor; MW_NO_LIMIT */
    int64_t overhead_bytes;  /* what libraries take of it */
    int top;                 /* plans wanted, 1 at least */
    bool pareto;             /* time against memory besides */
    const mw_choices *start; /* one to begin from, for this graph; or NULL */
    mw_budget budget;
} mw_search_options;

/* The limit less what a processor needs besides; MW_NO_LIMIT stays. */
int64_t mw_search_room(const mw_search_options *options);

/* A plan of the ranking. */
typedef struct mw_ranked {
    const char *name;   /* "best", "layout-2", "data_parallel" */
    const char *rule;   /* what it splits, in words; "" without a plan */
    const char *idle;   /* mesh axes that split nothing, "" when all do */
    const char *reason; /* why it does not fit or is not there; or NULL */
    bool baseline;
    bool one_rule; /* a baseline that is one rule for all tensors */
    bool feasible;
    bool planned; /* choices and plan are set */
    mw_solve_status status;
    mw_solve_proof proof;
    int64_t bound;    /* no plan that is not ranked above it is better:
                         picoseconds; bytes for rank 1 with least_peak */
    int32_t tied_by;  /* so many equal layers choosing alike: ... */
    int64_t tied_ps;  /* ... the least time then, proved; 0: not known */
    int64_t alone_ps; /* one processor that holds all would take; or 0 */
    mw_mesh mesh;
    mw_choices choices;
    mw_plan plan; /* packed; borrows choices and mesh */
} mw_ranked;

typedef struct mw_ranking {
    bool by_peak;    /* else by time */
    mw_ranked **row; /* feasible ones in order, the rest behind them */
    int n_rows;
    int64_t cap_rows;
    const mw_ranked *best; /* the first that was searched */
    int64_t need_bytes;    /* when nothing fits: of a processor, would do */
    /* Time against memory, where asked for: each takes less memory and more
     * time than the one before. A point's bound is of all plans that take no
     * more memory than it. */
    mw_ranked **front;
    int n_front;
    int64_t cap_front;
    bool front_whole; /* no point is left out */
} mw_ranking;

/* Fills the ranking, all of it in the arena; need_bytes also when it fails.
 * MW_EINFEASIBLE names the least
 * memory that would do, where it is needed, the largest tensors there, and what
 * a pin takes; MW_ERUN: nothing found in time; MW_EUSAGE: fixes or rules that
 * nothing can follow. */
mw_status mw_search(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                    const mw_search_options *options,
                    mw_ranking *ranking) MW_MUST_CHECK;

/* Sorts rows: feasible first, then time and arena (or arena and time), then
 * those searched, those on fewer mesh axes, then name. Sets `best`. */
void mw_ranking_sort(mw_ranking *ranking);

/* Sorts the points of the front and drops those that another beats. */
void mw_front_sort(mw_ranking *ranking);

#endif
