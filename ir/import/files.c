/* files.c - maps the model's files; finds external data inside its folder. */
#include "ir/import/files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "base/mem.h"

typedef struct beside {
    const char *path;
    int64_t length;
} beside;

struct mw_import_files {
    mw_ctx *ctx;
    mw_arena *arena;
    int64_t n_maps, cap_maps, n_beside, cap_beside;
    mw_map_file *map;
    beside *beside; /* external data that was found before */
    mw_map by_path, by_location;
};

mw_import_files *mw_files_new(mw_ctx *ctx, mw_arena *arena)
{
    mw_import_files *files = MW_NEW(arena, mw_import_files);
    if (!files)
        return NULL;
    files->ctx = ctx;
    files->arena = arena;
    mw_map_init(&files->by_path, arena);
    mw_map_init(&files->by_location, arena);
    return files;
}

void mw_import_close(mw_import_files *files)
{
    if (!files)
        return;
    for (int64_t i = 0; i < files->n_maps; i++)
        mw_map_file_close(&files->map[i]);
    files->n_maps = 0;
}

mw_status mw_files_keep(mw_import_files *files, const mw_map_file *map)
{
    mw_map_file *grown =
        mw_arena_reserve(files->arena, files->map, files->n_maps,
                         &files->cap_maps, sizeof *files->map);
    if (!grown)
        return MW_ENOMEM;
    files->map = grown;
    grown[files->n_maps++] = *map;
    return MW_OK;
}

mw_status mw_files_map(mw_import_files *files, const char *path,
                       mw_map_file *map)
{
    const int64_t *known = mw_map_find_text(&files->by_path, path);
    if (known) {
        *map = files->map[*known];
        return MW_OK;
    }
    mw_map_file opened;
    MW_TRY(mw_map_file_open(files->ctx, path, &opened));
    int64_t i = files->n_maps;
    mw_status status = mw_files_keep(files, &opened);
    if (status != MW_OK) {
        mw_map_file_close(&opened);
        return status;
    }
    *map = opened;
    return mw_map_put_text(&files->by_path, path, i);
}

/* A location names a file below the folder, part by part. */
static bool stays_inside(const char *location)
{
    if (location[0] == '\0' || location[0] == '/')
        return false;
    for (const char *part = location; part;) {
        const char *slash = strchr(part, '/');
        size_t length = slash ? (size_t)(slash - part) : strlen(part);
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return false;
        part = slash ? slash + 1 : NULL;
    }
    return true;
}

/* real[] gets the path without links. */
static mw_status resolve(mw_ctx *ctx, const char *path, char real[PATH_MAX])
{
    if (realpath(path, real))
        return MW_OK;
    return mw_fail(ctx, MW_EINPUT, "external data '%s' cannot be read: %s",
                   path, strerror(errno));
}

static mw_status find(mw_import_files *files, const char *model,
                      const char *location, beside *found)
{
    if (!stays_inside(location))
        return mw_fail(files->ctx, MW_EINPUT,
                       "external data '%s' is outside the model's folder",
                       location);
    const char *path = mw_path_beside(files->arena, model, location);
    const char *folder = mw_path_beside(files->arena, model, ".");
    if (!path || !folder)
        return MW_ENOMEM;
    char real[PATH_MAX], root[PATH_MAX];
    MW_TRY(resolve(files->ctx, folder, root));
    MW_TRY(resolve(files->ctx, path, real));
    size_t length = strlen(root);
    bool slash = length == 1 || real[length] == '/';
    if (strncmp(real, root, length) != 0 || !slash)
        return mw_fail(files->ctx, MW_EINPUT,
                       "external data '%s' leads outside the model's folder",
                       location);
    struct stat info;
    if (stat(real, &info) != 0 || !S_ISREG(info.st_mode))
        return mw_fail(files->ctx, MW_EINPUT,
                       "external data '%s' is not a regular file", path);
    found->path = mw_arena_text(files->arena, real);
    found->length = (int64_t)info.st_size;
    return found->path ? MW_OK : MW_ENOMEM;
}

mw_status mw_files_beside(mw_import_files *files, const char *model,
                          const char *location, const char **path,
                          int64_t *length)
{
    const int64_t *known = mw_map_find_text(&files->by_location, location);
    if (!known) {
        beside *grown =
            mw_arena_reserve(files->arena, files->beside, files->n_beside,
                             &files->cap_beside, sizeof *files->beside);
        if (!grown)
            return MW_ENOMEM;
        files->beside = grown;
        MW_TRY(find(files, model, location, &grown[files->n_beside]));
        MW_TRY(
            mw_map_put_text(&files->by_location, location, files->n_beside++));
        known = mw_map_find_text(&files->by_location, location);
    }
    *path = files->beside[*known].path;
    *length = files->beside[*known].length;
    return MW_OK;
}

mw_status mw_files_give(mw_status status, mw_import_files *opened,
                        mw_import_files **files)
{
    if (status == MW_OK)
        *files = opened;
    else
        mw_import_close(opened);
    return status;
}
