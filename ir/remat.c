/* remat.c - segments of a step's forward part, and the order of what may be
 * computed again. Repeats are found by comparing each op's looks with those of
 * the op a period behind, for all periods: quadratic in ops, and only of
 * numbers. */
#include "ir/remat.h"

#include <math.h>

#include "base/hash.h"
#include "ir/op.h"

static uint64_t mix_attr(uint64_t hash, const mw_attr *attr)
{
    hash = mw_hash_text(hash, attr->name);
    hash = mw_hash_bytes(hash, &attr->f, sizeof attr->f);
    hash = mw_hash_int(hash, attr->dtype);
    for (int i = 0; i < attr->n; i++)
        hash = mw_hash_int(hash, attr->i[i]);
    return attr->text ? mw_hash_text(hash, attr->text) : hash;
}

// What an op looks like: row, attributes, its operands' roles and dimensions.
static uint64_t looks_of(const mw_graph *graph, const mw_op *op)
{
    uint64_t hash = mw_hash_text(0, op->def->name);
    for (int i = 0; i < op->n_attr; i++)
        hash = mix_attr(hash, &op->attr[i]);
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        const mw_tensor *tensor = &graph->tensor[operand->tensor];
        hash = mw_hash_int(hash, tensor->role);
        hash = mw_hash_int(hash, tensor->dtype);
        for (int a = 0; a < tensor->rank; a++) {
            hash = mw_hash_int(hash, tensor->axis[a].dim);
            hash = mw_hash_int(hash, tensor->axis[a].size);
        }
    }
    return hash;
}

/* Ops [start, start + length) look like those a period behind. */
typedef struct stretch {
    int start, length, period;
} stretch;

static stretch longest(const uint64_t *looks, int n, int period)
{
    stretch best = {0, 0, period};
    int length = 0;
    for (int i = 0; i + period < n; i++) {
        length = looks[i] == looks[i + period] ? length + 1 : 0;
        if (length > best.length) {
            best.length = length;
            best.start = i + 1 - length;
        }
    }
    return best;
}

static stretch find_stretch(const uint64_t *looks, int n)
{
    stretch found = {0, 0, 0};
    for (int period = 1; period <= n / 2; period++) {
        stretch s = longest(looks, n, period);
        if (s.length >= period &&
            s.length + period > found.length + found.period)
            found = s;
    }
    return found;
}

/* What the parts of mw_remat_plan() work on. */
typedef struct planner {
    mw_remat *remat;
    const mw_graph *step;
    uint64_t *looks; /* of each forward op */
    int *last;       /* of each root: the forward op that reads it last */
    bool *boundary;  /* of each root: another segment reads it */
    bool *changed;   /* of each root: a forward op updates it */
    bool *there;     /* of each tensor: it has been asked for again */
} planner;

static void last_uses(planner *p)
{
    for (int k = 0; k < p->remat->n_forward; k++)
        for (int i = 0; i < p->step->op[k].n_in; i++)
            p->last[p->step->tensor[p->step->op[k].in[i].tensor].root] = k;
}

// Bytes of results that are alive before op `at`.
static double alive_at(const mw_graph *graph, const int *last, int at)
{
    double bytes = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->root == t && tensor->producer != MW_NONE &&
            tensor->producer < at && last[t] >= at)
            bytes += (double)mw_tensor_bytes(tensor);
    }
    return bytes;
}

/* ---- segments ---- */

static void add_segment(planner *p, int begin, int end, bool layer)
{
    mw_remat *remat = p->remat;
    if (begin >= end)
        return;
    for (int k = begin; k < end; k++)
        remat->segment[k] = remat->n_segments;
    remat->layer[remat->n_segments++] = layer;
}

// The place in [begin, end) before which least is alive, the first of these.
static int best_cut(const planner *p, int begin, int end)
{
    double least = 0;
    int best = begin;
    for (int at = begin; at < end; at++) {
        double bytes = alive_at(p->step, p->last, at);
        if (at > begin && bytes >= least)
            continue;
        least = bytes;
        best = at;
    }
    return best;
}

/* A stretch is layers when it is that part of what is looked at. */
enum { WORTH = 4 };

