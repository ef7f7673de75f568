/* op.c - adds ops to a graph by the rules of their rows. */
#include "ir/op.h"

#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "ir/body.h"
#include "ir/rule.h"

const char *mw_reduce_name(mw_reduce reduce)
{
    static const char *const name[] = {"none", "sum", "prod", "max", "min"};
    return name[reduce];
}

const mw_op_def *mw_op_find(const char *name)
{
    int lo = 0, hi = mw_op_count; // the table is in the order of its names
    while (lo < hi) {
        int at = (lo + hi) / 2;
        int order = strcmp(name, mw_op_table[at]->name);
        if (order == 0)
            return mw_op_table[at];
        if (order < 0)
            hi = at;
        else
            lo = at + 1;
    }
    return NULL;
}

const int32_t *mw_op_linear_sets(const mw_op *op)
{
    return op->linear ? op->linear : op->def->linear;
}

uint32_t mw_op_linear(const mw_graph *graph, const mw_op *op, int k)
{
    const mw_op_def *def = op->def;
    const int32_t *linear = mw_op_linear_sets(op);
    for (int i = 0; i <= k; i++) {
        if (i >= MW_MAX_LINEAR || linear[i] == 0)
            return 0;
    }
    mw_dtype dtype = graph->tensor[op->out[0].tensor].dtype;
    if (!mw_rule_has_sum(dtype) ||
        (def->is_linear && !def->is_linear(graph, op)))
        return 0;
    uint32_t all = op->n_in >= 32 ? UINT32_MAX : (1u << op->n_in) - 1;
    uint32_t set = (uint32_t)linear[k];
    if (linear[k] == MW_LINEAR_ALL)
        return op->n_in > 32 ? 0 : all;
    return (set & ~all) == 0 ? set : 0;
}

double mw_op_flops_at(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[MW_MAX_LETTERS])
{
    if (op->def->flops_of)
        return op->def->flops_of(graph, op, extent);
    double total = op->def->flops;
    for (int i = 0; i < op->n_letters; i++)
        total *= (double)extent[i];
    return total;
}

void mw_op_ref(const mw_op *op, const mw_view in[], mw_view out[], void *room)
{
    if (op->def->ref_room)
        op->def->ref_room(op, in, out, room);
    else
        op->def->ref(op, in, out);
}

mw_status mw_op_check_values(mw_ctx *ctx, const mw_op *op, const mw_view in[])
{
    char text[MW_REFUSAL_MAX];
    if (!op->def->refuses || !op->def->refuses(op, in, text))
        return MW_OK;
    mw_ctx_at(ctx, "node '%s'", op->name);
    return mw_fail(ctx, MW_ERUN, "%s: %s", op->def->name, text);
}

mw_span mw_op_window(const mw_graph *graph, const mw_op *op, int operand,
                     int axis, mw_span block)
{
    if (!(op->in[operand].window & 1u << axis))
        return block;
    return op->def->window(graph, op, operand, axis, block);
}

