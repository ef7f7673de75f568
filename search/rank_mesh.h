/*
 * rank_mesh.h - meshes to try when only the number of processors is known.
 */
#ifndef MW_SEARCH_RANK_MESH_H
#define MW_SEARCH_RANK_MESH_H

#include "search/rank.h"

/* The factorizations of n_ranks into at most 3 axes longer than 1 that the cost
 * model tells apart: of two with the same axes at the same prices, one. In the
 * arena. */
mw_status mw_mesh_factorizations(mw_ctx *ctx, mw_arena *arena, int64_t n_ranks,
                                 const mw_costs *costs, mw_mesh **mesh,
                                 int *n) MW_MUST_CHECK;

/* The meshes with their axes in every order: the first axis is the major one of
 * every split, and has the outermost links. Of orders that differ neither in
 * sizes nor in prices one is kept, unless axes are known by their names. */
mw_status mw_mesh_orders(mw_arena *arena, const mw_costs *costs, bool named,
                         mw_mesh **mesh, int *n) MW_MUST_CHECK;

/* Keeps the best row only; there is one. */
void mw_ranking_only(mw_ranking *ranking);

/* Copies a ranking into another arena, texts and choices too; of plans only
 * their figures. Meshes' names are borrowed. */
mw_status mw_ranking_keep(mw_arena *arena, const mw_graph *graph,
                          const mw_ranking *from,
                          mw_ranking *kept) MW_MUST_CHECK;

/* Makes the plan of a row that was kept anew, in the arena. */
mw_status mw_ranked_replan(mw_arena *arena, const mw_setting *on,
                           mw_ranked *row) MW_MUST_CHECK;

/* Appends the rows of `more`, to be sorted at the end. Row names get the mesh
 * in front where `prefix` is not NULL ("2x4:best"). */
mw_status mw_ranking_join(mw_arena *arena, mw_ranking *ranking,
                          const mw_ranking *more,
                          const char *prefix) MW_MUST_CHECK;

#endif
