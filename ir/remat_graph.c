/* remat_graph.c - the step of one choice of what is computed again, and the
 * graph that holds both ways of every candidate. */
#include "ir/graph_copy.h"
#include "ir/op.h"
#include "ir/remat.h"

typedef struct maker {
    mw_remat *remat;
    mw_graph *to;
} maker;

static mw_status free_name(maker *m, const char *what, const char *of,
                           const char **name)
{
    const char *wanted = mw_arena_format(m->to->arena, "%s/%s", what, of);
    return mw_graph_new_name(m->remat->step, m->to, wanted, ".", 1, name);
}

// A tensor like one of the step, which comes from it in some way.
static mw_status like(maker *m, mw_id t, const char *what, mw_id *id)
{
    mw_tensor made = m->remat->step->tensor[t];
    made.output = false;
    made.role = MW_ROLE_VALUE;
    made.data = (mw_data){.kind = MW_DATA_NONE};
    MW_TRY(free_name(m, what, made.name, &made.name));
    return mw_graph_tensor(m->to, &made, id);
}

static mw_status copy_tensor(maker *m, mw_id t)
{
    if (m->remat->first[t] != MW_NONE)
        return MW_OK;
    return mw_graph_tensor(m->to, &m->remat->step->tensor[t],
                           &m->remat->first[t]);
}

// Op k of the step with results out[]; behind: it reads as the backward pass
// does.
static mw_status bind_op(maker *m, int k, bool behind, const mw_id *out,
                         int *made)
{
    const mw_op *op = &m->remat->step->op[k];
    mw_id *in = MW_NEW_ARRAY(m->to->arena, op->n_in, mw_id);
    if (!in)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        in[i] = behind && m->remat->again[t] != MW_NONE ? m->remat->again[t]
                                                        : m->remat->first[t];
    }
    const char *name =
        behind && k < m->remat->n_forward ? m->to->tensor[out[0]].name : NULL;
    mw_id id;
    MW_TRY(mw_graph_bind_as(m->to, op, name, in, out, &id));
    *made = id;
    return MW_OK;
}

// Operands stand before results, as a text has them.
static mw_status copy_operands(maker *m, const mw_op *op)
{
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(copy_tensor(m, op->in[i].tensor));
    return MW_OK;
}

static mw_status copy_op(maker *m, mw_remat_item *item)
{
    const mw_op *op = &m->remat->step->op[item->op];
    mw_id *out = MW_NEW_ARRAY(m->to->arena, op->n_out, mw_id);
    if (!out)
        return MW_ENOMEM;
    MW_TRY(copy_operands(m, op));
    for (int i = 0; i < op->n_out; i++) {
        MW_TRY(copy_tensor(m, op->out[i].tensor));
        out[i] = m->remat->first[op->out[i].tensor];
    }
    return bind_op(m, item->op, item->op >= m->remat->n_forward, out,
                   &item->made);
}

static mw_status repeat_op(maker *m, mw_remat_item *item)
{
    const mw_op *op = &m->remat->step->op[item->op];
    mw_id *out = MW_NEW_ARRAY(m->to->arena, op->n_out, mw_id);
    if (!out)
        return MW_ENOMEM;
    MW_TRY(copy_operands(m, op));
    for (int i = 0; i < op->n_out; i++) {
        MW_TRY(like(m, op->out[i].tensor, "again", &out[i]));
        m->remat->repeated[op->out[i].tensor] = out[i];
    }
    return bind_op(m, item->op, true, out, &item->made);
}

static mw_status begin(maker *m)
{
    mw_remat *remat = m->remat;
    for (mw_id t = 0; t < remat->step->n_tensors; t++)
        remat->first[t] = remat->again[t] = remat->repeated[t] = MW_NONE;
    for (int i = 0; i < remat->n_items; i++)
        remat->item[i].made = MW_NONE;
    return mw_graph_copy_frame(remat->step, m->to);
}

/* ---- the step of a choice ---- */

// Whether any result of an op is.
static bool any_wanted(const mw_graph *step, const mw_op *op,
                       const bool *chosen, const bool *read)
{
    for (int i = 0; i < op->n_out; i++) {
        mw_id root = step->tensor[op->out[i].tensor].root;
        if (chosen[root] && read[root])
            return true;
    }
    return false;
}

