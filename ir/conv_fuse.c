/* conv_fuse.c - follows each convolution's result from reader to reader. */
#include "ir/conv_fuse.h"

#include <math.h>
#include <string.h>

#include "ir/direct.h"
#include "ir/fold.h"
#include "ir/rebuild.h"

enum { X, W, SINGLE_MAX = 16, BRING_DEPTH = 8 };

/* What a convolution takes along. */
typedef struct chain {
    mw_id conv;
    mw_id out;               /* the last map's result */
    mw_id scale, shift, add; /* in the new graph; MW_NONE: none */
    double low, high;
    bool any; /* maps are in it */
} chain;

typedef struct fuser {
    mw_rebuild r;
    const mw_kept *kept;
    int *n_uses;   /* of each tensor */
    mw_id *reader; /* the last op that reads it */
    mw_id *ready;  /* after which op it is there; MW_NONE: always */
    bool *taken;   /* of each op: it is part of a convolution */
} fuser;

bool mw_is_kept(const mw_kept *kept, const mw_tensor *tensor)
{
    for (int i = 0; kept && i < kept->n; i++)
        if (strcmp(kept->name[i], tensor->name) == 0)
            return true;
    return tensor->output;
}

static mw_status begin(fuser *f, const mw_graph *from, mw_graph *to)
{
    int n = from->n_tensors;
    MW_TRY(mw_rebuild_open(&f->r, from, to));
    f->n_uses = MW_NEW_ARRAY(to->arena, n, int);
    f->reader = MW_NEW_ARRAY(to->arena, n, mw_id);
    f->ready = MW_NEW_ARRAY(to->arena, n, mw_id);
    f->taken = MW_NEW_ARRAY(to->arena, from->n_ops, bool);
    if (!f->n_uses || !f->reader || !f->ready || !f->taken)
        return MW_ENOMEM;
    for (mw_id t = 0; t < n; t++)
        f->ready[t] = from->tensor[t].producer;
    for (int k = 0; k < from->n_ops; k++)
        for (int i = 0; i < from->op[k].n_in; i++) {
            mw_id t = from->op[k].in[i].tensor;
            f->n_uses[t]++;
            f->reader[t] = k;
        }
    return MW_OK;
}

// Its axes are the result's axes that the weight has, in order.
static bool is_of_channel(const mw_graph *graph, const mw_op *conv,
                          const mw_tensor *tensor)
{
    const mw_tensor *out = &graph->tensor[conv->out[0].tensor];
    const mw_tensor *w = &graph->tensor[conv->in[W].tensor];
    int next = 0;
    for (int a = 0; a < out->rank; a++) {
        bool has = false;
        for (int k = 0; k < w->rank; k++)
            has = has || w->axis[k].dim == out->axis[a].dim;
        if (!has)
            continue;
        if (next >= tensor->rank || tensor->axis[next].dim != out->axis[a].dim)
            return false;
        next++;
    }
    return next > 0 && next == tensor->rank;
}

static bool same_axes(const mw_tensor *a, const mw_tensor *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].dim == b->axis[i].dim;
    return same;
}

// A stored number, the same everywhere and in every import.
static mw_status number_of(const mw_graph *graph, mw_id id, bool *known,
                           double *number)
{
    const mw_tensor *tensor = &graph->tensor[id];
    uint64_t bits = 0;
    *known = false;
    if (tensor->role != MW_ROLE_CONST ||
        mw_tensor_elements(tensor) > SINGLE_MAX ||
        (tensor->data.kind != MW_DATA_MEMORY &&
         tensor->data.kind != MW_DATA_FILL))
        return MW_OK;
    MW_TRY(mw_fold_uniform(graph, id, known, &bits));
    if (*known)
        *number = mw_fold_number(tensor->dtype, &bits);
    return MW_OK;
}

/* What a map does to numbers of a channel: to two, to its operand alone. */
typedef struct effect {
    const char *both, *alone; /* alone NULL: it stays */
} effect;

static const struct {
    effect scale, shift; /* both NULL: they stay */
} effects[] = {
    [MW_END_SCALE] = {{"mul", NULL}, {"mul", NULL}},
    [MW_END_DIV] = {{"div", "reciprocal"}, {"div", NULL}},
    [MW_END_ADD] = {{NULL, NULL}, {"add", NULL}},
    [MW_END_SUB] = {{NULL, NULL}, {"sub", "neg"}},
};

static bool is_by_channel(mw_end_rule rule)
{
    return rule == MW_END_SCALE || rule == MW_END_DIV || rule == MW_END_ADD ||
           rule == MW_END_SUB;
}

