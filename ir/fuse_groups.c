/* fuse_groups.c - groups grow from producers to consumers, in the order of the
 * schedule; each merge is judged by what it would make of the graph. */
#include "ir/fuse_groups.h"

#include <string.h>

#include "ir/rule.h"

static bool is_fusable(const mw_op *op)
{
    bool right = op->def->fuses && op->n_out == 1 && op->n_in > 0 &&
                 op->n_in <= MW_FUSED_ARGS && !op->def->refuses &&
                 !op->def->updates && mw_fused_row(op->def->reduce);
    for (int l = 0; l < op->n_letters; l++)
        right = right && op->letter[l].dim != MW_NONE && !op->letter[l].pinned;
    return right;
}

/* ---- the graph's uses --------------------------------------------------- */

static mw_status find_users(mw_fuse_groups *g, mw_arena *arena)
{
    const mw_graph *graph = g->graph;
    int n = graph->n_tensors, total = 0;
    g->first_user = MW_NEW_ARRAY(arena, n + 2, int);
    if (!g->first_user)
        return MW_ENOMEM;
    for (int k = 0; k < graph->n_ops; k++)
        for (int i = 0; i < graph->op[k].n_in; i++, total++)
            g->first_user[graph->op[k].in[i].tensor + 2]++;
    g->user = MW_NEW_ARRAY(arena, total, int);
    if (!g->user)
        return MW_ENOMEM;
    for (int t = 0; t < n; t++)
        g->first_user[t + 2] += g->first_user[t + 1];
    for (int k = 0; k < graph->n_ops; k++)
        for (int i = 0; i < graph->op[k].n_in; i++)
            g->user[g->first_user[graph->op[k].in[i].tensor + 1]++] = k;
    return MW_OK;
}

static void find_lives(mw_fuse_groups *g)
{
    const mw_graph *graph = g->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        g->updated_by[t] = MW_NONE;
        g->reader[t] = MW_NONE;
    }
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        for (int i = 0; i < op->n_in; i++)
            g->last_use[graph->tensor[op->in[i].tensor].root] = k;
        for (int i = 0; op->def->updates && i < op->n_out; i++)
            if (op->def->updates[i] != MW_NONE)
                g->updated_by[graph->tensor[op->out[i].tensor].root] = k;
    }
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->output || tensor->role == MW_ROLE_CONST ||
            mw_role_persists(graph->tensor[tensor->root].role))
            g->last_use[tensor->root] = graph->n_ops;
    }
}

static void find_kept(mw_fuse_groups *g, const char *const keep[], int n_keep)
{
    for (mw_id t = 0; t < g->graph->n_tensors; t++)
        g->kept[t] = g->graph->tensor[t].output;
    for (int i = 0; i < n_keep; i++) {
        mw_id t = mw_graph_find_tensor(g->graph, keep[i]);
        if (t != MW_NONE)
            g->kept[t] = true;
    }
}

bool mw_fuse_leaves(const mw_fuse_groups *g, mw_id tensor)
{
    int first = g->first_user[tensor], end = g->first_user[tensor + 1];
    if (g->kept[tensor] || first == end)
        return true;
    for (int u = first; u < end; u++)
        if (g->mark[g->user[u]] != g->stamp)
            return true;
    return false;
}

bool mw_fuse_is_inner(const mw_fuse_groups *g, mw_id tensor)
{
    const mw_tensor *t = &g->graph->tensor[tensor];
    return t->role == MW_ROLE_CONST && t->rank == 0 && !g->kept[tensor] &&
           (t->data.kind == MW_DATA_MEMORY || t->data.kind == MW_DATA_FILL);
}

/* ---- one merge ---------------------------------------------------------- */

/* What both groups would be together. */
typedef struct merged {
    mw_fuse_groups *g;
    int n, at; /* the last member, where it would stand */
    int member[MW_FUSED_OPS];
    int n_dims, n_operands, n_results;
    mw_id dim[MW_MAX_LETTERS];
    mw_id operand[MW_FUSED_IN];
} merged;

