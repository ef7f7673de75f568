/*
 * channels_last.c - gives tensors another order of axes, op by op: results of
 * convolutions end with their channels, and what maps, pools, slices and the
 * like make of such a tensor follows it. Whoever else reads one finds a
 * transpose back. Letters decide what an op means, so it is the same op.
 */
#include <string.h>

#include "ir/conv_fuse.h"
#include "ir/direct.h"
#include "ir/rebuild.h"
#include "ir/rule.h"

enum { X, W, EXTRA, OUT = -1 };

/* Axis i is axis from[i] of the tensor as it was. */
typedef struct order {
    int n;
    int8_t from[MW_MAX_RANK];
} order;

/* A tensor in the new graph: in the order in which it is made, and in others,
 * once they are asked for. */
typedef struct forms {
    order made;
    int n_others;
    order other[2];
    mw_id id[2];
} forms;

typedef struct placer {
    mw_rebuild r;
    const mw_kept *kept;
    forms *form; /* of each tensor */
} placer;

static order as_it_is(const mw_tensor *tensor)
{
    order plain = {.n = tensor->rank};
    for (int a = 0; a < tensor->rank; a++)
        plain.from[a] = (int8_t)a;
    return plain;
}

static bool same_order(const order *a, const order *b)
{
    return a->n == b->n && memcmp(a->from, b->from, (size_t)a->n) == 0;
}

static bool is_plain(const order *o)
{
    bool plain = true;
    for (int a = 0; a < o->n; a++)
        plain = plain && o->from[a] == a;
    return plain;
}

// A tensor like another, of the result of an op, with its axes so.
static mw_tensor reordered(const mw_tensor *tensor, const order *o)
{
    mw_tensor made = *tensor;
    if (!is_plain(o)) {
        made.file_rank = 0;
        for (int a = 0; a < o->n; a++)
            made.axis[a] = tensor->axis[o->from[a]];
    }
    return made;
}

static mw_status add_transpose(placer *p, mw_id in, mw_id out)
{
    mw_id op;
    mw_op_spec spec = {
        .def = "transpose", .n_in = 1, .in = &in, .n_out = 1, .out = &out};
    return mw_graph_bind(p->r.to, &spec, &op);
}

// The tensor in the new graph, its axes in that order.
static mw_status want(placer *p, mw_id t, const order *o, mw_id *id)
{
    const mw_tensor *tensor = &p->r.from->tensor[t];
    forms *form = &p->form[t];
    mw_id made;
    MW_TRY(mw_rebuild_tensor(&p->r, t, &made));
    *id = made;
    if (same_order(o, &form->made))
        return MW_OK;
    for (int i = 0; i < form->n_others; i++)
        if (same_order(o, &form->other[i])) {
            *id = form->id[i];
            return MW_OK;
        }
    mw_tensor again = reordered(tensor, o);
    again.role = MW_ROLE_VALUE;
    again.output = again.weight = false;
    again.data = (mw_data){.kind = MW_DATA_NONE};
    MW_TRY(mw_rebuild_new(&p->r, &again, is_plain(o) ? "first" : "last", id));
    MW_TRY(add_transpose(p, made, *id));
    if (form->n_others < 2) {
        form->other[form->n_others] = *o;
        form->id[form->n_others++] = *id;
    }
    return MW_OK;
}

// The result of an op, made in that order; one that is referred to keeps its
// own, and is made from another.
static mw_status make(placer *p, mw_id t, const order *o, mw_id *id)
{
    const mw_tensor *tensor = &p->r.from->tensor[t];
    forms *form = &p->form[t];
    mw_tensor made = reordered(tensor, o);
    if (is_plain(o))
        return mw_rebuild_tensor(&p->r, t, id);
    if (!mw_is_kept(p->kept, tensor)) {
        form->made = *o;
        MW_TRY(mw_graph_tensor(p->r.to, &made, id));
        p->r.now[t] = *id;
        return MW_OK;
    }
    made.output = false;
    MW_TRY(mw_rebuild_new(&p->r, &made, "last", id));
    form->other[0] = *o;
    form->id[0] = *id;
    form->n_others = 1;
    return MW_OK;
}

// After the op: what was made aside becomes the tensor itself.
static mw_status settle(placer *p, mw_id t, mw_id made)
{
    mw_id id;
    MW_TRY(mw_rebuild_tensor(&p->r, t, &id));
    return id == made ? MW_OK : add_transpose(p, made, id);
}

/* ---- orders ---- */

static bool has(const mw_letters *letters, int letter)
{
    for (int i = 0; i < letters->n; i++)
        if (letters->letter[i] == letter)
            return true;
    return false;
}