// Candidates, by root, that are computed again and read by somebody.
static mw_status find_wanted(const mw_remat *remat, const bool *again,
                             bool **wanted)
{
    const mw_graph *step = remat->step;
    bool *chosen = MW_NEW_ARRAY(remat->arena, step->n_tensors, bool);
    bool *read = MW_NEW_ARRAY(remat->arena, step->n_tensors, bool);
    if (!chosen || !read)
        return MW_ENOMEM;
    for (int c = 0; c < remat->n_candidates; c++)
        chosen[remat->candidate[c]] = again[c];
    for (int i = remat->n_items - 1; i >= 0; i--) {
        const mw_remat_item *item = &remat->item[i];
        bool behind = item->kind == MW_REMAT_OP && item->op >= remat->n_forward;
        bool repeats = item->kind == MW_REMAT_AGAIN &&
                       any_wanted(step, &step->op[item->op], chosen, read);
        for (int j = 0; (behind || repeats) && j < step->op[item->op].n_in; j++)
            read[step->tensor[step->op[item->op].in[j].tensor].root] = true;
    }
    for (mw_id t = 0; t < step->n_tensors; t++)
        chosen[t] = chosen[t] && read[t];
    *wanted = chosen;
    return MW_OK;
}

mw_status mw_remat_step(mw_remat *remat, const bool *again, mw_graph *made)
{
    maker m = {.remat = remat, .to = made};
    bool *wanted;
    MW_TRY(begin(&m));
    MW_TRY(find_wanted(remat, again, &wanted));
    for (int i = 0; i < remat->n_items; i++) {
        mw_remat_item *item = &remat->item[i];
        if (item->kind == MW_REMAT_OP)
            MW_TRY(copy_op(&m, item));
        if (item->kind != MW_REMAT_AGAIN)
            continue;
        const mw_op *op = &remat->step->op[item->op];
        if (!any_wanted(remat->step, op, wanted, wanted))
            continue;
        MW_TRY(repeat_op(&m, item));
        for (int j = 0; j < op->n_out; j++) {
            mw_id t = op->out[j].tensor;
            if (wanted[remat->step->tensor[t].root])
                remat->again[t] = remat->repeated[t];
        }
    }
    return MW_OK;
}

/* ---- both ways in one graph ---- */

/* What a NEXT stands for, in the list of the op whose repetition reads it. */
typedef struct later {
    mw_id root, instead;
    int next;
} later;

typedef struct pairer {
    maker m;
    mw_remat_pairs *pairs;
    mw_id *part;    /* of each root of the step: what stands for it last */
    int *candidate; /* of each root: its number, or MW_NONE */
    int *first;     /* of each forward op: in its list */
    int n_later;
    int64_t cap_later;
    later *later;
} pairer;

// An op that stands for a tensor that is only kept.
static mw_status carry(pairer *p, mw_id from, mw_id to, int *made)
{
    const mw_attr attr = {.name = "to",
                          .kind = MW_ATTR_DTYPE,
                          .dtype = p->m.to->tensor[from].dtype};
    const mw_op_spec spec = {.def = "cast",
                             .n_in = 1,
                             .in = &from,
                             .n_out = 1,
                             .out = &to,
                             .n_attr = 1,
                             .attr = &attr};
    mw_id id;
    MW_TRY(mw_graph_bind(p->m.to, &spec, &id));
    *made = id;
    return MW_OK;
}

bool mw_pair_runs(const mw_remat_pair *pair)
{
    return pair->kind == MW_PAIR_AGAIN || pair->kind == MW_PAIR_RUN;
}