static mw_status unknown_op(mw_graph *graph, const mw_op_spec *spec)
{
    mw_near near;
    mw_near_init(&near, spec->def);
    for (int i = 0; i < mw_op_count; i++)
        mw_near_try(&near, mw_op_table[i]->name);
    return mw_fail(graph->ctx, MW_EINPUT, "op '%s' is unknown%s%s%s", spec->def,
                   near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

static mw_status copy_attr(mw_graph *graph, mw_attr *attr)
{
    attr->name = mw_arena_text(graph->arena, attr->name);
    if (!attr->name)
        return MW_ENOMEM;
    if (attr->text && !(attr->text = mw_arena_text(graph->arena, attr->text)))
        return MW_ENOMEM;
    if (attr->body)
        MW_TRY(mw_body_copy(graph->arena, attr->body, &attr->body));
    if (attr->n == 0)
        return MW_OK;
    int64_t *copy = MW_NEW_ARRAY(graph->arena, attr->n, int64_t);
    if (!copy)
        return MW_ENOMEM;
    memcpy(copy, attr->i, (size_t)attr->n * sizeof *copy);
    attr->i = copy;
    return MW_OK;
}

const mw_attr_rule *mw_op_attr_rule(const mw_op_def *def, const char *name,
                                    int stage)
{
    for (const mw_attr_rule *r = def->attrs; r && r->name; r++) {
        if (((int)r->stage & stage) && strcmp(r->name, name) == 0)
            return r;
    }
    return NULL;
}

// Every attribute is one that the op takes, of its kind, once; none is missing.
static mw_status check_attrs(mw_graph *graph, const mw_op *op)
{
    int stage = graph->named ? MW_ATTR_NAMED : MW_ATTR_PLACED;
    for (int i = 0; i < op->n_attr; i++) {
        const mw_attr *attr = &op->attr[i];
        const mw_attr_rule *rule = mw_op_attr_rule(op->def, attr->name, stage);
        if (!rule)
            return mw_op_fail(graph, op, "attribute '%s' is unknown",
                              attr->name);
        bool one = attr->kind == MW_ATTR_INT || attr->kind == MW_ATTR_DIM;
        if (rule->kind != attr->kind || (one && attr->n != 1))
            return mw_op_fail(graph, op, "attribute '%s' is of another kind",
                              attr->name);
        if (attr->kind == MW_ATTR_DIM &&
            (attr->i[0] < 0 || attr->i[0] >= graph->n_dims))
            return mw_op_fail(
                graph, op, "attribute '%s' is no dim of the graph", attr->name);
        if (mw_op_attr(op, attr->name) != attr)
            return mw_op_fail(graph, op, "attribute '%s' is there twice",
                              attr->name);
    }
    for (const mw_attr_rule *r = op->def->attrs; r && r->name; r++) {
        if (((int)r->stage & stage) && !r->optional && !mw_op_attr(op, r->name))
            return mw_op_fail(graph, op, "attribute '%s' is missing", r->name);
    }
    return MW_OK;
}

static mw_status new_operands(mw_graph *graph, int n, mw_operand **operands)
{
    mw_operand *made = MW_NEW_ARRAY(graph->arena, n, mw_operand);
    if (!made)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        made[i].tensor = MW_NONE;
        memset(made[i].letter, MW_NONE, sizeof made[i].letter);
    }
    *operands = made;
    return MW_OK;
}

static mw_status take_inputs(mw_graph *graph, const mw_op_spec *spec, mw_op *op)
{
    const mw_op_def *def = op->def;
    if (spec->n_in < def->min_in ||
        (def->max_in >= 0 && spec->n_in > def->max_in))
        return mw_op_fail(graph, op, "%d operands, wanted %s %d", spec->n_in,
                          spec->n_in < def->min_in ? "at least" : "at most",
                          spec->n_in < def->min_in ? def->min_in : def->max_in);
    int n_out = def->n_out ? def->n_out : 1;
    if (n_out < 0 ? spec->n_out < 1 : spec->n_out != n_out)
        return mw_op_fail(graph, op, "%d results, wanted %s%d", spec->n_out,
                          n_out < 0 ? "at least " : "", abs(n_out));
    for (int i = 0; i < spec->n_in; i++) {
        if (spec->in[i] < 0 || spec->in[i] >= graph->n_tensors)
            return mw_op_fail(graph, op, "operand %d is no tensor", i);
        op->in[i].tensor = spec->in[i];
    }
    return MW_OK;
}

static mw_status begin(mw_graph *graph, const mw_op_spec *spec,
                       const char *name, mw_op *op)
{
    const mw_op_def *def = mw_op_find(spec->def);
    if (!def)
        return unknown_op(graph, spec);
    *op = (mw_op){.def = def, .n_in = spec->n_in, .n_out = spec->n_out};
    op->name = mw_arena_text(graph->arena, spec->name ? spec->name : name);
    mw_attr *attr = MW_NEW_ARRAY(graph->arena, spec->n_attr, mw_attr);
    if (!op->name || !attr)
        return MW_ENOMEM;
    MW_TRY(new_operands(graph, spec->n_in, &op->in));
    MW_TRY(new_operands(graph, spec->n_out, &op->out));
    MW_TRY(take_inputs(graph, spec, op));
    for (int i = 0; i < spec->n_attr; i++) {
        attr[i] = spec->attr[i];
        MW_TRY(copy_attr(graph, &attr[i]));
    }
    op->n_attr = spec->n_attr;
    op->attr = attr;
    return check_attrs(graph, op);
}

static mw_status add(mw_graph *graph, const mw_op *op)
{
    MW_TRY(mw_op_check_letters(graph, op));
    mw_op *grown = mw_arena_reserve(graph->arena, graph->op, graph->n_ops,
                                    &graph->cap_ops, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    graph->op = grown;
    graph->op[graph->n_ops] = *op;
    for (int i = 0; i < op->n_out; i++)
        graph->tensor[op->out[i].tensor].producer = graph->n_ops;
    graph->n_ops++;
    return MW_OK;
}

mw_status mw_graph_place(mw_graph *graph, const mw_op_spec *spec, mw_id out[])
{
    mw_op op;
    MW_TRY(begin(graph, spec, spec->n_out > 0 ? spec->out_names[0] : "", &op));
    mw_tensor *made = MW_NEW_ARRAY(graph->arena, op.n_out, mw_tensor);
    if (!made)
        return MW_ENOMEM;
    MW_TRY(op.def->place(graph, &op, made));
    for (int i = 0; i < op.n_out; i++) {
        made[i].name = spec->out_names[i];
        made[i].role = MW_ROLE_VALUE;
        MW_TRY(mw_graph_tensor(graph, &made[i], &op.out[i].tensor));
    }
    MW_TRY(add(graph, &op));
    for (int i = 0; i < op.n_out; i++)
        out[i] = op.out[i].tensor;
    return MW_OK;
}

static mw_status take_outputs(mw_graph *graph, const mw_op_spec *spec,
                              mw_op *op)
{
    for (int i = 0; i < spec->n_out; i++) {
        mw_id id = spec->out[i];
        if (id < 0 || id >= graph->n_tensors)
            return mw_op_fail(graph, op, "result %d is no tensor", i);
        const mw_tensor *tensor = &graph->tensor[id];
        if (tensor->role != MW_ROLE_VALUE || tensor->producer != MW_NONE)
            return mw_op_fail(graph, op, "result '%s' has its values already",
                              tensor->name);
        op->out[i].tensor = id;
    }
    return MW_OK;
}

static bool same_axes(const mw_tensor *a, const mw_tensor *b)
{
    bool same = a->rank == b->rank && a->dtype == b->dtype;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].dim == b->axis[i].dim &&
               a->axis[i].size == b->axis[i].size;
    return same;
}

// Outputs that overwrite an operand live in its buffer.
static mw_status take_updates(mw_graph *graph, const mw_op *op)
{
    for (int i = 0; op->def->updates && i < op->n_out; i++) {
        int target = op->def->updates[i];
        if (target == MW_NONE)
            continue;
        const mw_tensor *old = mw_op_in(graph, op, target);
        mw_tensor *made = &graph->tensor[op->out[i].tensor];
        if (!mw_role_persists(graph->tensor[old->root].role))
            return mw_op_fail(graph, op,
                              "operand %d, '%s', is updated, and is neither a "
                              "parameter nor a state",
                              target, old->name);
        if (!same_axes(old, made))
            return mw_op_fail(graph, op,
                              "'%s' updates '%s', and has other dims or "
                              "another dtype",
                              made->name, old->name);
        made->root = old->root;
    }
    return MW_OK;
}

mw_status mw_graph_bind(mw_graph *graph, const mw_op_spec *spec, mw_id *id)
{
    bool known =
        spec->n_out > 0 && spec->out[0] >= 0 && spec->out[0] < graph->n_tensors;
    mw_op op;
    MW_TRY(
        begin(graph, spec, known ? graph->tensor[spec->out[0]].name : "", &op));
    MW_TRY(take_outputs(graph, spec, &op));
    MW_TRY(op.def->bind(graph, &op));
    MW_TRY(take_updates(graph, &op));
    MW_TRY(add(graph, &op));
    *id = graph->n_ops - 1;
    return MW_OK;
}

static mw_status check_axis(const mw_graph *graph, const mw_op *op,
                            const mw_operand *operand, int axis)
{
    const mw_tensor *tensor = &graph->tensor[operand->tensor];
    const mw_axis *found = &tensor->axis[axis];
    int letter = operand->letter[axis];
    if (letter == MW_NONE && found->size == 1 && !graph->named)
        return MW_OK;
    if (letter < 0 || letter >= op->n_letters)
        return mw_op_fail(graph, op, "'%s' axis %d has no letter", tensor->name,
                          axis);
    for (int b = 0; b < axis; b++) {
        if (operand->letter[b] == letter)
            return mw_op_fail(graph, op, "'%s' axes %d and %d are one letter",
                              tensor->name, b, axis);
    }
    if (operand->window & 1u << axis)
        return MW_OK;
    const mw_letter *wanted = &op->letter[letter];
    if (found->size != wanted->size)
        return mw_op_fail(graph, op, "'%s' axis %d is %lld, wanted %lld",
                          tensor->name, axis, (long long)found->size,
                          (long long)wanted->size);
    if (found->dim != wanted->dim)
        return mw_op_fail(graph, op, "'%s' axis %d is dim %d, wanted dim %d",
                          tensor->name, axis, found->dim, wanted->dim);
    return MW_OK;
}

mw_status mw_op_check_letters(const mw_graph *graph, const mw_op *op)
{
    for (int i = 0; i < op->n_letters; i++) {
        for (int k = 0; k < i; k++) {
            if (op->letter[i].dim != MW_NONE &&
                op->letter[i].dim == op->letter[k].dim)
                return mw_op_fail(graph, op, "dim '%s' is two letters",
                                  graph->dim[op->letter[i].dim].name);
        }
    }
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        for (int a = 0; a < graph->tensor[operand->tensor].rank; a++)
            MW_TRY(check_axis(graph, op, operand, a));
    }
    return MW_OK;
}
