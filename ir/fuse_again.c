/* fuse_again.c - which results of groups are cheaper computed again by their
 * readers. It is judged by bytes: what is no more written and read, against
 * what is read instead, operations in terms of bytes, and how long operands
 * live. */
#include "ir/fuse_again.h"

#include <string.h>

#include "ir/rule.h"

enum { MAX_OPS = 12, MAX_READS = 8, MAX_READERS = 8 };

/* Bytes of memory traffic that pass while an element of 4 bytes is computed. */
static const double usual_op = 0.5, slow_op = 6;

/* A tensor that a group reads for what it computes again. */
typedef struct extra {
    mw_id tensor; /* or the op computed again */
    int next;     /* of this group, or MW_NONE */
} extra;

typedef struct again {
    mw_fuse_groups *g;
    mw_arena *arena;
    bool *leaves; /* of each tensor: its group leaves it */
    bool *gone;
    int *reads, *computes; /* of each group: its first extra, or MW_NONE */
    extra *extra;
    int64_t n_extra, cap_extra;
} again;

/* How a tensor is computed. */
typedef struct recipe {
    int n_ops, n_reads;
    int op[MAX_OPS];
    mw_id read[MAX_READS];
} recipe;

static int group_at(const mw_fuse_groups *g, int group)
{
    return g->group[group].member[g->group[group].n - 1];
}

static bool is_known(const recipe *r, mw_id tensor)
{
    for (int i = 0; i < r->n_reads; i++)
        if (r->read[i] == tensor)
            return true;
    return false;
}

// The tensor is no operand of a recipe, but computed within.
static bool is_within(const again *a, mw_id tensor, int of)
{
    const mw_fuse_groups *g = a->g;
    mw_id producer = g->graph->tensor[tensor].producer;
    if (producer == MW_NONE || g->of[producer] == MW_NONE ||
        g->graph->op[producer].def->reduce != MW_REDUCE_NONE)
        return false;
    return a->gone[tensor] ||
           (g->of[producer] == g->of[of] && !a->leaves[tensor]);
}

static bool add_op(const again *a, int k, recipe *r)
{
    const mw_op *op = &a->g->graph->op[k];
    for (int i = 0; i < r->n_ops; i++)
        if (r->op[i] == k)
            return true;
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (mw_fuse_is_inner(a->g, t) || is_known(r, t))
            continue;
        if (is_within(a, t, k)) {
            if (!add_op(a, a->g->graph->tensor[t].producer, r))
                return false;
            continue;
        }
        if (r->n_reads == MAX_READS)
            return false;
        r->read[r->n_reads++] = t;
    }
    if (r->n_ops == MAX_OPS)
        return false;
    r->op[r->n_ops++] = k;
    return true;
}

// Groups that read a tensor; -1 where it is not groups alone, or too many.
static int readers(const again *a, mw_id tensor, int reader[MAX_READERS])
{
    const mw_fuse_groups *g = a->g;
    int n = 0, own = g->of[g->graph->tensor[tensor].producer];
    for (int u = g->first_user[tensor]; u < g->first_user[tensor + 1]; u++) {
        int group = g->of[g->user[u]], i = 0;
        if (group == MW_NONE)
            return -1;
        while (i < n && reader[i] != group)
            i++;
        if (group == own || i < n)
            continue;
        if (n == MAX_READERS)
            return -1;
        reader[n++] = group;
    }
    return n;
}

static bool has_extra(const again *a, int first, mw_id tensor)
{
    for (int i = first; i != MW_NONE; i = a->extra[i].next)
        if (a->extra[i].tensor == tensor)
            return true;
    return false;
}

static bool reads(const again *a, int group, mw_id tensor)
{
    const mw_fuse_group *of = &a->g->group[group];
    for (int m = 0; m < of->n; m++) {
        const mw_op *op = &a->g->graph->op[of->member[m]];
        for (int i = 0; i < op->n_in; i++)
            if (op->in[i].tensor == tensor)
                return true;
    }
    return has_extra(a, a->reads[group], tensor);
}

static double work(const again *a, int k)
{
    const mw_op *op = &a->g->graph->op[k];
    const mw_tensor *out = mw_op_out(a->g->graph, op);
    return (op->def->slow ? slow_op : usual_op) * (double)mw_tensor_bytes(out) /
           4;
}

// Bytes that a group saves by computing the tensor itself.
static double gain_of(const again *a, int group, const mw_tensor *tensor,
                      const recipe *r)
{
    double gain = (double)mw_tensor_bytes(tensor);
    for (int i = 0; i < r->n_reads; i++)
        if (!reads(a, group, r->read[i]))
            gain -= (double)mw_tensor_bytes(&a->g->graph->tensor[r->read[i]]);
    for (int i = 0; i < r->n_ops; i++)
        if (!has_extra(a, a->computes[group], r->op[i]))
            gain -= work(a, r->op[i]);
    return gain;
}

