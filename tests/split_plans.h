/*
 * split_plans.h - a family of plans of a graph in which every legal strategy of
 * every op occurs, for tests that run programs whole.
 *
 * In plan i each op takes its strategy number i + (a step of its own) modulo
 * how many it has, and results stay as they come out, so the moves between
 * layouts vary too. Then come plans that split one dimension everywhere (on two
 * longer axes: it and the next one), where nothing moves between.
 */
#ifndef MW_TESTS_SPLIT_PLANS_H
#define MW_TESTS_SPLIT_PLANS_H

#include "ir/plan.h"
#include "tests/fake_costs.h"

typedef struct split_plans {
    mw_arena *arena; /* borrowed, as are graph and mesh */
    const mw_graph *graph;
    const mw_mesh *mesh;
    mw_strategy **strategy; /* of each op */
    int *n_strategies;
    int64_t n_mixed, n_plans;
    mw_choices choices;
    fake_machine machine;
    mw_costs costs;
    mw_resharder *resharder;
} split_plans;

mw_status split_plans_open(mw_arena *arena, const mw_graph *graph,
                           const mw_mesh *mesh,
                           split_plans *plans) MW_MUST_CHECK;

/* Plan i of n_plans in an arena that lives as long as it; the choices are the
 * family's, until the next one. */
mw_status split_plans_make(split_plans *plans, mw_arena *arena, int64_t i,
                           mw_plan *plan) MW_MUST_CHECK;

#endif
