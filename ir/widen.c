/* widen.c - the graph again, op by op, with casts around. */
#include "ir/widen.h"

#include <string.h>

#include "ir/graph_copy.h"
#include "ir/op.h"

typedef struct writer {
    const mw_graph *from;
    mw_graph *to;
    uint32_t dtypes;
    mw_id *made; /* of each tensor */
    mw_id next;  /* tensors before this one without producer are there */
} writer;

static bool narrow(const writer *w, mw_id t)
{
    return w->dtypes >> w->from->tensor[t].dtype & 1;
}

// What computes, and says its type by its operands'. A body's ops are its own.
static bool widens(const writer *w, const mw_op *op)
{
    static const char *const families[] = {"contraction", "map", "reduce",
                                           "window"};
    bool computes = op->def->reduce == MW_REDUCE_SUM && op->def->flops_of;
    bool any = false;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        computes = computes || strcmp(op->def->family, families[i]) == 0;
    if (!computes || op->def->view || op->def->updates ||
        mw_op_attr(op, "body") || mw_op_attr(op, "to"))
        return false;
    for (int i = 0; i < op->n_in; i++)
        any = any || narrow(w, op->in[i].tensor);
    for (int i = 0; i < op->n_out; i++)
        any = any || narrow(w, op->out[i].tensor);
    return any;
}

static mw_status copy_tensor(writer *w, mw_id t)
{
    if (w->made[t] != MW_NONE)
        return MW_OK;
    return mw_graph_tensor(w->to, &w->from->tensor[t], &w->made[t]);
}

static mw_status copy_before(writer *w, mw_id until)
{
    for (; w->next < until; w->next++)
        if (w->from->tensor[w->next].producer == MW_NONE)
            MW_TRY(copy_tensor(w, w->next));
    return MW_OK;
}

// A tensor of f32 beside one of the graph's.
static mw_status wide_like(writer *w, mw_id t, const char *what, mw_id *id)
{
    mw_tensor made = w->from->tensor[t];
    const char *name =
        mw_arena_format(w->to->arena, "%s/f32/%s", made.name, what);
    made.dtype = MW_F32;
    made.role = MW_ROLE_VALUE;
    made.output = false;
    made.data = (mw_data){.kind = MW_DATA_NONE};
    MW_TRY(mw_graph_new_name(w->from, w->to, name, ".", 1, &made.name));
    return mw_graph_tensor(w->to, &made, id);
}

static mw_status cast(writer *w, mw_id x, mw_id y)
{
    const mw_attr attr = {
        .name = "to", .kind = MW_ATTR_DTYPE, .dtype = w->to->tensor[y].dtype};
    const mw_op_spec spec = {.def = "cast",
                             .n_in = 1,
                             .in = &x,
                             .n_out = 1,
                             .out = &y,
                             .n_attr = 1,
                             .attr = &attr};
    mw_id op;
    return mw_graph_bind(w->to, &spec, &op);
}

static mw_status copy_op(writer *w, const mw_op *op)
{
    mw_arena *arena = w->to->arena;
    mw_id *in = MW_NEW_ARRAY(arena, op->n_in, mw_id);
    mw_id *out = MW_NEW_ARRAY(arena, op->n_out, mw_id), id;
    bool wide = widens(w, op);
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        MW_TRY(copy_tensor(w, t));
        in[i] = w->made[t];
        if (!wide || !narrow(w, t))
            continue;
        MW_TRY(wide_like(w, t, op->name, &in[i]));
        MW_TRY(cast(w, w->made[t], in[i]));
    }
    for (int i = 0; i < op->n_out; i++) {
        mw_id t = op->out[i].tensor;
        if (wide && narrow(w, t)) {
            MW_TRY(wide_like(w, t, "result", &out[i]));
            continue;
        }
        MW_TRY(copy_tensor(w, t));
        out[i] = w->made[t];
    }
    MW_TRY(mw_graph_bind_as(w->to, op, NULL, in, out, &id));
    for (int i = 0; i < op->n_out; i++) {
        mw_id t = op->out[i].tensor;
        if (w->made[t] != MW_NONE)
            continue;
        MW_TRY(copy_tensor(w, t));
        MW_TRY(cast(w, out[i], w->made[t]));
    }
    return MW_OK;
}

mw_status mw_widen(const mw_graph *from, uint32_t dtypes, mw_graph *to)
{
    writer w = {.from = from,
                .to = to,
                .dtypes = dtypes,
                .made = MW_NEW_ARRAY(to->arena, from->n_tensors, mw_id)};
    if (!w.made)
        return MW_ENOMEM;
    for (mw_id t = 0; t < from->n_tensors; t++)
        w.made[t] = MW_NONE;
    to->name = from->name;
    MW_TRY(mw_graph_copy_frame(from, to));
    for (int k = 0; k < from->n_ops; k++) {
        MW_TRY(copy_before(&w, from->op[k].out[0].tensor));
        MW_TRY(copy_op(&w, &from->op[k]));
    }
    MW_TRY(copy_before(&w, from->n_tensors));
    return mw_graph_interference(to);
}
