/* rebuild.c - ops of a graph made again in another. */
#include "ir/rebuild.h"

#include <string.h>

#include "ir/graph_copy.h"
#include "ir/op.h"

mw_status mw_rebuild_open(mw_rebuild *r, const mw_graph *from, mw_graph *to)
{
    *r = (mw_rebuild){.from = from, .to = to};
    r->now = MW_NEW_ARRAY(to->arena, from->n_tensors, mw_id);
    if (!r->now)
        return MW_ENOMEM;
    MW_TRY(mw_graph_copy_frame(from, to));
    for (mw_id t = 0; t < from->n_tensors; t++)
        r->now[t] = MW_NONE;
    for (mw_id t = 0; t < from->n_tensors; t++) {
        mw_id id;
        mw_role role = from->tensor[t].role;
        if (role == MW_ROLE_INPUT || role == MW_ROLE_PARAM)
            MW_TRY(mw_rebuild_tensor(r, t, &id));
    }
    return MW_OK;
}

mw_status mw_rebuild_tensor(mw_rebuild *r, mw_id tensor, mw_id *id)
{
    if (r->now[tensor] == MW_NONE)
        MW_TRY(
            mw_graph_tensor(r->to, &r->from->tensor[tensor], &r->now[tensor]));
    *id = r->now[tensor];
    return MW_OK;
}

mw_status mw_rebuild_new(mw_rebuild *r, mw_tensor *tensor, const char *ending,
                         mw_id *id)
{
    const char *name =
        mw_arena_format(r->to->arena, "%s.%s", tensor->name, ending);
    MW_TRY(mw_graph_new_name(r->from, r->to, name, "", 2, &tensor->name));
    return mw_graph_tensor(r->to, tensor, id);
}

mw_status mw_rebuild_op(mw_rebuild *r, const mw_op *op)
{
    mw_arena *arena = r->to->arena;
    mw_id *in = MW_NEW_ARRAY(arena, op->n_in, mw_id), made;
    mw_id *out = MW_NEW_ARRAY(arena, op->n_out, mw_id);
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_rebuild_tensor(r, op->in[i].tensor, &in[i]));
    for (int i = 0; i < op->n_out; i++)
        MW_TRY(mw_rebuild_tensor(r, op->out[i].tensor, &out[i]));
    return mw_graph_bind_as(r->to, op, NULL, in, out, &made);
}

mw_status mw_rebuild_outputs(mw_rebuild *r)
{
    for (mw_id t = 0; t < r->from->n_tensors; t++) {
        mw_id id;
        if (r->from->tensor[t].output)
            MW_TRY(mw_rebuild_tensor(r, t, &id));
    }
    return MW_OK;
}

mw_status mw_rebuild_close(mw_rebuild *r)
{
    const mw_graph *from = r->from;
    mw_graph *to = r->to;
    size_t n = (size_t)from->n_dims;
    MW_TRY(mw_rebuild_outputs(r));
    if (!from->interferes)
        return MW_OK;
    to->interferes = mw_arena_alloc(to->arena, n, n);
    if (!to->interferes)
        return MW_ENOMEM;
    if (n)
        memcpy(to->interferes, from->interferes, n * n);
    return MW_OK;
}