// The tensor that has all letters of a member.
static const mw_tensor *full_of(const mw_graph *graph, const mw_op *op)
{
    return op->def->reduce != MW_REDUCE_NONE ? mw_op_in(graph, op, 0)
                                             : mw_op_out(graph, op);
}

static bool add_dims(merged *m, const mw_tensor *tensor)
{
    for (int a = 0; a < tensor->rank; a++) {
        int d = 0;
        while (d < m->n_dims && m->dim[d] != tensor->axis[a].dim)
            d++;
        if (d == MW_MAX_LETTERS)
            return false;
        if (d == m->n_dims)
            m->dim[m->n_dims++] = tensor->axis[a].dim;
    }
    return true;
}

static bool add_operand(merged *m, mw_id tensor)
{
    mw_id producer = m->g->graph->tensor[tensor].producer;
    if (producer != MW_NONE && m->g->mark[producer] == m->g->stamp)
        return m->g->graph->op[producer].def->reduce == MW_REDUCE_NONE;
    if (mw_fuse_is_inner(m->g, tensor))
        return true;
    for (int i = 0; i < m->n_operands; i++)
        if (m->operand[i] == tensor)
            return true;
    if (m->n_operands == MW_FUSED_IN)
        return false;
    m->operand[m->n_operands++] = tensor;
    return true;
}

// Who reads what a member makes and is none stands behind the group; nothing
// that a member reads is overwritten before.
static bool in_order(const merged *m, const mw_op *op, int k)
{
    const mw_fuse_groups *g = m->g;
    mw_id out = op->out[0].tensor;
    for (int u = g->first_user[out]; u < g->first_user[out + 1]; u++)
        if (g->mark[g->user[u]] != g->stamp && g->user[u] < m->at)
            return false;
    for (int i = 0; i < op->n_in; i++) {
        int by = g->updated_by[g->graph->tensor[op->in[i].tensor].root];
        if (by > k && by <= m->at)
            return false;
    }
    return true;
}

// A result has all dims; what lacks some is the same along the rows.
static bool dims_fit(merged *m)
{
    const mw_graph *graph = m->g->graph;
    const mw_tensor *lead = full_of(graph, &graph->op[m->at]);
    mw_id row = lead->rank ? lead->axis[lead->rank - 1].dim : MW_NONE;
    for (int i = 0; i < m->n; i++) {
        const mw_op *op = &graph->op[m->member[i]];
        const mw_tensor *full = full_of(graph, op);
        bool leaves = mw_fuse_leaves(m->g, op->out[0].tensor);
        m->n_results += leaves;
        if (full->rank == m->n_dims)
            continue;
        if (leaves || op->def->reduce != MW_REDUCE_NONE ||
            mw_fused_has_dim(full, row))
            return false;
    }
    return m->n_results <= MW_FUSED_OUT;
}

static int64_t result_bytes(const mw_graph *graph, int k)
{
    int64_t total = 0;
    for (int i = 0; i < graph->op[k].n_out; i++) {
        mw_id t = graph->op[k].out[i].tensor;
        if (graph->tensor[t].root == t)
            total += mw_tensor_bytes(&graph->tensor[t]);
    }
    return total;
}

// Some dim is kept by all reductions, so that threads can share it; or one
// keeps none in any case.
static bool keeps_dim(const merged *m)
{
    const mw_graph *graph = m->g->graph;
    int n_kept = m->n_dims;
    for (int d = 0; d < m->n_dims; d++) {
        bool kept = true;
        for (int i = 0; i < m->n; i++) {
            const mw_op *op = &graph->op[m->member[i]];
            if (op->def->reduce == MW_REDUCE_NONE)
                continue;
            if (mw_op_out(graph, op)->rank == 0)
                return true;
            kept = kept && mw_fused_has_dim(mw_op_out(graph, op), m->dim[d]);
        }
        n_kept -= !kept;
    }
    return n_kept > 0 || m->n_dims == 0;
}

