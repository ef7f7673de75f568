/* grad_shift.c - follows a change of one tensor through the ops that read it:
 * sums add shifts, exp turns them into factors, quotients cancel them. */
#include "ir/grad_shift.h"

enum { NONE, SHIFT, SCALE };

static bool has_dim(const mw_tensor *tensor, mw_id dim)
{
    for (int a = 0; a < tensor->rank; a++)
        if (tensor->axis[a].dim == dim)
            return true;
    return false;
}

// Sums over a dimension along which the change differs mix it up.
static bool sums_apart(const mw_graph *graph, const mw_op *op,
                       const mw_tensor *changed)
{
    (void)graph;
    for (int l = 0; l < op->n_letters; l++)
        if (!mw_op_letter_in_output(op, l) &&
            has_dim(changed, op->letter[l].dim))
            return false;
    return true;
}

// The class of an op's result; false when it is none.
static bool result_class(const mw_op *op, const mw_shift_class in[2],
                         mw_shift_class *out)
{
    const mw_shift_class *a = &in[0], *b = &in[1];
    bool sums = a->kind != SCALE && b->kind != SCALE;
    bool products = a->kind != SHIFT && b->kind != SHIFT;
    *out = (mw_shift_class){a->kind > b->kind ? a->kind : b->kind, 0};
    switch (op->def->shift) {
    case MW_SHIFT_ADD:
        out->c = (int8_t)(a->c + b->c);
        return sums;
    case MW_SHIFT_SUB:
        out->c = (int8_t)(a->c - b->c);
        return sums;
    case MW_SHIFT_EXP:
        *out = (mw_shift_class){SCALE, a->c};
        return sums;
    case MW_SHIFT_LOG:
        *out = (mw_shift_class){SHIFT, a->c};
        return products;
    case MW_SHIFT_MUL:
        out->c = (int8_t)(a->c + b->c);
        return products;
    case MW_SHIFT_DIV:
        out->c = (int8_t)(a->c - b->c);
        return products;
    case MW_SHIFT_INVERT:
        out->c = (int8_t)-a->c;
        return products;
    case MW_SHIFT_SAME:
        out->c = a->c;
        return true;
    default:
        return false;
    }
}

static bool step(const mw_graph *graph, const mw_op *op,
                 const mw_tensor *changed, mw_shift_class *class)
{
    mw_shift_class in[2] = {{0, 0}, {0, 0}}, out;
    if (op->n_in > 2 || op->n_out != 1 || !sums_apart(graph, op, changed))
        return false;
    for (int i = 0; i < op->n_in; i++)
        in[i] = class[op->in[i].tensor];
    if (!result_class(op, in, &out))
        return false;
    if (out.c == 0)
        out.kind = NONE;
    class[op->out[0].tensor] = out;
    return true;
}

static bool reads_changed(const mw_op *op, const mw_shift_class *class)
{
    for (int i = 0; i < op->n_in; i++)
        if (class[op->in[i].tensor].kind != NONE)
            return true;
    return false;
}

bool mw_grad_is_shift(const mw_graph *graph, int k, mw_id of, const int *last,
                      mw_shift_class *class)
{
    mw_id first = graph->op[k].out[0].tensor;
    const mw_tensor *changed = &graph->tensor[first];
    bool still = graph->op[k].n_out == 1;
    int until = last[first], op = k + 1;
    class[first] = (mw_shift_class){SHIFT, 1};
    still = still && !changed->output && first != of;
    for (; still && op <= until; op++) {
        if (!reads_changed(&graph->op[op], class))
            continue;
        still = step(graph, &graph->op[op], changed, class);
        mw_id out = graph->op[op].out[0].tensor;
        if (!still || class[out].kind == NONE)
            continue;
        still = !graph->tensor[out].output && out != of;
        until = last[out] > until ? last[out] : until;
    }
    class[first] = (mw_shift_class){NONE, 0};
    for (int i = k + 1; i <= until; i++)
        for (int j = 0; j < graph->op[i].n_out; j++)
            class[graph->op[i].out[j].tensor] = (mw_shift_class){NONE, 0};
    return still;
}
