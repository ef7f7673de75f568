/* output.c - one output at a time: gathered, written, compared. */
#include "runtime/output.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "runtime/tensor_file.h"

static mw_array array_of(const mw_tensor *tensor)
{
    mw_array array = {.name = tensor->name,
                      .dtype = tensor->dtype,
                      .bytes = mw_tensor_bytes(tensor)};
    array.rank = mw_tensor_file_shape(tensor, array.size);
    return array;
}

// A name of a tensor may hold what a file's may not.
static char *file_name(mw_arena *arena, const char *folder, const char *name)
{
    char *path = mw_arena_format(arena, "%s/%s.npy", folder, name);
    for (char *p = path ? path + strlen(folder) + 1 : NULL; p && *p; p++)
        if (*p == '/')
            *p = '_';
    return path;
}

static mw_status write_one(mw_arena *arena, const char *folder,
                           const mw_tensor *tensor, const void *whole)
{
    char *path = file_name(arena, folder, tensor->name);
    mw_array array = array_of(tensor);
    if (!path)
        return MW_ENOMEM;
    return mw_npy_write(arena->ctx, path, &array, whole);
}

static mw_status compare_one(mw_tensor_file *file, const mw_tensor *tensor,
                             const void *whole, mw_tolerance tolerance,
                             mw_comparison *compared)
{
    mw_ctx *ctx = file->ctx;
    mw_array mine = array_of(tensor);
    mw_ctx_at(ctx, "%s", file->path);
    int i = mw_tensor_file_find(file, "out:", tensor->name);
    if (i == MW_NONE)
        return mw_fail(ctx, MW_EINPUT, "has no array 'out:%s' nor '%s'",
                       tensor->name, tensor->name);
    const mw_array *theirs = &file->array[i];
    bool same = mine.rank == theirs->rank;
    for (int a = 0; same && a < mine.rank; a++)
        same = mine.size[a] == theirs->size[a];
    char found[MW_SHAPE_TEXT_MAX], wanted[MW_SHAPE_TEXT_MAX];
    if (!same)
        return mw_fail(ctx, MW_EINPUT, "array '%s' is %s, the output is %s",
                       theirs->name,
                       mw_shape_text(theirs->rank, theirs->size, found),
                       mw_shape_text(mine.rank, mine.size, wanted));
    mw_ctx_at(ctx, "%s", "");
    const void *want;
    MW_TRY(mw_tensor_file_data(file, i, &want));
    (void)mw_compare(compared, tolerance, mw_tensor_elements(tensor),
                     tensor->dtype, whole, theirs->dtype, want);
    return MW_OK;
}

// What the first rank does with an output.
static mw_status use(mw_arena *arena, const mw_output_spec *spec,
                     mw_tensor_file *file, const mw_tensor *tensor,
                     const void *whole, mw_comparison *compared)
{
    if (spec->folder)
        MW_TRY(write_one(arena, spec->folder, tensor, whole));
    if (!file)
        return MW_OK;
    return compare_one(file, tensor, whole, spec->tolerance, compared);
}

static mw_status take_one(mw_arena *arena, mw_exec *exec,
                          const mw_output_spec *spec, mw_tensor_file *file,
                          mw_id id, mw_comparison *compared)
{
    const mw_tensor *tensor = &exec->plan->graph->tensor[id];
    bool first = mw_team_rank(exec->team) == 0;
    void *whole = NULL;
    mw_status status = MW_OK;
    if (first) {
        whole = mw_mem_alloc(arena->ctx, (size_t)mw_tensor_bytes(tensor), 1);
        status = whole ? MW_OK : MW_ENOMEM;
    }
    status = mw_team_agree(exec->team, status);
    if (status == MW_OK)
        status = mw_exec_gather(exec, id, whole);
    if (status == MW_OK && first)
        status = use(arena, spec, file, tensor, whole, compared);
    mw_mem_free(whole);
    return mw_team_agree(exec->team, status);
}

static mw_status prepare(mw_arena *arena, const mw_output_spec *spec,
                         mw_tensor_file **file)
{
    if (spec->folder)
        MW_TRY(mw_folder_make(arena->ctx, spec->folder));
    if (!spec->expect)
        return MW_OK;
    return mw_tensor_file_open(arena->ctx, arena, spec->expect, file);
}

mw_status mw_outputs_take(mw_arena *arena, mw_exec *exec,
                          const mw_output_spec *spec, mw_comparison *compared)
{
    const mw_graph *graph = exec->plan->graph;
    mw_tensor_file *file = NULL;
    mw_status status = MW_OK;
    if (!spec->folder && !spec->expect)
        return MW_OK;
    if (mw_team_rank(exec->team) == 0)
        status = prepare(arena, spec, &file);
    status = mw_team_agree(exec->team, status);
    for (mw_id t = 0; t < graph->n_tensors && status == MW_OK; t++)
        if (graph->tensor[t].output)
            status = take_one(arena, exec, spec, file, t, compared);
    mw_tensor_file_close(file);
    return status;
}
