/* body.c - what holds of graphs inside ops. */
#include "ir/body.h"

#include <string.h>

#include "ir/graph_copy.h"
#include "ir/op.h"
#include "ir/rule.h"

const mw_graph *mw_op_body(const mw_op *op)
{
    for (int i = 0; i < op->n_attr; i++)
        if (op->attr[i].kind == MW_ATTR_BODY)
            return op->attr[i].body;
    return NULL;
}

static mw_status check_tensor(const mw_graph *body, const mw_tensor *tensor)
{
    bool stored = tensor->data.kind == MW_DATA_MEMORY ||
                  tensor->data.kind == MW_DATA_FILL;
    if (tensor->role == MW_ROLE_PARAM || tensor->role == MW_ROLE_STATE)
        return mw_fail(body->ctx, MW_EINPUT,
                       "body '%s': '%s' is a parameter or state, wanted an "
                       "input",
                       body->name, tensor->name);
    if (tensor->role == MW_ROLE_CONST && !stored)
        return mw_fail(body->ctx, MW_EINPUT,
                       "body '%s': the values of constant '%s' are not in it",
                       body->name, tensor->name);
    return MW_OK;
}

static mw_status check_op(const mw_graph *body, const mw_op *op)
{
    if (op->def->opaque || op->def->updates)
        return mw_fail(body->ctx, MW_EINPUT,
                       "body '%s': op '%s' is a %s, which has no place there",
                       body->name, op->name, op->def->name);
    return MW_OK;
}

// Takes the ops of all bodies within one from `left`, so that the walk ends
// however often a body is used.
static mw_status check_within(const mw_graph *body, int depth, int *left)
{
    for (int k = 0; k < body->n_ops; k++) {
        const mw_graph *within = mw_op_body(&body->op[k]);
        if (!within)
            continue;
        *left -= within->n_ops;
        if (depth == MW_BODY_DEPTH || *left < 0)
            return mw_fail(body->ctx, MW_EINPUT,
                           "body '%s': bodies in bodies of op '%s' go deeper "
                           "than %d, or have more than %d ops",
                           body->name, body->op[k].name, MW_BODY_DEPTH,
                           MW_BODY_OPS);
        MW_TRY(check_within(within, depth + 1, left));
    }
    return MW_OK;
}

mw_status mw_body_check(const mw_graph *body)
{
    if (body->n_dims > MW_BODY_DIMS)
        return mw_fail(body->ctx, MW_EINPUT,
                       "body '%s' has %d dims, at most %d are possible",
                       body->name, body->n_dims, MW_BODY_DIMS);
    if (body->n_results == 0)
        return mw_fail(body->ctx, MW_EINPUT, "body '%s' has no result",
                       body->name);
    for (mw_id t = 0; t < body->n_tensors; t++)
        MW_TRY(check_tensor(body, &body->tensor[t]));
    for (int k = 0; k < body->n_ops; k++)
        MW_TRY(check_op(body, &body->op[k]));
    int left = MW_BODY_OPS;
    return check_within(body, 1, &left);
}

mw_status mw_body_alike(const mw_graph *graph, const mw_op *op,
                        const mw_tensor *outer, const mw_graph *body,
                        mw_id tensor, int skip)
{
    const mw_tensor *inner = &body->tensor[tensor];
    if (outer->dtype != inner->dtype)
        return mw_op_fail(graph, op, "'%s' is %s where '%s' of the body is %s",
                          outer->name, mw_dtype_name(outer->dtype), inner->name,
                          mw_dtype_name(inner->dtype));
    if (outer->rank - skip != inner->rank)
        return mw_op_fail(
            graph, op, "'%s' has %d axes, wanted %d for '%s' of the body",
            outer->name, outer->rank, inner->rank + skip, inner->name);
    for (int a = 0; a < inner->rank; a++) {
        const mw_axis *x = &outer->axis[a + skip], *y = &inner->axis[a];
        bool same = x->size == y->size;
        if (graph->named)
            same = same && x->dim != MW_NONE && y->dim != MW_NONE &&
                   strcmp(graph->dim[x->dim].name, body->dim[y->dim].name) == 0;
        if (!same)
            return mw_op_fail(graph, op,
                              "'%s' axis %d is not axis %d of '%s' of the body",
                              outer->name, a + skip, a, inner->name);
    }
    return MW_OK;
}