// *y, a scale or shift or MW_NONE, becomes what it is with b.
static mw_status combine(fuser *f, const effect *by, mw_id b,
                         const char *ending, mw_id *y)
{
    mw_id op, in[2] = {*y, b};
    bool both = *y != MW_NONE;
    const char *def = both ? by->both : by->alone;
    if (!def) {
        *y = both ? *y : b;
        return MW_OK;
    }
    mw_tensor made = f->r.to->tensor[b];
    made.role = MW_ROLE_VALUE;
    made.output = made.weight = false;
    made.data = (mw_data){.kind = MW_DATA_NONE};
    MW_TRY(mw_rebuild_new(&f->r, &made, ending, y));
    mw_op_spec spec = {.def = def,
                       .n_in = both ? 2 : 1,
                       .in = both ? in : &in[1],
                       .n_out = 1,
                       .out = y};
    return mw_graph_bind(f->r.to, &spec, &op);
}

// Whether a tensor of the channels is there before the convolution, or can be
// made there of what is, by ops that stand behind it for no reason.
static mw_status bring(fuser *f, mw_id conv, mw_id tensor, int depth,
                       bool *there)
{
    const mw_graph *graph = f->r.from;
    mw_id made_by = f->ready[tensor];
    *there = made_by < conv;
    if (*there || depth == 0 || f->taken[made_by] ||
        !is_of_channel(graph, &graph->op[conv], &graph->tensor[tensor]))
        return MW_OK;
    const mw_op *op = &graph->op[made_by];
    if (op->n_out != 1)
        return MW_OK;
    for (int i = 0; i < op->n_in; i++) {
        bool ready;
        MW_TRY(bring(f, conv, op->in[i].tensor, depth - 1, &ready));
        if (!ready)
            return MW_OK;
    }
    f->taken[made_by] = *there = true;
    f->ready[tensor] = conv - 1;
    return mw_rebuild_op(&f->r, op);
}

// By a tensor of the channels: *took says whether it could.
static mw_status take_channel(fuser *f, chain *c, mw_end_rule rule, mw_id other,
                              bool *took)
{
    mw_id now;
    *took = c->add == MW_NONE && c->low == -HUGE_VAL && c->high == HUGE_VAL;
    if (!*took)
        return MW_OK;
    MW_TRY(mw_rebuild_tensor(&f->r, other, &now));
    if (effects[rule].scale.both) {
        if (c->shift != MW_NONE)
            MW_TRY(combine(f, &effects[rule].shift, now, "shift", &c->shift));
        return combine(f, &effects[rule].scale, now, "scale", &c->scale);
    }
    return combine(f, &effects[rule].shift, now, "shift", &c->shift);
}

static mw_status take_bound(const mw_graph *graph, chain *c, mw_end_rule rule,
                            mw_id other, bool *took)
{
    double number = 0;
    *took = true;
    if (rule != MW_END_RELU)
        MW_TRY(number_of(graph, other, took, &number));
    // A lower bound after an upper one is another function.
    *took =
        *took && !isnan(number) && (rule == MW_END_HIGH || c->high == HUGE_VAL);
    if (!*took)
        return MW_OK;
    if (rule == MW_END_HIGH)
        c->high = fmin(c->high, number);
    else
        c->low = fmax(c->low, number);
    return MW_OK;
}

// The only reader of the chain's end, if it is a map that can be taken.
static mw_status take_next(fuser *f, chain *c, bool *took)
{
    const mw_graph *graph = f->r.from;
    const mw_tensor *end = &graph->tensor[c->out];
    *took = false;
    if (f->n_uses[c->out] != 1 || mw_is_kept(f->kept, end) ||
        f->taken[f->reader[c->out]])
        return MW_OK;
    mw_id reader = f->reader[c->out], out;
    const mw_op *op = &graph->op[reader];
    if (op->def->end == MW_END_NONE ||
        !same_axes(end, &graph->tensor[op->out[0].tensor]))
        return MW_OK;
    mw_id other = op->in[op->n_in - 1].tensor;
    if (other == c->out)
        other = op->in[0].tensor;
    mw_end_rule rule = op->def->end;
    bool there = true, ordered = rule == MW_END_SUB || rule == MW_END_DIV;
    if (ordered && op->in[0].tensor != c->out)
        return MW_OK;
    if (rule != MW_END_RELU)
        MW_TRY(bring(f, c->conv, other, BRING_DEPTH, &there));
    bool channel = there && is_of_channel(graph, &graph->op[c->conv],
                                          &graph->tensor[other]);
    if (is_by_channel(rule) && channel)
        MW_TRY(take_channel(f, c, rule, other, took));
    else if (rule == MW_END_ADD && there && c->add == MW_NONE &&
             c->low == -HUGE_VAL && c->high == HUGE_VAL &&
             same_axes(end, &graph->tensor[other])) {
        *took = true;
        MW_TRY(mw_rebuild_tensor(&f->r, other, &c->add));
    } else if (there && !is_by_channel(rule))
        MW_TRY(take_bound(graph, c, rule, other, took));
    if (!*took)
        return MW_OK;
    out = op->out[0].tensor;
    f->taken[reader] = true;
    f->ready[out] = c->conv;
    c->out = out;
    c->any = true;
    return MW_OK;
}

