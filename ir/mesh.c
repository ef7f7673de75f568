/* mesh.c - reading a mesh and turning ranks into coordinates. */
#include "ir/mesh.h"

#include <ctype.h>
#include <string.h>

enum { MAX_RANKS = 1 << 24 };

static mw_status bad_mesh(mw_ctx *ctx, const char *text, const char *why)
{
    return mw_fail(ctx, MW_EUSAGE,
                   "mesh '%s': %s\n"
                   "a mesh is 'data=2,model=2', '2x2' or '4'",
                   text, why);
}

// Reads a positive number; NULL when there is none or it is out of range.
static const char *read_size(const char *p, int64_t *size)
{
    if (!isdigit((unsigned char)*p))
        return NULL;
    int64_t value = 0;
    for (; isdigit((unsigned char)*p); p++) {
        value = value * 10 + (*p - '0');
        if (value > MAX_RANKS)
            return NULL;
    }
    *size = value;
    return value > 0 ? p : NULL;
}

// Reads "name=" into the arena; NULL in *name when the text is just a number.
static const char *read_name(mw_arena *arena, const char *p, char **name)
{
    const char *first = p;
    *name = NULL;
    if (isdigit((unsigned char)*p))
        return p;
    while (isalnum((unsigned char)*p) || *p == '_')
        p++;
    if (p == first || *p != '=')
        return NULL;
    *name = mw_arena_format(arena, "%.*s", (int)(p - first), first);
    return *name ? p + 1 : NULL;
}

mw_status mw_mesh_parse(mw_ctx *ctx, mw_arena *arena, const char *text,
                        mw_mesh *mesh)
{
    mw_mesh result = {0};
    int64_t ranks = 1;
    const char *p = text;
    for (;;) {
        if (result.n_axes == MW_MAX_MESH)
            return bad_mesh(ctx, text, "more than 6 axes");
        char *name;
        const char *number = read_name(arena, p, &name);
        if (!number)
            return bad_mesh(ctx, text, "an axis is neither NAME=SIZE nor SIZE");
        mw_mesh_axis *axis = &result.axis[result.n_axes];
        p = read_size(number, &axis->size);
        if (!p)
            return bad_mesh(ctx, text, "a size is not in 1 to 16777216");
        if (!name)
            name = mw_arena_format(arena, "m%d", result.n_axes);
        if (!name)
            return MW_ENOMEM;
        if (mw_mesh_find(&result, name) >= 0)
            return bad_mesh(ctx, text, "an axis name stands twice");
        axis->name = name;
        result.n_axes++;
        ranks *= axis->size;
        if (ranks > MAX_RANKS)
            return bad_mesh(ctx, text, "more than 16777216 ranks");
        if (*p == '\0')
            break;
        if (*p != ',' && *p != 'x')
            return bad_mesh(ctx, text, "axes are not joined by ',' or 'x'");
        p++;
    }
    *mesh = result;
    return MW_OK;
}

int64_t mw_mesh_ranks(const mw_mesh *mesh)
{
    return mw_mesh_group_size(mesh, ~0U);
}

void mw_mesh_coords(const mw_mesh *mesh, int64_t rank,
                    int64_t coord[MW_MAX_MESH])
{
    for (int a = MW_MAX_MESH - 1; a >= 0; a--) {
        int64_t size = a < mesh->n_axes ? mesh->axis[a].size : 1;
        coord[a] = rank % size;
        rank /= size;
    }
}

int64_t mw_mesh_rank(const mw_mesh *mesh, const int64_t coord[MW_MAX_MESH])
{
    int64_t rank = 0;
    for (int a = 0; a < mesh->n_axes; a++)
        rank = rank * mesh->axis[a].size + coord[a];
    return rank;
}

int64_t mw_mesh_group_size(const mw_mesh *mesh, uint32_t axes)
{
    int64_t size = 1;
    for (int a = 0; a < mesh->n_axes; a++)
        if (axes >> a & 1U)
            size *= mesh->axis[a].size;
    return size;
}

int64_t mw_mesh_group_index(const mw_mesh *mesh, uint32_t axes,
                            const int64_t coord[MW_MAX_MESH])
{
    int64_t index = 0;
    for (int a = 0; a < mesh->n_axes; a++)
        if (axes >> a & 1U)
            index = index * mesh->axis[a].size + coord[a];
    return index;
}

void mw_mesh_group_member(const mw_mesh *mesh, uint32_t axes, int64_t index,
                          int64_t coord[MW_MAX_MESH])
{
    for (int a = mesh->n_axes - 1; a >= 0; a--) {
        if (axes >> a & 1U) {
            coord[a] = index % mesh->axis[a].size;
            index /= mesh->axis[a].size;
        }
    }
}

int mw_mesh_find(const mw_mesh *mesh, const char *name)
{
    for (int a = 0; a < mesh->n_axes; a++)
        if (strcmp(mesh->axis[a].name, name) == 0)
            return a;
    return -1;
}