// Something is done between both places that makes more than the last member,
// where the operands are alive in any case.
static bool apart(const merged *m, const mw_fuse_group *earlier)
{
    const mw_fuse_groups *g = m->g;
    int64_t own = result_bytes(g->graph, m->at);
    for (int k = earlier->member[earlier->n - 1] + 1; k < m->at; k++)
        if (g->mark[k] != g->stamp && result_bytes(g->graph, k) > own)
            return true;
    return false;
}

// Operands that live longer so take no more memory than what is gone.
static bool memory_fits(const merged *m, const mw_fuse_group *earlier)
{
    const mw_graph *graph = m->g->graph;
    int64_t longer = 0, gone = 0;
    mw_id seen[MW_FUSED_IN];
    int n_seen = 0;
    if (!apart(m, earlier))
        return true;
    for (int i = 0; i < earlier->n; i++) {
        const mw_op *op = &graph->op[earlier->member[i]];
        if (!mw_fuse_leaves(m->g, op->out[0].tensor))
            gone += mw_tensor_bytes(mw_op_out(graph, op));
        for (int k = 0; k < op->n_in; k++) {
            mw_id t = op->in[k].tensor, root = graph->tensor[t].root;
            mw_id producer = graph->tensor[t].producer;
            bool inner =
                producer != MW_NONE && m->g->mark[producer] == m->g->stamp;
            for (int s = 0; s < n_seen; s++)
                inner = inner || seen[s] == root;
            if (inner || m->g->last_use[root] >= m->at || n_seen == MW_FUSED_IN)
                continue;
            seen[n_seen++] = root;
            longer += mw_tensor_bytes(&graph->tensor[root]);
        }
    }
    return longer <= gone;
}

static bool take_members(merged *m, const mw_fuse_group *a,
                         const mw_fuse_group *b)
{
    int i = 0, k = 0;
    if (a->n + b->n > MW_FUSED_OPS)
        return false;
    m->g->stamp++;
    while (i < a->n || k < b->n) {
        bool first = k == b->n || (i < a->n && a->member[i] < b->member[k]);
        int op = first ? a->member[i++] : b->member[k++];
        m->member[m->n++] = op;
        m->g->mark[op] = m->g->stamp;
    }
    m->at = m->member[m->n - 1];
    return true;
}

// Each dim is one of an operand or of a result: it is not when what is reduced
// was only just repeated along it.
static bool dims_are_met(const merged *m)
{
    const mw_graph *graph = m->g->graph;
    for (int d = 0; d < m->n_dims; d++) {
        bool met = false;
        for (int i = 0; i < m->n_operands; i++)
            met = met ||
                  mw_fused_has_dim(&graph->tensor[m->operand[i]], m->dim[d]);
        for (int i = 0; i < m->n; i++) {
            mw_id out = graph->op[m->member[i]].out[0].tensor;
            met = met || (mw_fuse_leaves(m->g, out) &&
                          mw_fused_has_dim(&graph->tensor[out], m->dim[d]));
        }
        if (!met)
            return false;
    }
    return true;
}

bool mw_fuse_fits(mw_fuse_groups *g, const mw_fuse_group *earlier,
                  const mw_fuse_group *later)
{
    merged m = {.g = g};
    if (earlier->reduce != MW_REDUCE_NONE && later->reduce != MW_REDUCE_NONE &&
        earlier->reduce != later->reduce)
        return false;
    if (!take_members(&m, earlier, later))
        return false;
    for (int i = 0; i < m.n; i++) {
        const mw_op *op = &g->graph->op[m.member[i]];
        if (!add_dims(&m, full_of(g->graph, op)) ||
            !in_order(&m, op, m.member[i]))
            return false;
        for (int k = 0; k < op->n_in; k++)
            if (!add_operand(&m, op->in[k].tensor))
                return false;
    }
    return dims_fit(&m) && dims_are_met(&m) && keeps_dim(&m) &&
           memory_fits(&m, earlier) && mw_fuse_keeps_sums(g, m.member, m.n);
}

