/* graph_copy.c - ops in order, each bound again by its row. */
#include "ir/graph_copy.h"

#include "ir/op.h"

typedef struct copier {
    const mw_graph *from;
    mw_graph *to;
    mw_id *tensor;
    bool *keep; /* of each op */
} copier;

static bool updates_anything(const mw_op *op)
{
    for (int i = 0; op->def->updates && i < op->n_out; i++)
        if (op->def->updates[i] != MW_NONE)
            return true;
    return false;
}

// Ops that something live reads, from the last to the first.
static mw_status find_live(copier *c)
{
    const mw_graph *from = c->from;
    bool *needed = MW_NEW_ARRAY(c->to->arena, from->n_tensors, bool);
    if (!needed)
        return MW_ENOMEM;
    for (mw_id t = 0; t < from->n_tensors; t++)
        needed[t] = from->tensor[t].output;
    for (int k = from->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &from->op[k];
        c->keep[k] = updates_anything(op);
        for (int i = 0; i < op->n_out; i++)
            c->keep[k] = c->keep[k] || needed[op->out[i].tensor];
        for (int i = 0; c->keep[k] && i < op->n_in; i++)
            needed[op->in[i].tensor] = true;
    }
    return MW_OK;
}

mw_status mw_graph_copy_frame(const mw_graph *from, mw_graph *to)
{
    int n = from->n_conditions;
    to->named = true;
    for (mw_id d = 0; d < from->n_dims; d++) {
        mw_id id;
        MW_TRY(mw_graph_dim(to, &from->dim[d], &id));
    }
    to->condition = MW_NEW_ARRAY(to->arena, n, const char *);
    if (!to->condition)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        const char *text = mw_arena_text(to->arena, from->condition[i]);
        if (!text)
            return MW_ENOMEM;
        to->condition[i] = text;
    }
    to->n_conditions = n;
    return MW_OK;
}

static mw_status copy_tensor(copier *c, mw_id t)
{
    if (c->tensor[t] != MW_NONE)
        return MW_OK;
    return mw_graph_tensor(c->to, &c->from->tensor[t], &c->tensor[t]);
}

// Tensors that stand before an op's results, in the order of their ids.
static mw_status copy_until(copier *c, mw_id *next, mw_id until)
{
    for (; *next < until; (*next)++)
        if (c->from->tensor[*next].producer == MW_NONE)
            MW_TRY(copy_tensor(c, *next));
    return MW_OK;
}

mw_status mw_graph_bind_as(mw_graph *to, const mw_op *op, const char *name,
                           const mw_id in[], const mw_id out[], mw_id *made)
{
    const mw_op_spec spec = {.def = op->def->name,
                             .name = name ? name : op->name,
                             .n_in = op->n_in,
                             .in = in,
                             .n_out = op->n_out,
                             .out = out,
                             .n_attr = op->n_attr,
                             .attr = op->attr};
    return mw_graph_bind(to, &spec, made);
}

static mw_status copy_op(copier *c, const mw_op *op)
{
    mw_arena *arena = c->to->arena;
    mw_id *in = MW_NEW_ARRAY(arena, op->n_in, mw_id);
    mw_id *out = MW_NEW_ARRAY(arena, op->n_out, mw_id), id;
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        MW_TRY(copy_tensor(c, op->in[i].tensor));
        in[i] = c->tensor[op->in[i].tensor];
    }
    for (int i = 0; i < op->n_out; i++) {
        MW_TRY(copy_tensor(c, op->out[i].tensor));
        out[i] = c->tensor[op->out[i].tensor];
    }
    return mw_graph_bind_as(c->to, op, NULL, in, out, &id);
}

mw_status mw_graph_copy(const mw_graph *from, bool live, mw_graph *to,
                        mw_id tensor[])
{
    copier c = {.from = from, .to = to};
    c.tensor = MW_NEW_ARRAY(to->arena, from->n_tensors, mw_id);
    c.keep = MW_NEW_ARRAY(to->arena, from->n_ops, bool);
    if (!c.tensor || !c.keep)
        return MW_ENOMEM;
    for (mw_id t = 0; t < from->n_tensors; t++)
        c.tensor[t] = MW_NONE;
    for (int k = 0; k < from->n_ops; k++)
        c.keep[k] = true;
    if (live)
        MW_TRY(find_live(&c));
    MW_TRY(mw_graph_copy_frame(from, to));
    mw_id next = 0;
    for (int k = 0; k < from->n_ops; k++) {
        if (!live)
            MW_TRY(copy_until(&c, &next, from->op[k].out[0].tensor));
        if (c.keep[k])
            MW_TRY(copy_op(&c, &from->op[k]));
    }
    if (!live)
        MW_TRY(copy_until(&c, &next, from->n_tensors));
    for (mw_id t = 0; t < from->n_tensors && tensor; t++)
        tensor[t] = c.tensor[t];
    return MW_OK;
}

mw_status mw_graph_new_name(const mw_graph *from, const mw_graph *to,
                            const char *name, const char *joint, int next,
                            const char **made)
{
    *made = name;
    for (int i = next; *made && (mw_graph_find_tensor(from, *made) != MW_NONE ||
                                 mw_graph_find_tensor(to, *made) != MW_NONE);
         i++)
        *made = mw_arena_format(to->arena, "%s%s%d", name, joint, i);
    return *made ? MW_OK : MW_ENOMEM;
}