// Axes of an operand with those of two lists of letters at the end.
static order channels_last(const mw_operand *operand, int rank,
                           const mw_letters *group, const mw_letters *channels)
{
    order o = {.n = 0};
    for (int part = 0; part < 3; part++)
        for (int a = 0; a < rank; a++) {
            int letter = operand->letter[a];
            bool in_group = has(group, letter);
            bool in_channels = has(channels, letter);
            int of = in_channels ? 2 : in_group ? 1 : 0;
            if (of == part)
                o.from[o.n++] = (int8_t)a;
        }
    return o;
}

// The order of `tensor` in which its dims stand as they do in `like`, of the
// same dims; false if they are others.
static bool order_like(const mw_tensor *tensor, const mw_tensor *like, order *o)
{
    o->n = tensor->rank;
    if (tensor->rank != like->rank)
        return false;
    for (int a = 0; a < like->rank; a++) {
        int axis = mw_tensor_axis(tensor, like->axis[a].dim);
        if (axis == MW_NONE || like->axis[a].dim == MW_NONE)
            return false;
        o->from[a] = (int8_t)axis;
    }
    return true;
}

/* ---- ops ---- */

/* An op made again with its operands in these orders. */
typedef struct remake {
    const mw_op *op;
    order *in;
    order out;
} remake;

static mw_status moved_axes(placer *p, const mw_attr *from, const order *o,
                            mw_attr *to)
{
    int64_t *axis = MW_NEW_ARRAY(p->r.to->arena, from->n, int64_t);
    if (!axis)
        return MW_ENOMEM;
    for (int i = 0; i < from->n; i++) {
        axis[i] = MW_NONE;
        for (int a = 0; a < o->n; a++)
            if (o->from[a] == from->i[i])
                axis[i] = a;
    }
    *to = *from;
    to->i = axis;
    return MW_OK;
}

static mw_status emit(placer *p, const remake *m)
{
    const mw_op *op = m->op;
    mw_arena *arena = p->r.to->arena;
    mw_id *in = MW_NEW_ARRAY(arena, op->n_in, mw_id), out, made;
    mw_attr *attr = MW_NEW_ARRAY(arena, op->n_attr, mw_attr);
    if (!in || !attr)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(want(p, op->in[i].tensor, &m->in[i], &in[i]));
    for (int i = 0; i < op->n_attr; i++) {
        attr[i] = op->attr[i];
        if (strcmp(attr[i].name, "in_axes") == 0)
            MW_TRY(moved_axes(p, &op->attr[i], &m->in[X], &attr[i]));
        if (strcmp(attr[i].name, "out_axes") == 0)
            MW_TRY(moved_axes(p, &op->attr[i], &m->out, &attr[i]));
    }
    MW_TRY(make(p, op->out[0].tensor, &m->out, &out));
    mw_op_spec spec = {.def = op->def->name,
                       .name = op->name,
                       .n_in = op->n_in,
                       .in = in,
                       .n_out = 1,
                       .out = &out,
                       .n_attr = op->n_attr,
                       .attr = attr};
    MW_TRY(mw_graph_bind(p->r.to, &spec, &made));
    return settle(p, op->out[0].tensor, out);
}

static mw_status place_conv(placer *p, remake *m, const mw_direct *d)
{
    const mw_graph *from = p->r.from;
    const mw_op *op = m->op;
    const mw_tensor *out = &from->tensor[op->out[0].tensor];
    m->in[X] = channels_last(&op->in[X], from->tensor[op->in[X].tensor].rank,
                             &d->group, &d->in);
    m->out = channels_last(&op->out[0], out->rank, &d->group, &d->out);
    mw_tensor like = reordered(out, &m->out);
    for (int i = EXTRA; i < op->n_in; i++)
        (void)order_like(&from->tensor[op->in[i].tensor], &like, &m->in[i]);
    return emit(p, m);
}

// An op whose axes are its operands', place by place: the first one that was
// moved says the order.
static bool follow_places(const placer *p, remake *m)
{
    const mw_graph *from = p->r.from;
    const mw_op *op = m->op;
    int rank = from->tensor[op->out[0].tensor].rank;
    const order *first = NULL;
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        if (from->tensor[t].rank != rank)
            return false;
        if (!first && !is_plain(&p->form[t].made))
            first = &p->form[t].made;
    }
    if (!first)
        return false;
    for (int i = 0; i < op->n_in; i++)
        m->in[i] = *first;
    m->out = *first;
    return true;
}

