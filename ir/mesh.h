/*
 * mesh.h - ordered axes of processors. Ranks are row-major in mesh order: the
 * last axis varies fastest.
 */
#ifndef MW_IR_MESH_H
#define MW_IR_MESH_H

#include "base/arena.h"

enum { MW_MAX_MESH = 6 };

typedef struct mw_mesh_axis {
    const char *name;
    int64_t size;
} mw_mesh_axis;

typedef struct mw_mesh {
    int n_axes;
    mw_mesh_axis axis[MW_MAX_MESH];
} mw_mesh;

/* "data=2,model=2", "2x2" (axes m0, m1), "4" (axis m0). MW_EUSAGE otherwise. */
mw_status mw_mesh_parse(mw_ctx *ctx, mw_arena *arena, const char *text,
                        mw_mesh *mesh) MW_MUST_CHECK;

int64_t mw_mesh_ranks(const mw_mesh *mesh);
void mw_mesh_coords(const mw_mesh *mesh, int64_t rank,
                    int64_t coord[MW_MAX_MESH]);
int64_t mw_mesh_rank(const mw_mesh *mesh, const int64_t coord[MW_MAX_MESH]);

/* Ranks in one group along a set of axes (bit a: axis a). */
int64_t mw_mesh_group_size(const mw_mesh *mesh, uint32_t axes);

/* Members of a group are numbered row-major over its axes in mesh order: the
 * number of the rank with these coordinates, and the inverse, which sets the
 * coordinates of `axes` alone. Every schedule counts members this way. */
int64_t mw_mesh_group_index(const mw_mesh *mesh, uint32_t axes,
                            const int64_t coord[MW_MAX_MESH]);
void mw_mesh_group_member(const mw_mesh *mesh, uint32_t axes, int64_t index,
                          int64_t coord[MW_MAX_MESH]);

/* MW_NONE when there is none of that name. */
int mw_mesh_find(const mw_mesh *mesh, const char *name);

#endif
