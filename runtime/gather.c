/* gather.c - puts a tensor, or a part of one, together on the first rank. */
#include "base/mem.h"
#include "runtime/exec.h"

// The first of the ranks that hold the same block speaks for all.
static bool speaks(const mw_mesh *mesh, const mw_layout *layout,
                   const int64_t coord[])
{
    for (int a = 0; a < mesh->n_axes; a++)
        if (layout->role[a] == MW_REPLICATED && coord[a] != 0)
            return false;
    return true;
}

// Not the first of the ranks whose blocks are to be combined.
static bool adds(const mw_mesh *mesh, const mw_layout *layout, int rank)
{
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(mesh, rank, coord);
    for (int a = 0; a < mesh->n_axes; a++)
        if (layout->role[a] == MW_PARTIAL && coord[a] != 0)
            return true;
    return false;
}

/* A part that is being gathered. */
typedef struct gathering {
    mw_exec *exec;
    const mw_tensor *tensor; /* the root */
    const mw_layout *layout;
    const mw_box *part;
    int64_t item;
    mw_combine_fn *combine; /* of partial blocks; NULL: there are none */
    void *stage, *block;
} gathering;

// What a rank has of the part; empty when another one speaks for it.
static mw_box share(const gathering *g, int rank)
{
    int64_t coord[MW_MAX_MESH];
    const mw_mesh *mesh = g->exec->plan->mesh;
    mw_mesh_coords(mesh, rank, coord);
    mw_box held = mw_box_held(mesh, g->tensor, g->layout, coord);
    mw_box met = mw_box_meet(&held, g->part);
    if (!speaks(mesh, g->layout, coord))
        met = (mw_box){.rank = 1};
    return met;
}

// Ranks come in order, so that what others add to is there.
static mw_status take(const gathering *g, int rank)
{
    mw_box what = share(g, rank);
    int64_t bytes = mw_box_elements(&what) * g->item;
    mw_strided copy;
    if (bytes == 0)
        return MW_OK;
    MW_TRY(mw_wire_swap(mw_team_all(g->exec->team), 0, NULL, 0, rank, g->stage,
                        bytes));
    mw_strided_box(&copy, g->item, &what, &what, g->part);
    if (g->combine && adds(g->exec->plan->mesh, g->layout, rank))
        mw_strided_combine(&copy, g->item, g->combine, g->stage, g->block);
    else
        mw_strided_run(&copy, g->stage, g->block);
    return MW_OK;
}

// Puts the first rank's own share in its place.
static void put(const gathering *g, mw_id root)
{
    mw_box held, what = share(g, 0);
    char *from;
    mw_strided copy;
    if (mw_box_elements(&what) == 0)
        return;
    mw_exec_home(g->exec, root, &held, &from);
    mw_strided_box(&copy, g->item, &what, &held, g->part);
    mw_strided_run(&copy, from, g->block);
}

// Sends the own share as it lies where it is dense, else packed.
static mw_status give(const gathering *g, mw_id root, int rank)
{
    mw_box held, what = share(g, rank);
    char *from;
    mw_strided copy;
    int64_t bytes = mw_box_elements(&what) * g->item;
    if (bytes == 0)
        return MW_OK;
    mw_exec_home(g->exec, root, &held, &from);
    mw_strided_box(&copy, g->item, &what, &held, &what);
    const void *packed = from + copy.src_offset;
    if (!mw_strided_src_dense(&copy)) {
        mw_strided_run(&copy, from, g->stage);
        packed = g->stage;
    }
    return mw_wire_swap(mw_team_all(g->exec->team), 0, packed, bytes, 0, NULL,
                        0);
}

mw_status mw_exec_gather_part(mw_exec *exec, mw_id tensor, const mw_box *part,
                              void *stage, void *block)
{
    mw_id root = exec->plan->graph->tensor[tensor].root;
    const mw_tensor *t = &exec->plan->graph->tensor[root];
    const mw_layout *layout = &exec->plan->choices->home[root];
    const gathering g = {
        .exec = exec,
        .tensor = t,
        .layout = layout,
        .combine = layout->reduce
                       ? mw_combine_find(t->dtype, (mw_reduce)layout->reduce)
                       : NULL,
        .part = part,
        .item = mw_dtype_bytes(t->dtype),
        .stage = stage,
        .block = block};
    int rank = mw_team_rank(exec->team);
    if (rank > 0)
        return give(&g, root, rank);
    put(&g, root);
    for (int r = 1; r < mw_team_size(exec->team); r++)
        MW_TRY(take(&g, r));
    return MW_OK;
}

mw_status mw_exec_gather(mw_exec *exec, mw_id tensor, void *whole)
{
    const mw_tensor *t = &exec->plan->graph->tensor[tensor];
    mw_box all = mw_box_whole(t);
    int64_t bytes = mw_box_elements(&all) * mw_dtype_bytes(t->dtype);
    void *stage = NULL;
    mw_status status = MW_OK;
    if (mw_team_rank(exec->team) == 0 && mw_team_size(exec->team) > 1) {
        /* a rank's whole block is dense: only the first needs room */
        stage = mw_mem_alloc(exec->ctx, (size_t)bytes, 1);
        status = stage ? MW_OK : MW_ENOMEM;
    }
    status = mw_team_agree(exec->team, status);
    if (status == MW_OK)
        status = mw_exec_gather_part(exec, tensor, &all, stage, whole);
    mw_mem_free(stage);
    return status;
}
