/*
 * layout_brute.h - every strategy of every op with every home of every tensor,
 * judged without a line of search/: the front of time against live memory.
 */
#ifndef MW_TESTS_LAYOUT_BRUTE_H
#define MW_TESTS_LAYOUT_BRUTE_H

#include "ir/plan.h"

typedef struct mw_front_point {
    int64_t time_ps, peak_bytes;
} mw_front_point;

typedef struct mw_front {
    double n_combinations;
    int n;
    mw_front_point *point; /* time rises, peak falls */
    int64_t cap;
} mw_front;

/* n_combinations alone is set, and n is 0, when they are more than most. */
mw_status mw_layout_brute(mw_ctx *ctx, mw_arena *arena, const mw_graph *graph,
                          mw_resharder *resharder, const mw_costs *costs,
                          double most, mw_front *front);

/* The least time within a limit; -1 when nothing fits. */
int64_t mw_front_time(const mw_front *front, int64_t limit);

#endif
