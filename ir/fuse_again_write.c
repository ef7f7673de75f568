/* fuse_again_write.c - the graph in which groups compute again what they
 * read: ops are copied in front of their first reader in the group. */
#include <string.h>

#include "ir/fuse_again.h"
#include "ir/graph_copy.h"

/* An op that a group computes again. */
typedef struct twin {
    int op, next; /* of the group, or MW_NONE */
    mw_id made;
} twin;

typedef struct writer {
    const mw_fuse_groups *g;
    const mw_graph *from;
    mw_graph *to;
    const bool *gone, *leaves;
    bool *needed; /* of each op */
    mw_id *made;  /* of each tensor */
    int *first;   /* of each group, of its twins */
    twin *twin;
    int64_t n_twins, cap_twins, cap_is_twin;
    bool *is_twin; /* of each op of `to` */
    mw_id next;
} writer;

// A reader of that group has its own: what is gone, and what leads to it.
static bool is_within(const writer *w, mw_id tensor, int of)
{
    mw_id producer = w->from->tensor[tensor].producer;
    if (producer == MW_NONE || w->g->of[producer] == MW_NONE ||
        w->from->op[producer].def->reduce != MW_REDUCE_NONE)
        return false;
    return w->gone[tensor] ||
           (w->g->of[producer] == w->g->of[of] && !w->leaves[tensor]);
}

static bool is_replaced(const writer *w, mw_id tensor, int reader)
{
    mw_id producer = w->from->tensor[tensor].producer;
    return w->gone[tensor] && w->g->of[producer] != w->g->of[reader];
}

static void need(writer *w, mw_id tensor)
{
    mw_id producer = w->from->tensor[tensor].producer;
    if (producer != MW_NONE)
        w->needed[producer] = true;
}

static void need_operands(writer *w, int k)
{
    const mw_op *op = &w->from->op[k];
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (is_within(w, t, k))
            need_operands(w, w->from->tensor[t].producer);
        else
            need(w, t);
    }
}

static void find_needed(writer *w)
{
    for (int k = w->from->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &w->from->op[k];
        mw_id out = op->out[0].tensor;
        if (w->g->of[k] == MW_NONE || w->g->kept[out] ||
            w->g->first_user[out] == w->g->first_user[out + 1])
            w->needed[k] = true;
        for (int i = 0; w->needed[k] && i < op->n_in; i++) {
            mw_id t = op->in[i].tensor;
            if (is_replaced(w, t, k))
                need_operands(w, w->from->tensor[t].producer);
            else
                need(w, t);
        }
    }
}

static mw_status copy_tensor(writer *w, mw_id t)
{
    if (w->made[t] != MW_NONE)
        return MW_OK;
    return mw_graph_tensor(w->to, &w->from->tensor[t], &w->made[t]);
}

static mw_status bind(writer *w, const mw_op *op, const mw_id in[],
                      const mw_id out[], bool is_twin)
{
    mw_id made;
    w->is_twin = mw_arena_reserve(w->to->arena, w->is_twin, w->to->n_ops,
                                  &w->cap_is_twin, sizeof *w->is_twin);
    if (!w->is_twin)
        return MW_ENOMEM;
    w->is_twin[w->to->n_ops] = is_twin;
    return mw_graph_bind_as(w->to, op, NULL, in, out, &made);
}

// The group's own copy of what op k makes.
static mw_status write_twin(writer *w, int group, int k, mw_id *made)
{
    const mw_op *op = &w->from->op[k];
    mw_id in[MW_FUSED_ARGS];
    for (int i = w->first[group]; i != MW_NONE; i = w->twin[i].next) {
        if (w->twin[i].op != k)
            continue;
        *made = w->twin[i].made;
        return MW_OK;
    }
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (is_within(w, t, k)) {
            MW_TRY(write_twin(w, group, w->from->tensor[t].producer, &in[i]));
            continue;
        }
        MW_TRY(copy_tensor(w, t));
        in[i] = w->made[t];
    }
    mw_tensor tensor = w->from->tensor[op->out[0].tensor];
    MW_TRY(
        mw_graph_new_name(w->from, w->to, tensor.name, "/", 1, &tensor.name));
    MW_TRY(mw_graph_tensor(w->to, &tensor, made));
    MW_TRY(bind(w, op, in, made, true));
    twin *grown = mw_arena_reserve(w->to->arena, w->twin, w->n_twins,
                                   &w->cap_twins, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    w->twin = grown;
    grown[w->n_twins] = (twin){k, w->first[group], *made};
    w->first[group] = (int)w->n_twins++;
    return MW_OK;
}

static mw_status write_op(writer *w, int k)
{
    const mw_op *op = &w->from->op[k];
    mw_id *id = MW_NEW_ARRAY(w->to->arena, op->n_in + op->n_out, mw_id);
    if (!id)
        return MW_ENOMEM;
    for (; w->next < op->out[0].tensor; w->next++)
        if (w->from->tensor[w->next].producer == MW_NONE)
            MW_TRY(copy_tensor(w, w->next));
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (is_replaced(w, t, k)) {
            MW_TRY(write_twin(w, w->g->of[k], w->from->tensor[t].producer,
                              &id[i]));
            continue;
        }
        MW_TRY(copy_tensor(w, t));
        id[i] = w->made[t];
    }
    for (int i = 0; i < op->n_out; i++) {
        MW_TRY(copy_tensor(w, op->out[i].tensor));
        id[op->n_in + i] = w->made[op->out[i].tensor];
    }
    return bind(w, op, id, id + op->n_in, false);
}

static mw_status write_all(writer *w)
{
    MW_TRY(mw_graph_copy_frame(w->from, w->to));
    for (int k = 0; k < w->from->n_ops; k++)
        if (w->needed[k])
            MW_TRY(write_op(w, k));
    for (; w->next < w->from->n_tensors; w->next++)
        if (w->from->tensor[w->next].producer == MW_NONE)
            MW_TRY(copy_tensor(w, w->next));
    return MW_OK;
}

mw_status mw_fuse_write_again(const mw_fuse_groups *groups, const bool gone[],
                              const bool leaves[], mw_graph *to,
                              const bool **twins)
{
    const mw_graph *from = groups->graph;
    writer w = {
        .g = groups, .from = from, .to = to, .gone = gone, .leaves = leaves};
    w.needed = MW_NEW_ARRAY(to->arena, from->n_ops, bool);
    w.made = MW_NEW_ARRAY(to->arena, from->n_tensors, mw_id);
    w.first = MW_NEW_ARRAY(to->arena, from->n_ops, int);
    if (!w.needed || !w.made || !w.first)
        return MW_ENOMEM;
    for (mw_id t = 0; t < from->n_tensors; t++)
        w.made[t] = MW_NONE;
    for (int k = 0; k < from->n_ops; k++)
        w.first[k] = MW_NONE;
    find_needed(&w);
    mw_status status = write_all(&w);
    *twins = w.is_twin;
    return status;
}