static mw_status copy_data(mw_arena *arena, mw_tensor *tensor)
{
    size_t bytes = (size_t)tensor->data.length;
    if (tensor->data.kind != MW_DATA_MEMORY || bytes == 0)
        return MW_OK;
    void *copy = mw_arena_alloc(arena, bytes, 1);
    if (!copy)
        return MW_ENOMEM;
    memcpy(copy, tensor->data.bytes, bytes);
    tensor->data.bytes = copy;
    return MW_OK;
}

typedef struct part {
    const mw_graph *from;
    mw_graph *to;
    mw_id *map;   /* of each tensor */
    bool *needed; /* of each tensor */
} part;

static bool is_needed(const part *p, const mw_op *op)
{
    for (int o = 0; o < op->n_out; o++)
        if (p->needed[op->out[o].tensor])
            return true;
    return false;
}

mw_status mw_body_op(const mw_graph *from, const mw_op *op, mw_graph *to,
                     mw_id map[])
{
    mw_id *id = MW_NEW_ARRAY(to->arena, op->n_in + op->n_out, mw_id);
    mw_id added;
    if (!id)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        id[i] = map[op->in[i].tensor];
    for (int o = 0; o < op->n_out; o++) {
        mw_id t = op->out[o].tensor;
        MW_TRY(mw_graph_tensor(to, &from->tensor[t], &map[t]));
        id[op->n_in + o] = map[t];
    }
    return mw_graph_bind_as(to, op, NULL, id, id + op->n_in, &added);
}

static void find_needed(part *p, const mw_id result[], int n)
{
    for (int i = 0; i < n; i++)
        p->needed[result[i]] = true;
    for (int k = p->from->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &p->from->op[k];
        bool needed = is_needed(p, op);
        for (int i = 0; needed && i < op->n_in; i++)
            p->needed[op->in[i].tensor] = true;
    }
}

static mw_status copy_stored(part *p)
{
    mw_id id;
    for (mw_id d = 0; d < p->from->n_dims; d++)
        MW_TRY(mw_graph_dim(p->to, &p->from->dim[d], &id));
    for (mw_id t = 0; t < p->from->n_tensors; t++) {
        mw_tensor tensor = p->from->tensor[t];
        if (tensor.producer != MW_NONE ||
            (tensor.role == MW_ROLE_CONST && !p->needed[t]))
            continue;
        MW_TRY(copy_data(p->to->arena, &tensor));
        MW_TRY(mw_graph_tensor(p->to, &tensor, &p->map[t]));
    }
    return MW_OK;
}

mw_status mw_body_part(const mw_graph *from, const mw_id result[], int n,
                       mw_graph *to)
{
    mw_arena *arena = to->arena;
    part p = {.from = from,
              .to = to,
              .map = MW_NEW_ARRAY(arena, from->n_tensors, mw_id),
              .needed = MW_NEW_ARRAY(arena, from->n_tensors, bool)};
    to->result = MW_NEW_ARRAY(arena, n, mw_id);
    if (!p.map || !p.needed || !to->result)
        return MW_ENOMEM;
    to->named = true;
    find_needed(&p, result, n);
    MW_TRY(copy_stored(&p));
    for (int k = 0; k < from->n_ops; k++)
        if (is_needed(&p, &from->op[k]))
            MW_TRY(mw_body_op(from, &from->op[k], to, p.map));
    for (int i = 0; i < n; i++)
        to->result[i] = p.map[result[i]];
    to->n_results = n;
    return MW_OK;
}

mw_status mw_body_copy(mw_arena *arena, const mw_graph *body,
                       const mw_graph **copy)
{
    if (body->arena == arena || !body->named) {
        *copy = body;
        return MW_OK;
    }
    mw_graph *made = MW_NEW(arena, mw_graph);
    if (!made)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(made, arena, body->name));
    MW_TRY(mw_body_part(body, body->result, body->n_results, made));
    *copy = made;
    return MW_OK;
}

