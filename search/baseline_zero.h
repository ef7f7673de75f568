/*
 * baseline_zero.h - ZeRO: data parallelism whose processors share out what they
 * would all keep alike (Rajbhandari et al., 2020). For baseline.c only.
 *
 * Stage 1 shares the optimizer's states, 2 the gradients too, 3 the parameters
 * too. Each is split along one of its axes over the mesh axes of the examples,
 * and so is the update.
 */
#ifndef MW_SEARCH_BASELINE_ZERO_H
#define MW_SEARCH_BASELINE_ZERO_H

#include "search/layout_space.h"

/* Some op of the graph updates a parameter. */
bool mw_zero_applies(const mw_graph *graph);

/* Changes data parallel choices over mesh_axes into those of a stage. even:
 * only axes that divide are split. */
mw_status mw_zero_share(mw_arena *arena, const mw_setting *on, int stage,
                        uint32_t mesh_axes, bool even,
                        mw_choices *choices) MW_MUST_CHECK;

#endif