// Layers in ops [begin, end), and what lies before and behind them.
static void cut(planner *p, int begin, int end)
{
    stretch s = find_stretch(p->looks + begin, end - begin);
    int whole = s.length + s.period;
    if (s.period < 2 || whole * WORTH < end - begin) {
        add_segment(p, begin, end, false);
        return;
    }
    int from = begin + s.start, behind = from + whole;
    int first = best_cut(p, from + s.period, from + 2 * s.period) - s.period;
    int n = (behind - first) / s.period;
    cut(p, begin, first);
    for (int b = 0; b < n; b++)
        add_segment(p, first + b * s.period, first + (b + 1) * s.period, true);
    cut(p, first + n * s.period, end);
}

// Without layers: about as many pieces as each has ops.
static void cut_evenly(planner *p)
{
    int n = p->remat->n_forward, piece = (int)ceil(sqrt((double)n)), begin = 0;
    p->remat->n_segments = 0;
    while (n - begin > 2 * piece) {
        int end = best_cut(p, begin + piece / 2 + 1, begin + 2 * piece);
        add_segment(p, begin, end, false);
        begin = end;
    }
    add_segment(p, begin, n, false);
}

static void find_segments(planner *p)
{
    mw_remat *remat = p->remat;
    bool layers = false;
    cut(p, 0, remat->n_forward);
    for (int s = 0; s < remat->n_segments; s++)
        layers = layers || remat->layer[s];
    if (!layers)
        cut_evenly(p);
    for (int s = 0; s < remat->n_segments; s++)
        remat->layer[s] = remat->layer[s] || !layers;
}

static mw_id root_of(const mw_graph *graph, const mw_operand *operand)
{
    return graph->tensor[operand->tensor].root;
}

static void find_boundaries(planner *p)
{
    const mw_remat *remat = p->remat;
    for (int k = 0; k < remat->n_forward; k++) {
        const mw_op *op = &p->step->op[k];
        for (int i = 0; i < op->n_in && !op->def->view; i++) {
            mw_id root = root_of(p->step, &op->in[i]);
            mw_id producer = p->step->tensor[root].producer;
            if (producer == MW_NONE ||
                remat->segment[producer] != remat->segment[k])
                p->boundary[root] = true;
        }
        for (int i = 0; i < op->n_out; i++)
            if (root_of(p->step, &op->out[i]) != op->out[i].tensor &&
                !op->def->view)
                p->changed[root_of(p->step, &op->out[i])] = true;
    }
}

/* ---- what is computed again, and where ---- */

// Whether the backward pass has the tensor only if it is kept or made again.
static bool passes(const planner *p, mw_id root)
{
    const mw_tensor *tensor = &p->step->tensor[root];
    return root != p->remat->result &&
           (tensor->role == MW_ROLE_INPUT || tensor->role == MW_ROLE_VALUE);
}

// Ops that draw on what has changed since, or change it, are done once.
static bool repeatable(const planner *p, mw_id root)
{
    const mw_tensor *tensor = &p->step->tensor[root];
    if (tensor->producer == MW_NONE || p->boundary[root] || !passes(p, root))
        return false;
    const mw_op *op = &p->step->op[tensor->producer];
    for (int i = 0; i < op->n_in; i++)
        if (p->changed[root_of(p->step, &op->in[i])])
            return false;
    return !op->def->updates;
}