static mw_status emit_chain(fuser *f, const chain *c)
{
    const mw_op *conv = &f->r.from->op[c->conv];
    mw_arena *arena = f->r.to->arena;
    mw_id in[5], out, made;
    int n = 0, n_attr = 0;
    MW_TRY(mw_rebuild_tensor(&f->r, conv->in[X].tensor, &in[n++]));
    MW_TRY(mw_rebuild_tensor(&f->r, conv->in[W].tensor, &in[n++]));
    if (c->scale != MW_NONE)
        in[n++] = c->scale;
    if (c->shift != MW_NONE)
        in[n++] = c->shift;
    if (c->add != MW_NONE)
        in[n++] = c->add;
    MW_TRY(mw_rebuild_tensor(&f->r, c->out, &out));
    mw_attr *attr = MW_NEW_ARRAY(arena, conv->n_attr + 3, mw_attr);
    if (!attr)
        return MW_ENOMEM;
    for (; n_attr < conv->n_attr; n_attr++)
        attr[n_attr] = conv->attr[n_attr];
    const char *with = mw_arena_format(
        arena, "%s%s%s", c->scale == MW_NONE ? "" : "scale ",
        c->shift == MW_NONE ? "" : "shift ", c->add == MW_NONE ? "" : "add");
    if (!with)
        return MW_ENOMEM;
    attr[n_attr++] =
        (mw_attr){.name = "with", .kind = MW_ATTR_TEXT, .text = with};
    if (c->low != -HUGE_VAL)
        attr[n_attr++] =
            (mw_attr){.name = "low", .kind = MW_ATTR_FLOAT, .f = c->low};
    if (c->high != HUGE_VAL)
        attr[n_attr++] =
            (mw_attr){.name = "high", .kind = MW_ATTR_FLOAT, .f = c->high};
    mw_op_spec spec = {.def = conv->def->fused,
                       .name = conv->name,
                       .n_in = n,
                       .in = in,
                       .n_out = 1,
                       .out = &out,
                       .n_attr = n_attr,
                       .attr = attr};
    return mw_graph_bind(f->r.to, &spec, &made);
}

static mw_status fuse_op(fuser *f, mw_id k)
{
    const mw_graph *graph = f->r.from;
    const mw_op *op = &graph->op[k];
    mw_direct direct;
    if (f->taken[k])
        return MW_OK;
    if (!op->def->fused ||
        !mw_direct_could(op, graph->tensor[op->out[0].tensor].dtype, &direct))
        return mw_rebuild_op(&f->r, op);
    chain c = {.conv = k,
               .out = op->out[0].tensor,
               .scale = MW_NONE,
               .shift = MW_NONE,
               .add = MW_NONE,
               .low = -HUGE_VAL,
               .high = HUGE_VAL};
    for (bool took = true; took;)
        MW_TRY(take_next(f, &c, &took));
    return c.any ? emit_chain(f, &c) : mw_rebuild_op(&f->r, op);
}

mw_status mw_conv_fuse(const mw_graph *from, const mw_kept *kept, mw_graph *to)
{
    fuser f = {.kept = kept};
    MW_TRY(begin(&f, from, to));
    for (int k = 0; k < from->n_ops; k++)
        MW_TRY(fuse_op(&f, k));
    return mw_rebuild_close(&f.r);
}

static bool has_work(const mw_graph *graph)
{
    bool convolves = false;
    for (int k = 0; k < graph->n_ops; k++) {
        if (graph->op[k].def->updates)
            return false;
        convolves = convolves || graph->op[k].def->convolves;
    }
    return convolves;
}

mw_status mw_conv_passes(mw_graph *graph, const mw_kept *kept)
{
    if (!has_work(graph))
        return MW_OK;
    mw_graph fused, last;
    MW_TRY(mw_graph_init(&fused, graph->arena, graph->name));
    MW_TRY(mw_conv_fuse(graph, kept, &fused));
    MW_TRY(mw_graph_init(&last, graph->arena, graph->name));
    MW_TRY(mw_channels_last(&fused, kept, &last));
    *graph = last;
    return MW_OK;
}
