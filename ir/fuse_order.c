/* fuse_order.c - one walk with a list of updates that wait. An update waits
 * for the next op that is neither map nor reduction, but not beyond a reader of
 * what it makes, or an update of what it reads. */
#include "ir/fuse_order.h"

#include "ir/op.h"
#include "ir/rebuild.h"

/* A gradient of this size may live a little longer. */
static const int64_t small_bytes = 256 << 10;

typedef struct walk {
    const mw_graph *from;
    int *order, n;
    int *waiting, n_waiting;
    bool moved;
} walk;

static bool updates_root(const mw_graph *graph, const mw_op *op, mw_id root)
{
    for (int i = 0; op->def->updates && i < op->n_out; i++)
        if (op->def->updates[i] != MW_NONE &&
            graph->tensor[op->out[i].tensor].root == root)
            return true;
    return false;
}

static bool is_small_update(const mw_graph *graph, const mw_op *op)
{
    int64_t total = 0;
    for (int i = 0; i < op->n_in; i++)
        total += mw_tensor_bytes(&graph->tensor[op->in[i].tensor]);
    return op->def->updates && total <= small_bytes;
}

// `op` reads what `update` makes, or overwrites what it reads.
static bool needs(const mw_graph *graph, const mw_op *op, const mw_op *update)
{
    for (int i = 0; i < op->n_in; i++)
        for (int o = 0; o < update->n_out; o++)
            if (op->in[i].tensor == update->out[o].tensor)
                return true;
    for (int i = 0; i < update->n_in; i++)
        if (updates_root(graph, op, graph->tensor[update->in[i].tensor].root))
            return true;
    return false;
}

static void flush(walk *w)
{
    for (int i = 0; i < w->n_waiting; i++)
        w->order[w->n++] = w->waiting[i];
    w->n_waiting = 0;
}

static void step(walk *w, int k)
{
    const mw_op *op = &w->from->op[k];
    bool passes = op->def->fuses || op->def->view || op->def->updates;
    for (int i = 0; i < w->n_waiting && passes; i++)
        passes = !needs(w->from, op, &w->from->op[w->waiting[i]]);
    if (!passes)
        flush(w);
    if (is_small_update(w->from, op)) {
        w->waiting[w->n_waiting++] = k;
        return;
    }
    w->moved = w->moved || w->n_waiting > 0;
    w->order[w->n++] = k;
}

mw_status mw_fuse_order(const mw_graph *from, mw_arena *arena,
                        const mw_graph **made)
{
    walk w = {.from = from,
              .order = MW_NEW_ARRAY(arena, from->n_ops, int),
              .waiting = MW_NEW_ARRAY(arena, from->n_ops, int)};
    mw_graph *to = MW_NEW(arena, mw_graph);
    mw_rebuild r;
    if (!w.order || !w.waiting || !to)
        return MW_ENOMEM;
    *made = from;
    for (int k = 0; k < from->n_ops; k++)
        step(&w, k);
    flush(&w);
    if (!w.moved)
        return MW_OK;
    MW_TRY(mw_graph_init(to, arena, from->name));
    MW_TRY(mw_rebuild_open(&r, from, to));
    for (int i = 0; i < w.n; i++)
        MW_TRY(mw_rebuild_op(&r, &from->op[w.order[i]]));
    *made = to;
    return mw_rebuild_close(&r);
}