static mw_status add_item(planner *p, mw_remat_item item)
{
    mw_remat *remat = p->remat;
    mw_remat_item *more =
        mw_arena_reserve(remat->arena, remat->item, remat->n_items,
                         &remat->cap_items, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    remat->item = more;
    item.made = MW_NONE;
    more[remat->n_items++] = item;
    return MW_OK;
}

static mw_status ask(planner *p, mw_id t);

// An op again, with what it is made from; all its results at once, so that
// those that nobody takes are gone at the next step.
static mw_status ask_op(planner *p, int k)
{
    mw_remat *remat = p->remat;
    const mw_op *op = &p->step->op[k];
    mw_id only = op->n_out == 1 ? root_of(p->step, &op->out[0]) : MW_NONE;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(ask(p, op->in[i].tensor));
    MW_TRY(add_item(
        p, (mw_remat_item){.kind = MW_REMAT_AGAIN, .op = k, .tensor = only}));
    for (int i = 0; i < op->n_out && !op->def->view; i++) {
        mw_id root = root_of(p->step, &op->out[i]);
        if (!repeatable(p, root))
            continue;
        p->there[root] = true;
        remat->candidate[remat->n_candidates++] = root;
        if (op->n_out > 1)
            MW_TRY(add_item(p, (mw_remat_item){.kind = MW_REMAT_SELECT,
                                               .op = k,
                                               .tensor = root}));
    }
    return MW_OK;
}

// A forward tensor as the backward pass reads it.
static mw_status ask(planner *p, mw_id t)
{
    const mw_graph *step = p->step;
    mw_id root = step->tensor[t].root, producer = step->tensor[t].producer;
    if (p->there[t] || !passes(p, root))
        return MW_OK;
    p->there[t] = true;
    bool view = producer != MW_NONE && step->op[producer].def->view;
    if (view || repeatable(p, root))
        return ask_op(p, producer);
    return add_item(
        p,
        (mw_remat_item){.kind = MW_REMAT_HOLD, .op = MW_NONE, .tensor = root});
}

static mw_status list_items(planner *p)
{
    mw_remat *remat = p->remat;
    for (int k = 0; k < p->step->n_ops; k++) {
        const mw_op *op = &p->step->op[k];
        for (int i = 0; k >= remat->n_forward && i < op->n_in; i++) {
            mw_id producer = p->step->tensor[op->in[i].tensor].producer;
            if (producer == MW_NONE || producer < remat->n_forward)
                MW_TRY(ask(p, op->in[i].tensor));
        }
        MW_TRY(add_item(
            p,
            (mw_remat_item){.kind = MW_REMAT_OP, .op = k, .tensor = MW_NONE}));
    }
    return MW_OK;
}

// Whether the item reads what stands for forward tensors, and may be absent.
static bool reads_again(const mw_remat *remat, const mw_remat_item *item,
                        bool *absent)
{
    *absent = item->kind == MW_REMAT_AGAIN;
    return (*absent ||
            (item->kind == MW_REMAT_OP && item->op >= remat->n_forward)) &&
           !remat->step->op[item->op].def->view;
}

static bool reads_root(const mw_graph *step, const mw_op *op, int i)
{
    for (int j = 0; j < i; j++)
        if (root_of(step, &op->in[j]) == root_of(step, &op->in[i]))
            return false; // counted already
    return true;
}

// The item behind which a NEXT stands for readers that may be absent, and that
// no certain one follows: by root, the last certain reader or the first of
// these.
static void find_last(const planner *p, int *certain, int *behind)
{
    const mw_remat *remat = p->remat;
    for (int i = 0; i < remat->n_items; i++) {
        bool absent;
        if (!reads_again(remat, &remat->item[i], &absent))
            continue;
        const mw_op *op = &p->step->op[remat->item[i].op];
        for (int j = 0; j < op->n_in; j++) {
            mw_id root = root_of(p->step, &op->in[j]);
            if (!absent)
                certain[root] = i;
            if (!absent || behind[root] == MW_NONE)
                behind[root] = i;
        }
    }
}

/* A NEXT to be put behind an item; a list by item. */
typedef struct insertion {
    int next; /* in the list, or MW_NONE */
    mw_remat_item item;
} insertion;

typedef struct inserter {
    planner *p;
    int *certain, *behind; /* by root */
    int n;
    int64_t cap;
    insertion *all;
    int *first; /* by item */
} inserter;

static mw_status insert(inserter *in, int item, mw_id root)
{
    insertion *more = mw_arena_reserve(in->p->remat->arena, in->all, in->n,
                                       &in->cap, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    in->all = more;
    int at = in->behind[root];
    more[in->n] = (insertion){in->first[at],
                              {.kind = MW_REMAT_NEXT,
                               .op = in->p->remat->item[item].op,
                               .tensor = root,
                               .made = MW_NONE}};
    in->first[at] = in->n++;
    in->behind[root] = item;
    return MW_OK;
}

static mw_status find_next(inserter *in)
{
    const mw_remat *remat = in->p->remat;
    const mw_graph *step = in->p->step;
    for (int i = 0; i < remat->n_items; i++) {
        bool absent;
        if (!reads_again(remat, &remat->item[i], &absent) || !absent)
            continue;
        const mw_op *op = &step->op[remat->item[i].op];
        for (int j = 0; j < op->n_in; j++) {
            mw_id root = root_of(step, &op->in[j]);
            if (passes(in->p, root) && reads_root(step, op, j) &&
                i > in->certain[root] && i > in->behind[root])
                MW_TRY(insert(in, i, root));
        }
    }
    return MW_OK;
}

static mw_status add_nexts(planner *p)
{
    mw_remat *remat = p->remat;
    mw_arena *arena = remat->arena;
    int n = remat->n_items, n_tensors = p->step->n_tensors;
    inserter in = {.p = p,
                   .certain = MW_NEW_ARRAY(arena, n_tensors, int),
                   .behind = MW_NEW_ARRAY(arena, n_tensors, int),
                   .first = MW_NEW_ARRAY(arena, n, int)};
    if (!in.certain || !in.behind || !in.first)
        return MW_ENOMEM;
    for (mw_id t = 0; t < n_tensors; t++)
        in.certain[t] = in.behind[t] = MW_NONE;
    for (int i = 0; i < n; i++)
        in.first[i] = MW_NONE;
    find_last(p, in.certain, in.behind);
    MW_TRY(find_next(&in));
    const mw_remat_item *before = remat->item;
    remat->item = NULL;
    remat->n_items = 0;
    remat->cap_items = 0;
    for (int i = 0; i < n; i++) {
        MW_TRY(add_item(p, before[i]));
        for (int j = in.first[i]; j != MW_NONE; j = in.all[j].next)
            MW_TRY(add_item(p, in.all[j].item));
    }
    return MW_OK;
}

static mw_status allocate(planner *p)
{
    mw_remat *remat = p->remat;
    mw_arena *arena = remat->arena;
    int n = p->step->n_tensors, n_forward = remat->n_forward;
    p->looks = MW_NEW_ARRAY(arena, n_forward, uint64_t);
    p->last = MW_NEW_ARRAY(arena, n, int);
    p->boundary = MW_NEW_ARRAY(arena, n, bool);
    p->changed = MW_NEW_ARRAY(arena, n, bool);
    p->there = MW_NEW_ARRAY(arena, n, bool);
    remat->repeated = MW_NEW_ARRAY(arena, n, mw_id);
    remat->segment = MW_NEW_ARRAY(arena, n_forward, int);
    remat->layer = MW_NEW_ARRAY(arena, n_forward, bool);
    remat->candidate = MW_NEW_ARRAY(arena, n, mw_id);
    remat->first = MW_NEW_ARRAY(arena, n, mw_id);
    remat->again = MW_NEW_ARRAY(arena, n, mw_id);
    return p->looks && p->last && p->boundary && p->changed && p->there &&
                   remat->repeated && remat->segment && remat->layer &&
                   remat->candidate && remat->first && remat->again
               ? MW_OK
               : MW_ENOMEM;
}

mw_status mw_remat_plan(mw_arena *arena, const mw_graph *step, mw_remat *remat)
{
    mw_remat made = {.arena = arena, .step = step, .result = MW_NONE};
    planner p = {.remat = &made, .step = step};
    for (mw_id t = 0; t < step->n_tensors; t++)
        if (step->tensor[t].output) {
            made.result = step->tensor[t].root;
            made.n_forward = step->tensor[t].producer + 1;
        }
    MW_TRY(allocate(&p));
    for (int k = 0; k < made.n_forward; k++)
        p.looks[k] = looks_of(step, &step->op[k]);
    last_uses(&p);
    find_segments(&p);
    find_boundaries(&p);
    MW_TRY(list_items(&p));
    MW_TRY(add_nexts(&p));
    *remat = made;
    return MW_OK;
}

/* ---- levels ---- */

static int count_layers(const mw_remat *remat)
{
    int n = 0;
    for (int s = 0; s < remat->n_segments; s++)
        n += remat->layer[s];
    return n;
}

int mw_remat_levels(const mw_remat *remat)
{
    return 2 * count_layers(remat) + 1;
}

void mw_remat_level(const mw_remat *remat, int level, bool *again)
{
    int n_layers = count_layers(remat);
    for (int c = 0; c < remat->n_candidates; c++) {
        int k = remat->step->tensor[remat->candidate[c]].producer, number = 0;
        for (int s = 0; s < remat->segment[k]; s++)
            number += remat->layer[s];
        bool cheap = !remat->step->op[k].def->dear;
        again[c] = remat->layer[remat->segment[k]] &&
                   (number + n_layers < level || (cheap && number < level));
    }
}
