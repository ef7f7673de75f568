/* fuse_views.c - writes the graph anew, results of such renames being what
 * their operands are. */
#include "ir/fuse_views.h"

#include <string.h>

#include "ir/op.h"
#include "ir/rebuild.h"

static bool is_kept(const mw_tensor *tensor, const char *const keep[],
                    int n_keep)
{
    bool kept = tensor->output;
    for (int i = 0; i < n_keep; i++)
        kept = kept || strcmp(keep[i], tensor->name) == 0;
    return kept;
}

static bool is_same(const mw_graph *graph, const mw_op *op)
{
    if (!op->def->view)
        return false;
    const mw_tensor *x = &graph->tensor[op->in[0].tensor];
    const mw_tensor *y = &graph->tensor[op->out[0].tensor];
    bool same = x->rank == y->rank;
    for (int a = 0; same && a < x->rank; a++)
        same = x->axis[a].dim == y->axis[a].dim && x->axis[a].dim != MW_NONE;
    return same;
}

mw_status mw_fuse_views(const mw_graph *whole, const char *const keep[],
                        int n_keep, mw_arena *arena, const mw_graph **made)
{
    bool *gone = MW_NEW_ARRAY(arena, whole->n_ops, bool), any = false;
    mw_graph *to = MW_NEW(arena, mw_graph);
    mw_rebuild r;
    *made = whole;
    if (!gone || !to)
        return MW_ENOMEM;
    for (int k = 0; k < whole->n_ops; k++) {
        const mw_op *op = &whole->op[k];
        gone[k] = is_same(whole, op) &&
                  !is_kept(&whole->tensor[op->out[0].tensor], keep, n_keep);
        any = any || gone[k];
    }
    if (!any)
        return MW_OK;
    MW_TRY(mw_graph_init(to, arena, whole->name));
    MW_TRY(mw_rebuild_open(&r, whole, to));
    for (int k = 0; k < whole->n_ops; k++) {
        const mw_op *op = &whole->op[k];
        if (gone[k])
            MW_TRY(mw_rebuild_tensor(&r, op->in[0].tensor,
                                     &r.now[op->out[0].tensor]));
        else
            MW_TRY(mw_rebuild_op(&r, op));
    }
    MW_TRY(mw_rebuild_close(&r));
    *made = to;
    return MW_OK;
}