static mw_status add_pair(pairer *p, mw_remat_pair pair)
{
    mw_remat_pairs *pairs = p->pairs;
    mw_remat_pair *more =
        mw_arena_reserve(p->m.remat->arena, pairs->pair, pairs->n_pairs,
                         &pairs->cap_pairs, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    pair.gap = MW_NONE;
    pairs->pair = more;
    more[pairs->n_pairs++] = pair;
    return MW_OK;
}

// What stands for a root of the step from here on.
static mw_status add_part(pairer *p, mw_pair_kind kind, mw_id root, mw_id kept,
                          mw_id again, const mw_remat_item *item)
{
    bool chosen = kind == MW_PAIR_AGAIN || kind == MW_PAIR_SELECT;
    p->part[root] = again;
    return add_pair(
        p, (mw_remat_pair){.kind = kind,
                           .op = item->made,
                           .kept = kept,
                           .again = again,
                           .made = kind == MW_PAIR_SELECT
                                       ? p->m.remat->repeated[root]
                                       : MW_NONE,
                           .candidate = chosen ? p->candidate[root] : MW_NONE});
}

static mw_status add_hold(pairer *p, mw_remat_item *item)
{
    mw_remat *remat = p->m.remat;
    mw_id root = item->tensor, made;
    MW_TRY(copy_tensor(&p->m, root));
    MW_TRY(like(&p->m, root, "hold", &made));
    MW_TRY(carry(p, remat->first[root], made, &item->made));
    remat->again[root] = made;
    return add_part(p, MW_PAIR_HOLD, root, remat->first[root], made, item);
}

static mw_status add_select(pairer *p, mw_remat_item *item)
{
    mw_remat *remat = p->m.remat;
    mw_id root = item->tensor, made;
    MW_TRY(like(&p->m, root, "select", &made));
    MW_TRY(carry(p, remat->repeated[root], made, &item->made));
    remat->again[root] = made;
    return add_part(p, MW_PAIR_SELECT, root, remat->first[root], made, item);
}

static mw_status add_next(pairer *p, mw_remat_item *item)
{
    mw_id root = item->tensor, kept = p->part[root], made;
    MW_TRY(like(&p->m, root, "next", &made));
    MW_TRY(carry(p, kept, made, &item->made));
    later *more = mw_arena_reserve(p->m.remat->arena, p->later, p->n_later,
                                   &p->cap_later, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    p->later = more;
    more[p->n_later] =
        (later){p->m.remat->again[root], made, p->first[item->op]};
    p->first[item->op] = p->n_later++;
    return add_part(p, MW_PAIR_HOLD, root, kept, made, item);
}

static mw_status add_repetition(pairer *p, mw_remat_item *item)
{
    mw_remat *remat = p->m.remat;
    mw_remat_pairs *pairs = p->pairs;
    const mw_op *op = &remat->step->op[item->op];
    MW_TRY(repeat_op(&p->m, item));
    if (op->n_out == 1)
        remat->again[op->out[0].tensor] = remat->repeated[op->out[0].tensor];
    if (op->def->view)
        return MW_OK;
    for (int i = p->first[item->op]; i != MW_NONE; i = p->later[i].next) {
        mw_remat_reader *more =
            mw_arena_reserve(remat->arena, pairs->reader, pairs->n_readers,
                             &pairs->cap_readers, sizeof *more);
        if (!more)
            return MW_ENOMEM;
        pairs->reader = more;
        more[pairs->n_readers++] = (mw_remat_reader){
            item->made, p->later[i].root, p->later[i].instead};
    }
    if (op->n_out > 1)
        return add_pair(p, (mw_remat_pair){.kind = MW_PAIR_RUN,
                                           .op = item->made,
                                           .kept = MW_NONE,
                                           .again = MW_NONE,
                                           .made = MW_NONE,
                                           .candidate = MW_NONE});
    return add_part(p, MW_PAIR_AGAIN, item->tensor, remat->first[item->tensor],
                    remat->again[item->tensor], item);
}

static mw_status add_items(pairer *p)
{
    mw_remat *remat = p->m.remat;
    for (int i = 0; i < remat->n_items; i++) {
        mw_remat_item *item = &remat->item[i];
        switch (item->kind) {
        case MW_REMAT_OP:
            MW_TRY(copy_op(&p->m, item));
            break;
        case MW_REMAT_AGAIN:
            MW_TRY(add_repetition(p, item));
            break;
        case MW_REMAT_SELECT:
            MW_TRY(add_select(p, item));
            break;
        case MW_REMAT_HOLD:
            MW_TRY(add_hold(p, item));
            break;
        case MW_REMAT_NEXT:
            MW_TRY(add_next(p, item));
            break;
        }
    }
    return MW_OK;
}

mw_id mw_remat_read(const mw_remat_pairs *pairs, mw_id op, mw_id root)
{
    int low = 0, high = pairs->n_readers;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pairs->reader[middle].op < op)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < pairs->n_readers && pairs->reader[low].op == op; low++)
        if (pairs->reader[low].root == root)
            return pairs->reader[low].instead;
    return root;
}