/* ---- all groups --------------------------------------------------------- */

static void merge(mw_fuse_groups *g, int from, int into)
{
    mw_fuse_group *a = &g->group[from], *b = &g->group[into];
    mw_fuse_group both = {.reduce = a->reduce ? a->reduce : b->reduce};
    int i = 0, k = 0;
    while (i < a->n || k < b->n) {
        bool first = k == b->n || (i < a->n && a->member[i] < b->member[k]);
        both.member[both.n++] = first ? a->member[i++] : b->member[k++];
    }
    for (int m = 0; m < both.n; m++)
        g->of[both.member[m]] = into;
    a->n = 0;
    *b = both;
}

static bool is_twin(const mw_fuse_groups *g, int k)
{
    return g->twin && g->twin[k];
}

// A twin waits for its reader, with other twins alone.
static void try_merge(mw_fuse_groups *g, int from, int into)
{
    if (from == MW_NONE || from == into || g->group[from].n == 0)
        return;
    for (int m = 0; is_twin(g, into) && m < g->group[from].n; m++)
        if (!is_twin(g, g->group[from].member[m]))
            return;
    if (mw_fuse_fits(g, &g->group[from], &g->group[into]))
        merge(g, from, into);
}

// The group of an op takes in those that make its operands, then those that
// read them too.
static void grow(mw_fuse_groups *g, int k)
{
    const mw_op *op = &g->graph->op[k];
    for (int i = 0; i < op->n_in; i++) {
        mw_id producer = g->graph->tensor[op->in[i].tensor].producer;
        if (producer != MW_NONE)
            try_merge(g, g->of[producer], k);
    }
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        int reader = g->reader[t];
        if (is_twin(g, k))
            continue;
        if (reader != MW_NONE && g->graph->tensor[t].rank > 0)
            try_merge(g, g->of[reader], k);
        g->reader[t] = k;
    }
}

static mw_status allocate(mw_fuse_groups *g, mw_arena *arena)
{
    int n_ops = g->graph->n_ops, n = g->graph->n_tensors;
    g->group = MW_NEW_ARRAY(arena, n_ops, mw_fuse_group);
    g->of = MW_NEW_ARRAY(arena, n_ops, int);
    g->partial = MW_NEW_ARRAY(arena, n, bool);
    g->mark = MW_NEW_ARRAY(arena, n_ops, int);
    g->kept = MW_NEW_ARRAY(arena, n, bool);
    g->last_use = MW_NEW_ARRAY(arena, n, int);
    g->updated_by = MW_NEW_ARRAY(arena, n, int);
    g->reader = MW_NEW_ARRAY(arena, n, int);
    bool done = g->group && g->of && g->partial && g->mark && g->kept &&
                g->last_use && g->updated_by && g->reader;
    return done ? find_users(g, arena) : MW_ENOMEM;
}

mw_status mw_fuse_uses(mw_fuse_groups *g, mw_arena *arena,
                       const char *const keep[], int n_keep)
{
    MW_TRY(allocate(g, arena));
    find_lives(g);
    find_kept(g, keep, n_keep);
    for (int k = 0; k < g->graph->n_ops; k++)
        g->of[k] = MW_NONE;
    return MW_OK;
}

mw_status mw_fuse_find(mw_fuse_groups *g, mw_arena *arena,
                       const char *const keep[], int n_keep)
{
    const mw_graph *graph = g->graph;
    MW_TRY(mw_fuse_uses(g, arena, keep, n_keep));
    mw_fuse_find_partial(g);
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        if (!is_fusable(op))
            continue;
        g->of[k] = k;
        g->group[k] =
            (mw_fuse_group){.n = 1, .member = {k}, .reduce = op->def->reduce};
        grow(g, k);
    }
    return MW_OK;
}
