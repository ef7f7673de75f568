/*
 * live_rule.h - the rule of least peak where only lives are known.
 *
 * Global scope without ops: dimensions, which of them may not share a mesh
 * axis, and tensors with the steps at which they live. A rule gives each
 * dimension some mesh axes; every split divides, so a tensor takes its bytes
 * over the parts it is in, and the peak is the largest sum over steps. What an
 * op costs is not asked: this is the least memory that any rule could reach.
 *
 * Branch and bound over dimensions, in integers: given time, the answer is
 * proven.
 */
#ifndef MW_SEARCH_LIVE_RULE_H
#define MW_SEARCH_LIVE_RULE_H

#include "ir/mesh.h"
#include "search/clock.h"

typedef struct mw_live_tensor {
    const int32_t *dim; /* n_dims of them, distinct; borrowed */
    int n_dims;
    int64_t bytes;      /* whole */
    int64_t begin, end; /* steps [begin, end) */
} mw_live_tensor;

typedef struct mw_live_graph {
    int32_t n_dims, n_tensors;
    int64_t n_steps;
    const int64_t *size;  /* by dimension: what divides it divides all sizes it
                             takes; 0: may not be split */
    const uint8_t *meets; /* n_dims x n_dims: may not share an axis */
    const mw_live_tensor *tensor;
} mw_live_graph;

typedef struct mw_live_rule {
    uint32_t *axes; /* by dimension */
    int64_t peak_bytes;
    int64_t bound_bytes; /* no rule takes less */
    bool proven;         /* both are equal */
} mw_live_rule;

/* The best rule, in the arena. one_axis: a dimension takes one axis at most.
 * When time is up or the context is stopped it is the best so far. */
mw_status mw_live_rule_find(mw_ctx *ctx, mw_arena *arena,
                            const mw_live_graph *graph, const mw_mesh *mesh,
                            bool one_axis, const mw_deadline *deadline,
                            mw_live_rule *rule) MW_MUST_CHECK;

#endif
