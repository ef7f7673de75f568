/*
 * weights.c - which inputs are weights, in formats that store none: a model's
 * arguments in StableHLO.
 *
 * Integers are examples (ids, labels). Without them the left operand of the
 * first contraction of two inputs is: x w. What comes from examples is data. An
 * input that data meets in a contraction, a window or a look-up is a weight,
 * and so is one of fewer axes that a map spreads over data, and what has a
 * weight's shape (its moments in an optimizer). Only names and the usual
 * recipes ask for it.
 */
#include <string.h>

#include "ir/import/build.h"
#include "ir/op.h"

typedef struct finder {
    mw_graph *graph;
    mw_id *source; /* the input that a tensor is by moves alone, or MW_NONE */
    bool *data;
} finder;

static bool in_family(const mw_op *op, const char *family)
{
    return strcmp(op->def->family, family) == 0;
}

static bool moves(const mw_op *op)
{
    return op->n_in == 1 &&
           (in_family(op, "move") || strcmp(op->def->name, "cast") == 0);
}

static bool joins(const mw_op *op)
{
    return in_family(op, "contraction") || in_family(op, "window");
}

static void find_sources(finder *f)
{
    mw_graph *graph = f->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        f->source[t] = graph->tensor[t].role == MW_ROLE_INPUT ? t : MW_NONE;
    for (mw_id k = 0; k < graph->n_ops; k++)
        if (moves(&graph->op[k]))
            f->source[graph->op[k].out[0].tensor] =
                f->source[graph->op[k].in[0].tensor];
}

static bool find_examples(finder *f)
{
    mw_graph *graph = f->graph;
    bool any = false;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        bool example = tensor->role == MW_ROLE_INPUT && tensor->rank > 0 &&
                       !mw_dtype_is_float(tensor->dtype) &&
                       tensor->dtype != MW_U32 && tensor->dtype != MW_U64;
        f->data[t] = example;
        any = any || example;
    }
    for (mw_id k = 0; k < graph->n_ops && !any; k++) {
        const mw_op *op = &graph->op[k];
        if (!joins(op) || op->n_in != 2)
            continue;
        mw_id left = f->source[op->in[0].tensor];
        mw_id right = f->source[op->in[1].tensor];
        any = left != MW_NONE && right != MW_NONE && left != right;
        if (any)
            f->data[left] = true;
    }
    return any;
}

static bool other_is_data(const finder *f, const mw_op *op, int without)
{
    for (int i = 0; i < op->n_in; i++)
        if (i != without && f->data[op->in[i].tensor])
            return true;
    return false;
}

static void mark_op(finder *f, const mw_op *op)
{
    for (int i = 0; i < op->n_in; i++) {
        mw_id source = f->source[op->in[i].tensor];
        if (source == MW_NONE || f->data[source] || !other_is_data(f, op, i))
            continue;
        mw_tensor *input = &f->graph->tensor[source];
        bool spread = in_family(op, "map") &&
                      input->rank < f->graph->tensor[op->out[0].tensor].rank;
        bool table = in_family(op, "index") && i == 0;
        if (mw_dtype_is_float(input->dtype) && input->rank > 0 &&
            (joins(op) || table || spread))
            input->weight = true;
    }
    for (int i = 0; i < op->n_in; i++)
        for (int o = 0; o < op->n_out && f->data[op->in[i].tensor]; o++)
            f->data[op->out[o].tensor] = true;
}

static bool same_shape(const mw_tensor *a, const mw_tensor *b)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (int i = 0; i < a->rank && same; i++)
        same = a->axis[i].size == b->axis[i].size;
    return same;
}

static void mark_alike(finder *f)
{
    mw_graph *graph = f->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        mw_tensor *tensor = &graph->tensor[t];
        bool open = tensor->role == MW_ROLE_INPUT && !tensor->weight &&
                    !f->data[t] && tensor->rank > 0 &&
                    mw_dtype_is_float(tensor->dtype);
        for (mw_id u = 0; open && u < graph->n_tensors; u++)
            if (graph->tensor[u].weight &&
                same_shape(tensor, &graph->tensor[u])) {
                tensor->weight = true;
                break;
            }
    }
}

mw_status mw_build_find_weights(mw_arena *arena, mw_graph *placed)
{
    finder f = {.graph = placed,
                .source = MW_NEW_ARRAY(arena, placed->n_tensors, mw_id),
                .data = MW_NEW_ARRAY(arena, placed->n_tensors, bool)};
    if (!f.source || !f.data)
        return MW_ENOMEM;
    find_sources(&f);
    if (!find_examples(&f))
        return MW_OK;
    for (mw_id k = 0; k < placed->n_ops; k++)
        mark_op(&f, &placed->op[k]);
    mark_alike(&f);
    return MW_OK;
}