int mw_body_inputs(const mw_graph *body, mw_id input[], int n)
{
    int found = 0;
    for (mw_id t = 0; t < body->n_tensors; t++) {
        if (body->tensor[t].role != MW_ROLE_INPUT)
            continue;
        if (found < n)
            input[found] = t;
        found++;
    }
    return found;
}

static int letter_of(const mw_op *op, mw_id dim)
{
    for (int i = 0; i < op->n_letters; i++)
        if (op->letter[i].dim == dim)
            return i;
    return MW_NONE;
}

static bool has_letter(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++)
        if (operand->letter[a] == letter)
            return true;
    return false;
}

// A window touches the dimension of its axis and that of its letter.
static bool in_window(const mw_graph *body, const mw_op *op, mw_id dim)
{
    for (int i = 0; i < op->n_in; i++) {
        const mw_operand *in = &op->in[i];
        for (int a = 0; a < body->tensor[in->tensor].rank; a++)
            if ((in->window >> a & 1U) &&
                (body->tensor[in->tensor].axis[a].dim == dim ||
                 op->letter[in->letter[a]].dim == dim))
                return true;
    }
    return false;
}

static bool op_splits(const mw_graph *body, const mw_op *op, mw_id dim)
{
    int letter = letter_of(op, dim);
    if (in_window(body, op, dim))
        return false;
    if (letter == MW_NONE)
        return true;
    for (int i = 0; i < op->n_out; i++)
        if (!has_letter(&op->out[i], letter))
            return false;
    return !op->letter[letter].pinned;
}

bool mw_body_splits(const mw_graph *body, mw_id dim)
{
    for (mw_id t = 0; t < body->n_tensors; t++) {
        const mw_tensor *tensor = &body->tensor[t];
        for (int a = 0; tensor->role == MW_ROLE_CONST && a < tensor->rank; a++)
            if (tensor->axis[a].dim == dim)
                return false;
    }
    for (int k = 0; k < body->n_ops; k++)
        if (!op_splits(body, &body->op[k], dim))
            return false;
    return true;
}

static mw_id top(const mw_id *of, mw_id i)
{
    while (of[i] != i)
        i = of[i];
    return i;
}

// Axes of one letter in one op are one class, called by the least of them.
static void join_op(const mw_op *op, mw_id *of)
{
    mw_id first[MW_MAX_LETTERS];
    for (int l = 0; l < MW_MAX_LETTERS; l++)
        first[l] = MW_NONE;
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        for (int a = 0; a < MW_MAX_RANK; a++) {
            if (operand->letter[a] == MW_NONE || (operand->window >> a & 1U))
                continue;
            mw_id own = top(of, operand->tensor * MW_MAX_RANK + a);
            mw_id *met = &first[operand->letter[a]];
            mw_id other = *met == MW_NONE ? own : top(of, *met);
            mw_id least = own < other ? own : other;
            of[own] = of[other] = *met = least;
        }
    }
}

mw_status mw_body_classes(mw_arena *arena, const mw_graph *body, mw_id **class,
                          int *n)
{
    int total = body->n_tensors * MW_MAX_RANK;
    mw_id *of = MW_NEW_ARRAY(arena, total, mw_id);
    mw_id *number = MW_NEW_ARRAY(arena, total, mw_id);
    if (!of || !number)
        return MW_ENOMEM;
    for (int i = 0; i < total; i++)
        of[i] = i;
    for (int k = 0; k < body->n_ops; k++)
        if (!body->op[k].def->view)
            join_op(&body->op[k], of);
    *n = 0;
    for (int i = 0; i < total; i++) {
        const mw_tensor *tensor = &body->tensor[i / MW_MAX_RANK];
        int a = i % MW_MAX_RANK;
        number[i] = MW_NONE;
        if (a >= tensor->rank || tensor->axis[a].size == 1)
            continue;
        mw_id above = top(of, i);
        number[i] = above == i ? (*n)++ : number[above];
    }
    *class = number;
    return MW_OK;
}
