/*
 * plan_maker.h - plans by lot: a random strategy of each op and a random home
 * of each tensor, for tests that run plans and must not depend on search/.
 */
#ifndef MW_TESTS_PLAN_MAKER_H
#define MW_TESTS_PLAN_MAKER_H

#include "ir/plan_file.h"

/* Everything lies in the arena. A share of the ops, in percent, is not split.
 */
mw_status plan_by_lot(mw_arena *arena, const mw_graph *graph,
                      const mw_mesh *mesh, uint64_t seed, int whole_percent,
                      mw_plan *plan) MW_MUST_CHECK;

/* Imports a model, with sizes from the arrays of a .npz (or NULL), and writes
 * a plan for the mesh to a file. */
mw_status plan_file_by_lot(mw_ctx *ctx, const char *model, const char *sizes,
                           const char *mesh, uint64_t seed,
                           const char *path) MW_MUST_CHECK;

#endif