// A map: an operand with all its dims that was moved says the order, others
// with all dims follow, and what is broadcast stays.
static bool follow_dims(const placer *p, remake *m)
{
    const mw_graph *from = p->r.from;
    const mw_op *op = m->op;
    const mw_tensor *out = &from->tensor[op->out[0].tensor];
    mw_tensor like = {.rank = -1};
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        const mw_tensor *in = &from->tensor[t];
        if (like.rank < 0 && in->rank == out->rank &&
            !is_plain(&p->form[t].made))
            like = reordered(in, &p->form[t].made);
    }
    if (like.rank < 0 || !order_like(out, &like, &m->out))
        return false;
    for (int i = 0; i < op->n_in; i++) {
        order o;
        mw_id t = op->in[i].tensor;
        m->in[i] = p->form[t].made;
        if (order_like(&from->tensor[t], &like, &o))
            m->in[i] = o;
    }
    return true;
}

// A contraction with an operand that was moved gives that one's dims in their
// order, and its own behind them: a convolution of one tap stays between
// others.
static bool follow_contraction(const placer *p, remake *m)
{
    const mw_graph *from = p->r.from;
    const mw_op *op = m->op;
    const mw_tensor *out = &from->tensor[op->out[0].tensor];
    mw_id moved = MW_NONE;
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        m->in[i] = p->form[t].made;
        if (moved == MW_NONE && !is_plain(&p->form[t].made))
            moved = t;
    }
    if (moved == MW_NONE)
        return false;
    mw_tensor like = reordered(&from->tensor[moved], &p->form[moved].made);
    m->out.n = 0;
    for (int a = 0; a < like.rank; a++) {
        int axis = mw_tensor_axis(out, like.axis[a].dim);
        if (axis != MW_NONE && like.axis[a].dim != MW_NONE)
            m->out.from[m->out.n++] = (int8_t)axis;
    }
    for (int a = 0; a < out->rank; a++)
        if (out->axis[a].dim == MW_NONE ||
            mw_tensor_axis(&like, out->axis[a].dim) == MW_NONE)
            m->out.from[m->out.n++] = (int8_t)a;
    return m->out.n == out->rank;
}

static bool in_family(const mw_op *op, const char *family)
{
    return strcmp(op->def->family, family) == 0;
}

// Reads its operands by their letters, in whatever order they are.
static bool reads_any_order(const mw_op *op)
{
    return in_family(op, "map") || in_family(op, "reduce") ||
           in_family(op, "contraction");
}

static mw_status place_op(placer *p, const mw_op *op)
{
    const mw_graph *graph = p->r.from;
    mw_direct d;
    remake m = {.op = op};
    m.in = MW_NEW_ARRAY(p->r.to->arena, op->n_in + 1, order);
    if (!m.in)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        m.in[i] = as_it_is(&graph->tensor[op->in[i].tensor]);
    bool one = op->n_out == 1;
    if (one)
        m.out = as_it_is(&graph->tensor[op->out[0].tensor]);
    if (op->def->convolves &&
        mw_direct_could(op, graph->tensor[op->out[0].tensor].dtype, &d))
        return place_conv(p, &m, &d);
    if (one && op->def->keeps_axes && follow_places(p, &m))
        return emit(p, &m);
    if (one && in_family(op, "map") && follow_dims(p, &m))
        return emit(p, &m);
    if (one && in_family(op, "contraction") && follow_contraction(p, &m))
        return emit(p, &m);
    m.out = one ? as_it_is(&graph->tensor[op->out[0].tensor]) : m.out;
    if (one && reads_any_order(op)) {
        for (int i = 0; i < op->n_in; i++)
            m.in[i] = p->form[op->in[i].tensor].made;
        return emit(p, &m);
    }
    mw_id id;
    mw_id *now = MW_NEW_ARRAY(p->r.to->arena, op->n_in + 1, mw_id);
    if (!now)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        MW_TRY(want(p, op->in[i].tensor, &m.in[i], &id));
        now[i] = p->r.now[op->in[i].tensor];
        p->r.now[op->in[i].tensor] = id;
    }
    MW_TRY(mw_rebuild_op(&p->r, op));
    for (int i = op->n_in - 1; i >= 0; i--)
        p->r.now[op->in[i].tensor] = now[i];
    return MW_OK;
}

mw_status mw_channels_last(const mw_graph *from, const mw_kept *kept,
                           mw_graph *to)
{
    placer p = {.kept = kept};
    p.form = MW_NEW_ARRAY(to->arena, from->n_tensors, forms);
    if (!p.form)
        return MW_ENOMEM;
    for (mw_id t = 0; t < from->n_tensors; t++)
        p.form[t].made = as_it_is(&from->tensor[t]);
    MW_TRY(mw_rebuild_open(&p.r, from, to));
    for (int k = 0; k < from->n_ops; k++)
        MW_TRY(place_op(&p, &from->op[k]));
    return mw_rebuild_close(&p.r);
}
