/*
 * search_scene.h - a graph, a mesh and a cost model, set up for a search.
 */
#ifndef MW_TESTS_SEARCH_SCENE_H
#define MW_TESTS_SEARCH_SCENE_H

#include "search/rank.h"

typedef struct mw_scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_mesh mesh;
    mw_costs costs;
    mw_setting on;
} mw_scene;

/* A random graph of n_ops ops, or the graph of a text. Counts a failed CHECK
 * and returns false when that fails. Closed in any case. */
bool mw_scene_random(mw_scene *scene, const char *mesh, int n_ops,
                     uint64_t *state);
bool mw_scene_text(mw_scene *scene, const char *mesh, const char *text);

void mw_scene_close(mw_scene *scene);

#endif