// What is kept lives to its last use in the forward part, what stands for it
// from its op to its last reader.
static void set_lives(pairer *p)
{
    mw_remat_pairs *pairs = p->pairs;
    const mw_graph *graph = &pairs->graph;
    mw_life *life = pairs->life;
    mw_lives(graph, life);
    for (int i = 0; i < pairs->n_pairs; i++) {
        const mw_remat_pair *pair = &pairs->pair[i];
        if (pair->kind == MW_PAIR_RUN)
            continue;
        life[pair->kept].end = life[pair->kept].begin + 1;
        life[pair->again] = (mw_life){pair->op, pair->op + 1};
        if (pair->kind == MW_PAIR_SELECT)
            life[pair->made].end = pair->op;
    }
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        int number = pairs->of_op[k];
        bool carries = number != MW_NONE && !mw_pair_runs(&pairs->pair[number]);
        for (int i = 0; i < op->n_in && !op->def->view && !carries; i++) {
            mw_id root = graph->tensor[op->in[i].tensor].root;
            mw_life *used = &life[mw_remat_read(pairs, k, root)];
            used->end = used->end < k + 1 ? k + 1 : used->end;
        }
    }
}

static mw_status add_gaps(pairer *p)
{
    mw_remat_pairs *pairs = p->pairs;
    int n_tensors = pairs->graph.n_tensors;
    for (int i = 0; i < pairs->n_pairs; i++) {
        mw_remat_pair *pair = &pairs->pair[i];
        if (pair->kind == MW_PAIR_RUN)
            continue;
        mw_tensor made = pairs->graph.tensor[pair->again];
        if (pairs->life[pair->kept].end >= pair->op)
            continue;
        MW_TRY(free_name(&p->m, "gap", made.name, &made.name));
        MW_TRY(mw_graph_tensor(&pairs->graph, &made, &pair->gap));
    }
    mw_life *life =
        MW_NEW_ARRAY(p->m.remat->arena, pairs->graph.n_tensors, mw_life);
    if (!life)
        return MW_ENOMEM;
    for (mw_id t = 0; t < n_tensors; t++)
        life[t] = pairs->life[t];
    for (int i = 0; i < pairs->n_pairs; i++) {
        const mw_remat_pair *pair = &pairs->pair[i];
        if (pair->gap != MW_NONE)
            life[pair->gap] = (mw_life){life[pair->kept].end, pair->op};
    }
    pairs->life = life;
    return MW_OK;
}

static mw_status finish(pairer *p)
{
    mw_remat_pairs *pairs = p->pairs;
    mw_arena *arena = p->m.remat->arena;
    pairs->of_op = MW_NEW_ARRAY(arena, pairs->graph.n_ops, int);
    pairs->life = MW_NEW_ARRAY(arena, pairs->graph.n_tensors, mw_life);
    if (!pairs->of_op || !pairs->life)
        return MW_ENOMEM;
    for (int k = 0; k < pairs->graph.n_ops; k++)
        pairs->of_op[k] = MW_NONE;
    for (int i = 0; i < pairs->n_pairs; i++)
        pairs->of_op[pairs->pair[i].op] = i;
    set_lives(p);
    return add_gaps(p);
}

mw_status mw_remat_pairs_make(mw_remat *remat, mw_remat_pairs *pairs)
{
    const mw_graph *step = remat->step;
    *pairs = (mw_remat_pairs){.n_pairs = 0};
    pairer p = {.m = {.remat = remat, .to = &pairs->graph},
                .pairs = pairs,
                .part = MW_NEW_ARRAY(remat->arena, step->n_tensors, mw_id),
                .candidate = MW_NEW_ARRAY(remat->arena, step->n_tensors, int),
                .first = MW_NEW_ARRAY(remat->arena, step->n_ops, int)};
    if (!p.part || !p.candidate || !p.first)
        return MW_ENOMEM;
    for (mw_id t = 0; t < step->n_tensors; t++)
        p.candidate[t] = MW_NONE;
    for (int c = 0; c < remat->n_candidates; c++)
        p.candidate[remat->candidate[c]] = c;
    for (int k = 0; k < step->n_ops; k++)
        p.first[k] = MW_NONE;
    MW_TRY(mw_graph_init(&pairs->graph, remat->arena, step->name));
    MW_TRY(begin(&p.m));
    MW_TRY(add_items(&p));
    return finish(&p);
}