// Operands may live as long as the tensor did; no more of them than it was,
// and none that is overwritten before.
static bool lives_fit(const again *a, mw_id tensor, const recipe *r, int at)
{
    const mw_graph *graph = a->g->graph;
    int64_t longer = 0, own = mw_tensor_bytes(&graph->tensor[tensor]);
    int64_t elements = mw_tensor_elements(&graph->tensor[tensor]);
    int sums = 0, from = graph->tensor[tensor].producer;
    for (int i = 0; i < r->n_reads; i++) {
        const mw_tensor *read = &graph->tensor[r->read[i]];
        int by = a->g->updated_by[read->root];
        if (by >= from && by <= at)
            return false;
        if (a->g->last_use[read->root] < at)
            longer += mw_tensor_bytes(read);
        sums += a->g->partial[r->read[i]] &&
                mw_tensor_elements(read) >= elements / 4;
    }
    return longer <= own + own / 8 && sums < 2;
}

// The group works over the tensor's dims and no more: else it would be
// computed for each index of another.
static bool has_rank(const again *a, int group, int rank)
{
    const mw_fuse_group *of = &a->g->group[group];
    for (int m = 0; m < of->n; m++) {
        const mw_op *op = &a->g->graph->op[of->member[m]];
        if (op->n_letters > rank)
            return false;
    }
    return true;
}

static mw_status add_extra(again *a, int *first, mw_id tensor)
{
    if (has_extra(a, *first, tensor))
        return MW_OK;
    extra *grown = mw_arena_reserve(a->arena, a->extra, a->n_extra,
                                    &a->cap_extra, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    a->extra = grown;
    grown[a->n_extra] = (extra){tensor, *first};
    *first = (int)a->n_extra++;
    return MW_OK;
}

static mw_status take(again *a, const recipe *r, const int reader[], int n,
                      int at)
{
    for (int i = 0; i < r->n_reads; i++) {
        int *last = &a->g->last_use[a->g->graph->tensor[r->read[i]].root];
        *last = at > *last ? at : *last;
        for (int k = 0; k < n; k++)
            MW_TRY(add_extra(a, &a->reads[reader[k]], r->read[i]));
    }
    for (int i = 0; i < r->n_ops; i++)
        for (int k = 0; k < n; k++)
            MW_TRY(add_extra(a, &a->computes[reader[k]], r->op[i]));
    return MW_OK;
}

// What is read has all dims of the tensor: a group that reduces it knows them
// from its operands.
static bool has_dims(const again *a, const recipe *r, const mw_tensor *tensor)
{
    for (int d = 0; d < tensor->rank; d++) {
        bool has = false;
        for (int i = 0; i < r->n_reads; i++)
            has = has || mw_fused_has_dim(&a->g->graph->tensor[r->read[i]],
                                          tensor->axis[d].dim);
        if (!has)
            return false;
    }
    return true;
}

static mw_status judge(again *a, int k)
{
    const mw_op *op = &a->g->graph->op[k];
    mw_id tensor = op->out[0].tensor;
    const mw_tensor *out = mw_op_out(a->g->graph, op);
    recipe r = {.n_ops = 0};
    int reader[MAX_READERS], at = 0, n = 0;
    if (!a->leaves[tensor] || a->g->kept[tensor] || out->rank == 0 ||
        op->def->reduce != MW_REDUCE_NONE || !add_op(a, k, &r) ||
        !has_dims(a, &r, out))
        return MW_OK;
    n = readers(a, tensor, reader);
    double gain = 2 * (double)mw_tensor_bytes(out);
    for (int i = 0; i < n; i++) {
        int stands = group_at(a->g, reader[i]);
        at = stands > at ? stands : at;
        gain += gain_of(a, reader[i], out, &r);
        if (a->g->group[reader[i]].n + r.n_ops > MW_FUSED_OPS - 8 ||
            !has_rank(a, reader[i], out->rank))
            return MW_OK;
    }
    if (n <= 0 || gain <= 0 || !lives_fit(a, tensor, &r, at))
        return MW_OK;
    a->gone[tensor] = true;
    return take(a, &r, reader, n, at);
}

static mw_status find_leaving(again *a)
{
    const mw_fuse_groups *g = a->g;
    for (int k = 0; k < g->graph->n_ops; k++) {
        const mw_fuse_group *group = &g->group[k];
        if (g->of[k] != k || group->n == 0)
            continue;
        a->g->stamp++;
        for (int m = 0; m < group->n; m++)
            g->mark[group->member[m]] = g->stamp;
        for (int m = 0; m < group->n; m++) {
            mw_id t = g->graph->op[group->member[m]].out[0].tensor;
            a->leaves[t] = mw_fuse_leaves(g, t);
        }
    }
    return MW_OK;
}

mw_status mw_fuse_find_again(mw_fuse_groups *groups, mw_arena *arena,
                             bool gone[], bool leaves[], bool *any)
{
    int n_ops = groups->graph->n_ops;
    again a = {.g = groups, .arena = arena, .gone = gone, .leaves = leaves};
    a.reads = MW_NEW_ARRAY(arena, n_ops, int);
    a.computes = MW_NEW_ARRAY(arena, n_ops, int);
    if (!a.reads || !a.computes)
        return MW_ENOMEM;
    for (int k = 0; k < n_ops; k++)
        a.reads[k] = a.computes[k] = MW_NONE;
    MW_TRY(find_leaving(&a));
    *any = false;
    for (int k = 0; k < n_ops; k++) {
        if (groups->of[k] == MW_NONE)
            continue;
        MW_TRY(judge(&a, k));
        *any = *any || gone[groups->graph->op[k].out[0].tensor];
    }
    return MW_OK;
}
