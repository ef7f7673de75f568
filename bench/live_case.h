/*
 * live_case.h - a case of another layout search: a graph's dimensions and
 * tensors, the order in which its ops run, and what that search found.
 *
 * The files are those of shared/auto_mtf (README there): dims, ops with the
 * tensors they read and make, list_schedule, final_tensors, splittable, and by
 * mesh "a:4;b:8" the peak and the time of auto_mtf.
 */
#ifndef MW_BENCH_LIVE_CASE_H
#define MW_BENCH_LIVE_CASE_H

#include "base/json.h"
#include "search/live_rule.h"

typedef struct mw_live_other {
    const char *text; /* "a:4;b:8" */
    mw_mesh mesh;
    bool found;         /* the other search found a layout */
    int64_t peak_bytes; /* of it */
    double time_s;
} mw_live_other;

typedef struct mw_live_case {
    const char *name;
    const char **dim; /* names, by number */
    mw_live_graph graph;
    mw_live_other *other;
    int n_others;
} mw_live_case;

/* MW_EINPUT names file, line and what is wrong. All in the arena. */
mw_status mw_live_case_read(mw_arena *arena, const char *path,
                            mw_live_case *made) MW_MUST_CHECK;

/* "batch:a;hidden:b" of a rule. */
char *mw_live_case_rule(mw_arena *arena, const mw_live_case *made,
                        const mw_mesh *mesh, const uint32_t *axes);

#endif
